package aws

// granting is the action that lets a service use a key later on. It is allowed only with the
// condition of grantToAWS.
const granting = "kms:CreateGrant"

// volumeKeyActions returns the actions of EC2 on a customer's key in the name of the caller ("Requirements
// for Amazon EBS encryption"). The first one is granting, so that a caller can cut it off.
func volumeKeyActions() []string {
	return []string{granting, "kms:Decrypt", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncryptFrom", "kms:ReEncryptTo"}
}

// grantToAWS limits grants of a key to those that AWS's services use. AWS KMS Developer Guide,
// "Controlling access to grants": the condition allows CreateGrant "only when an AWS service that
// is integrated with AWS KMS sends the request on the principal's behalf".
func grantToAWS() map[string]map[string]any {
	return map[string]map[string]any{"Bool": {"kms:GrantIsForAWSResource": "true"}}
}
