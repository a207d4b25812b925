package awsfake

// callerIdentity names the only user of the sandbox account (STS API
// reference: GetCallerIdentity).
func callerIdentity(*exchange) (any, error) {
	return struct {
		Account, UserId, Arn string
	}{Account, "AIDAPRACTICECLOUD000", "arn:aws:iam::" + Account + ":user/practice"}, nil
}
