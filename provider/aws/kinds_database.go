package aws

// databaseKinds are the kinds of this package. Each call gives fresh values.
func databaseKinds() []kind {
	return []kind{kindOfRDS(), kindOfDBSubnets(), kindOfDBParameters()}
}
