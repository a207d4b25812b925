package aws

// dnsKinds are the kinds of this package. Each call gives fresh values.
func dnsKinds() []kind {
	return []kind{kindOfZone(), kindOfRecord()}
}
