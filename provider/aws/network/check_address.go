package network

import (
	"net/netip"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// HostAddress checks an IPv4 address, in the one form that AWS gives it. netip.ParseAddr rejects
// leading zeros, so equal addresses have equal texts. An IPv6 address that contains an IPv4 address
// is rejected as well.
func HostAddress(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	if a, err := netip.ParseAddr(string(s)); err != nil || !a.Is4() {
		return api.WrongValue("use for example 10.0.1.10", "%q is not an IPv4 address", s)
	}
	return nil
}

// Addresses checks fixed addresses against their subnet and each other. "The first four IP addresses and the last IP
// address in each subnet CIDR block are not available for your use" ("Subnet CIDR blocks"). The rule compares
// resources of one kind. interfaceBeside compares an interface with the instance that it is attached to. An address
// that cannot be read is skipped: HostAddress reports it, or its value is known only after apply.
func Addresses(c *api.Checking) {
	first := map[string]*resource.Desired{}
	for _, d := range c.Configured {
		s, set := api.Text(d.Attrs, api.PrivateIP)
		a, err := netip.ParseAddr(s)
		if !set || err != nil {
			continue
		}
		if subnet := c.Other(d, "subnet"); subnet != nil {
			whole, ok := block(subnet)
			switch {
			case !ok: // the subnet has its own error
			case !whole.Contains(a):
				c.Wrong(d, api.PrivateIP, "use an address of "+whole.String(), "%s is not within %s of subnet/%s", a, whole,
					api.WhereConfigured(subnet))
			case reserved(whole, a):
				c.Wrong(d, api.PrivateIP, "use another address of "+whole.String(),
					"AWS reserves %s: the first four addresses of a subnet and the last one", a)
			}
		}
		// The subnet is compared as JSON: the name and the ID of one subnet count as two, because
		// the configuration does not connect them.
		v, _ := d.Attrs.Get("subnet")
		key := d.Ref.Location + " " + string(resource.AppendJSON(nil, v)) + " " + a.String()
		if other := first[key]; other != nil {
			c.Wrong(d, api.PrivateIP, "use another address; with count, omit private_ip", "%s is the address of %s/%s too", a,
				other.Ref.Kind, api.WhereConfigured(other))
			continue
		}
		first[key] = d
	}
}

// reserved reports whether AWS reserves an address of a subnet: network, router, DNS, future use
// and broadcast (Amazon VPC User Guide, "Subnet CIDR blocks").
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
