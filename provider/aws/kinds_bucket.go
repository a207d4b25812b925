package aws

// bucketKinds are the kinds of this package. Each call gives fresh values.
func bucketKinds() []kind {
	return []kind{kindOfS3()}
}
