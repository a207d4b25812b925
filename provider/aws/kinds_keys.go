package aws

// keysKinds are the kinds of this package. Each call gives fresh values.
func keysKinds() []kind {
	return []kind{kindOfLogs(), kindOfKMS(), kindOfSecret(), kindOfCertificate()}
}
