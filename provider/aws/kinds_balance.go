package aws

// balanceKinds are the kinds of this package. Each call gives fresh values.
func balanceKinds() []kind {
	return []kind{kindOfTargets(), kindOfBalancer(), kindOfListener()}
}
