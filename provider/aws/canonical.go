package aws

import (
	"fmt"
	"net/netip"

	"github.com/ovi-project/ovi/resource"
)

// canonicalCIDR brings a block of addresses to the form AWS gives it: host bits are zero.
func canonicalCIDR(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	s, ok := text(a, "cidr")
	if !ok {
		return a, nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return a, []resource.Problem{{Path: "cidr", Summary: fmt.Sprintf("%q is not a block of addresses", s), Suggestion: "10.0.0.0/16"}}
	}
	if p != p.Masked() {
		return a, []resource.Problem{{Path: "cidr", Summary: fmt.Sprintf("%q has address bits behind its prefix", s), Suggestion: p.Masked().String()}}
	}
	return a.With("cidr", resource.String(p.String())), nil
}

// canonicalEC2 leaves the image out where the wish says "the current one": what image an
// instance has is then settled when it is made, and not compared.
func canonicalEC2(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if s, _ := text(a, "image"); s == latestImage {
		a = a.Without("image")
	}
	_, subnet := a.Get("subnet")
	if _, zone := a.Get("zone"); zone && subnet {
		return a, []resource.Problem{{Path: "zone", Summary: "the subnet already says the zone", Suggestion: "leave zone out"}}
	}
	return a, nil
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
	kind, _ := text(a, "type")
	if _, iops := a.Get("iops"); (kind == "io1" || kind == "io2") && !iops {
		out = append(out, resource.Problem{Path: "type", Summary: kind + " needs its iops said", Suggestion: "iops: 3000"})
	}
	if _, device := a.Get("device"); device && !attach {
		out = append(out, resource.Problem{Path: "device", Summary: "device says where a volume is attached, but attach_to names no instance"})
	}
	return a, out
}

// leastSSD is the least storage that RDS gives on its faster disks.
const leastSSD = 20

func canonicalRDS(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	kind, _ := text(a, "storage_type")
	if n, ok := number(a, "storage"); ok && n < leastSSD && kind != "standard" {
		return a, []resource.Problem{{Path: "storage", Summary: fmt.Sprintf("%d GiB is less than RDS gives, which is %d", n, leastSSD), Suggestion: "20"}}
	}
	if s, _ := text(a, "username"); s == "admin" || s == "rdsadmin" {
		engine, ok := text(a, "engine")
		if s == "rdsadmin" || !ok || engine == "postgres" {
			return a, []resource.Problem{{Path: "username", Summary: fmt.Sprintf("%q is reserved by RDS", s), Suggestion: "dbadmin"}}
		}
	}
	return a, nil
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
