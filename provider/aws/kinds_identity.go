package aws

// identityKinds are the kinds of this package. Each call gives fresh values.
func identityKinds() []kind {
	return []kind{kindOfRole()}
}
