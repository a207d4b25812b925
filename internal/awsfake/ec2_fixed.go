package awsfake

import "net/netip"

// fixAddress gives an instance the address that it asks for: one of its subnet that AWS does not reserve and nothing
// uses (EC2 API reference: RunInstances, PrivateIpAddress).
func (x *exchange) fixAddress(in *instance, sn *subnet, private string) error {
	if private == "" {
		return nil
	}
	a, err := netip.ParseAddr(private)
	if err != nil || !a.Is4() {
		return failf("InvalidParameterValue", "invalid value for parameter address: %s", private)
	}
	p, err := netip.ParsePrefix(sn.CIDR)
	if err != nil || !p.Contains(a) {
		return failf("InvalidParameterValue", "Address %s does not fall within the subnet's address range", a)
	}
	if n := offset(p.Addr(), a); n < 4 || n == hosts(sn.CIDR)-1 {
		return failf("InvalidParameterValue", "Address %s is in subnet's reserved address range", a)
	}
	if count, err := x.p.num("MaxCount", 1); err != nil || count > 1 {
		return failf("InvalidParameterCombination", "The parameter PrivateIpAddress cannot be used with more than one instance.")
	}
	for _, e := range x.tx.st.table(kindInstance, x.Region).below(sn.ID) {
		if other, ok := e.(*instance); ok && other.Private == a.String() {
			return failf("InvalidIPAddress.InUse", "Address %s is in use.", a)
		}
	}
	in.Private = a.String()
	return nil
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
