package awsfake

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
