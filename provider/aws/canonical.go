package aws

import (
	"net/netip"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// canonicalCIDR brings a block of addresses, which networkBlock has judged, to the form AWS
// gives it.
func canonicalCIDR(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	s, ok := text(a, "cidr")
	if p, err := netip.ParsePrefix(s); ok && err == nil {
		a = a.With("cidr", resource.String(p.Masked().String()))
	}
	return a, nil
}

// canonicalEC2 removes an image that means "the current one": it is resolved when an instance is
// created, and not compared afterwards.
func canonicalEC2(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if s, _ := text(a, "image"); s == latestImage {
		a = a.Without("image")
	}
	var out []resource.Problem
	_, subnet := a.Get("subnet")
	if _, zone := a.Get("zone"); zone && subnet {
		out = append(out, resource.Problem{Path: "zone", Summary: "the subnet already sets the zone", Suggestion: "omit zone"})
	}
	out = append(out, judgeSpot(a)...)
	if _, fixed := a.Get(privateIP); fixed && !subnet {
		out = append(out, resource.Problem{Path: privateIP, Summary: "an address is part of a subnet, and no subnet is set", Suggestion: "set subnet"})
	}
	if v, ok := a.Get("root_volume"); ok {
		root, _ := v.(resource.Attrs)
		for _, p := range judgeVolume(root, "type") {
			p.Path = "root_volume." + p.Path
			out = append(out, p)
		}
	}
	return a, out
}

// keyPattern: "Up to 255 ASCII characters" (CreateKeyPairInput), without spaces at the ends.
const keyPattern = `[!-~]([ -~]{0,253}[!-~])?`

// maxUserData: "limited to 16 KB, in raw form, before it is base64-encoded" ("Run commands at
// launch"). It is bytes, where the schema counts characters.
const maxUserData = 16384

func userDataSize(v resource.Value) []resource.Problem {
	if n := len(revealed(v)); n > maxUserData {
		return wrongValue("download the rest from a bucket", "user_data has %d bytes, and AWS allows %d", n, maxUserData)
	}
	return nil
}

func canonicalEBS(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	var out []resource.Problem
	_, size := a.Get("size")
	if _, snapshot := a.Get("snapshot"); !size && !snapshot {
		out = append(out, resource.Problem{Path: "size", Summary: "a volume needs a size or a snapshot", Suggestion: "size: 20"})
	}
	_, zone := a.Get("zone")
	_, attach := a.Get("attach_to")
	if !zone && !attach {
		out = append(out, resource.Problem{Path: "zone", Summary: "a volume needs a zone, or an instance in attach_to whose zone it takes", Suggestion: "zone: us-east-1a"})
	}
	if _, device := a.Get("device"); device && !attach {
		out = append(out, resource.Problem{Path: "device", Summary: "device is set, but attach_to names no instance"})
	}
	return a, append(out, judgeVolume(a, volumeType)...)
}

// canonicalRDS writes days as AWS does.
func canonicalRDS(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if s, ok := text(a, "maintenance_window"); ok {
		a = a.With("maintenance_window", resource.String(strings.ToLower(s)))
	}
	return a, append(judgeDB(a), judgeWindows(a)...)
}

// text reads a string attribute.
func text(a resource.Attrs, name string) (string, bool) {
	v, ok := a.Get(name)
	s, isString := v.(resource.String)
	return string(s), ok && isString
}

func number(a resource.Attrs, name string) (int64, bool) {
	v, ok := a.Get(name)
	n, isInt := v.(resource.Int)
	return int64(n), ok && isInt
}

func flag(a resource.Attrs, name string) (value, ok bool) {
	v, ok := a.Get(name)
	b, isBool := v.(resource.Bool)
	return bool(b), ok && isBool
}
