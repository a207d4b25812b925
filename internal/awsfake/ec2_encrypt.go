package awsfake

import "cmp"

// encryptsAll is the ID of the mark of a region whose new volumes are all encrypted.
const encryptsAll = "ebs-encryption"

func encryptionActions() map[string]handler {
	return map[string]handler{
		"EnableEbsEncryptionByDefault":  func(x *exchange) (any, error) { return encryptByDefault(x, true) },
		"DisableEbsEncryptionByDefault": func(x *exchange) (any, error) { return encryptByDefault(x, false) },
	}
}

// encryptByDefault sets whether the account encrypts every new volume of a region ("Enable Amazon EBS
// encryption by default").
func encryptByDefault(x *exchange, on bool) (any, error) {
	if on {
		x.tx.put(&regionMark{base: base{ID: encryptsAll, Region: x.Region}})
	} else if m, ok := find[*regionMark](x.tx, x.Region, encryptsAll); ok {
		x.tx.drop(m)
	}
	return struct {
		On bool `xml:"ebsEncryptionByDefault"`
	}{on}, nil
}

// keyWrong says why a volume cannot be encrypted with its key. EC2 finds out after it has answered: the volume ends in
// error, the instance is terminated (EC2 API reference: CreateVolume, KmsKeyId).
func keyWrong(x *exchange, v *volume) bool {
	if v.KMS == "" || v.KMS == keyARN(x, "aws-ebs") {
		return false
	}
	k, err := kmsKeyAt(x, v.KMS)
	return err != nil || k.Disabled || !k.Deleted.IsZero()
}

const keyReason = "Client.InvalidKMSKey.InvalidState"

// encrypt encrypts a new volume where the account does so with all.
func encrypt(x *exchange, v *volume) {
	if _, all := find[*regionMark](x.tx, x.Region, encryptsAll); all || v.Encrypted {
		v.Encrypted = true
		v.KMS = cmp.Or(v.KMS, keyARN(x, "aws-ebs"))
		if k, err := kmsKeyAt(x, v.KMS); err == nil { // by its ID
			v.KMS = keyARN(x, k.ID)
		}
	}
}
