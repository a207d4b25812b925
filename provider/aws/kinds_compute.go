package aws

// computeKinds are the kinds of this package. Each call gives fresh values.
func computeKinds() []kind {
	return []kind{kindOfEC2(), kindOfEBS(), kindOfKeyPair(), kindOfTemplate(), kindOfScaling()}
}
