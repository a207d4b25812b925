package awsfake

// encryptsAll is the ID of the mark of a region whose new volumes are all encrypted.
const encryptsAll = "ebs-encryption"

func encryptionActions() map[string]handler {
	return map[string]handler{
		"EnableEbsEncryptionByDefault":  func(x *exchange) (any, error) { return x.encryptByDefault(true) },
		"DisableEbsEncryptionByDefault": func(x *exchange) (any, error) { return x.encryptByDefault(false) },
	}
}

// encryptByDefault sets whether the account encrypts every new volume of a region ("Enable Amazon EBS
// encryption by default").
func (x *exchange) encryptByDefault(on bool) (any, error) {
	if on {
		x.tx.put(&regionMark{base{ID: encryptsAll, Region: x.Region}})
	} else if m, ok := find[*regionMark](x.tx, x.Region, encryptsAll); ok {
		x.tx.drop(m)
	}
	return struct {
		On bool `xml:"ebsEncryptionByDefault"`
	}{on}, nil
}

// encrypt encrypts a new volume where the account does so with all.
func (x *exchange) encrypt(v *volume) {
	if _, all := find[*regionMark](x.tx, x.Region, encryptsAll); all || v.Encrypted {
		v.Encrypted = true
		v.KMS = orElse(v.KMS, "arn:aws:kms:"+x.Region+":"+Account+":key/aws-ebs")
	}
}
