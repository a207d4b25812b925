package cluster

import (
	"fmt"
	"net/netip"

	"github.com/ovi-project/ovi/resource"
)

// crossCheck finds ports of the host that two clusters of one engine use, and subnets that overlap.
func crossCheck(configured []*resource.Desired, _ func(resource.Ref) *resource.Desired) (out []resource.Finding) {
	type at struct {
		location string
		port     int64
	}
	ports := map[at]resource.Ref{}
	out = misplaced(configured, onEngine, "a cluster is created on an engine, not inside a cluster", "use local, or the URL of an engine")
	for i, d := range configured {
		for _, name := range []string{"http_port", "https_port", "pf_port"} {
			n, ok := d.Attrs.Int(name)
			if !ok {
				continue
			}
			key := at{d.Ref.Location, n}
			if other, used := ports[key]; used {
				out = append(out, finding(d, name, fmt.Sprintf("port %d of the host is used by %s already", n, other.Short()), "use another port"))
				continue
			}
			ports[key] = d.Ref
		}
		mine, ok := subnetOf(d)
		for _, other := range configured[:i] {
			theirs, has := subnetOf(other)
			if ok && has && other.Ref.Location == d.Ref.Location && mine.Overlaps(theirs) {
				out = append(out, finding(d, "subnet", fmt.Sprintf("%s overlaps with %s of %s", mine, theirs, other.Ref.Short()), "use another subnet"))
			}
		}
	}
	return out
}

func finding(d *resource.Desired, path, summary, suggestion string) resource.Finding {
	return resource.Finding{Ref: d.Ref, Problem: resource.Problem{Path: path, Summary: summary, Suggestion: suggestion}}
}

func subnetOf(d *resource.Desired) (netip.Prefix, bool) {
	text, _ := d.Attrs.Text("subnet")
	p, err := netip.ParsePrefix(text)
	return p, err == nil
}
