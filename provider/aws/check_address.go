package aws

import (
	"net/netip"

	"github.com/ovi-project/ovi/resource"
)

// hostAddress checks an IPv4 address, in the one form that AWS gives it.
func hostAddress(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	if a, err := netip.ParseAddr(string(s)); err != nil || !a.Is4() {
		return wrongValue("use for example 10.0.1.10", "%q is not an IPv4 address", s)
	}
	return nil
}

// addresses checks fixed addresses against their subnet and each other. "The first four IP addresses and the last IP
// address in each subnet CIDR block are not available for your use" ("Subnet CIDR blocks").
func addresses(c *checking) {
	first := map[string]*resource.Desired{}
	for _, d := range c.configured {
		s, set := text(d.Attrs, privateIP)
		a, err := netip.ParseAddr(s)
		if !set || err != nil {
			continue
		}
		if subnet := c.other(d, "subnet"); subnet != nil {
			addressIn(c, d, a, subnet)
		}
		v, _ := d.Attrs.Get("subnet")
		key := d.Ref.Location + " " + string(resource.AppendJSON(nil, v)) + " " + a.String()
		if other := first[key]; other != nil {
			c.wrong(d, privateIP, "use another address; with count, omit private_ip", "%s is the address of %s/%s too", a, other.Ref.Kind, location(other))
			continue
		}
		first[key] = d
	}
}

func addressIn(c *checking, d *resource.Desired, a netip.Addr, subnet *resource.Desired) {
	whole, ok := block(subnet)
	switch {
	case !ok:
	case !whole.Contains(a):
		c.wrong(d, privateIP, "use an address of "+whole.String(), "%s is not within %s of subnet/%s", a, whole, location(subnet))
	case reserved(whole, a):
		c.wrong(d, privateIP, "use another address of "+whole.String(), "AWS reserves %s: the first four addresses of a subnet and the last one", a)
	}
}

func reserved(whole netip.Prefix, a netip.Addr) bool {
	next := whole.Masked().Addr()
	for range 4 {
		if next == a {
			return true
		}
		next = next.Next()
	}
	return !whole.Contains(a.Next())
}
