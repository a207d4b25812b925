package awsfake

import (
	"net/netip"
	"slices"
)

// fixAddress gives an instance the address that it asks for.
func fixAddress(x *exchange, in *instance, sn *subnet, private string) (err error) {
	if private == "" {
		return nil
	}
	if count, err := x.p.num("MaxCount", 1); err != nil || count > 1 {
		return failf("InvalidParameterCombination", "The parameter PrivateIpAddress cannot be used with more than one instance.")
	}
	in.Private, err = freeAddress(x, sn, private)
	return err
}

// freeAddress is an address that a request asks for: one of the subnet that AWS does not reserve and nothing uses (EC2 API
// reference: RunInstances and CreateNetworkInterface, PrivateIpAddress).
func freeAddress(x *exchange, sn *subnet, private string) (string, error) {
	if private == "" {
		return "", nil
	}
	a, err := netip.ParseAddr(private)
	if err != nil || !a.Is4() {
		return "", failf("InvalidParameterValue", "invalid value for parameter address: %s", private)
	}
	p, err := netip.ParsePrefix(sn.CIDR)
	if err != nil || !p.Contains(a) {
		return "", failf("InvalidParameterValue", "Address %s does not fall within the subnet's address range", a)
	}
	if n := offset(p.Addr(), a); n < 4 || n == hosts(sn.CIDR)-1 {
		return "", failf("InvalidParameterValue", "Address %s is in subnet's reserved address range", a)
	}
	inUse := slices.ContainsFunc(list[*networkInterface](x.tx, x.Region), func(n *networkInterface) bool { return n.Subnet == sn.ID && n.Private == a.String() })
	for _, other := range below[*instance](x.tx, x.Region, sn.ID) {
		inUse = inUse || other.Private == a.String()
	}
	if inUse {
		return "", failf("InvalidIPAddress.InUse", "Address %s is in use.", a)
	}
	return a.String(), nil
}

// offset is how far an address is behind the first one of its block.
func offset(first, a netip.Addr) int {
	x, y := first.As4(), a.As4()
	n := 0
	for i := range x {
		n = n<<8 + int(y[i]) - int(x[i])
	}
	return n
}
