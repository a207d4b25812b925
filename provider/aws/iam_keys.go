package aws

const granting = "kms:CreateGrant"

// volumeKeyActions returns the actions of EC2 on a customer's key in the name of the caller ("Requirements
// for Amazon EBS encryption").
func volumeKeyActions() []string {
	return []string{granting, "kms:Decrypt", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncryptFrom", "kms:ReEncryptTo"}
}

// grantToAWS limits grants of a key to those that AWS's services use.
func grantToAWS() map[string]map[string]any {
	return map[string]map[string]any{"Bool": {"kms:GrantIsForAWSResource": "true"}}
}
