package compute

import (
	"cmp"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/keys"
)

// encryptsAll is the ID of the mark of a region whose new volumes are all encrypted.
const encryptsAll = "ebs-encryption"

func encryptionActions() map[string]core.Handler {
	return map[string]core.Handler{
		"EnableEbsEncryptionByDefault":  func(x *core.Exchange) (any, error) { return encryptByDefault(x, true) },
		"DisableEbsEncryptionByDefault": func(x *core.Exchange) (any, error) { return encryptByDefault(x, false) },
	}
}

// encryptByDefault sets whether the account encrypts every new volume of a region ("Enable Amazon EBS
// encryption by default").
func encryptByDefault(x *core.Exchange, on bool) (any, error) {
	if on {
		x.Tx.Put(&core.RegionMark{Base: core.Base{ID: encryptsAll, Region: x.Region}})
	} else if m, ok := core.Find[*core.RegionMark](x.Tx, x.Region, encryptsAll); ok {
		x.Tx.Drop(m)
	}
	return struct {
		On bool `xml:"ebsEncryptionByDefault"`
	}{on}, nil
}

// keyWrong says why a volume cannot be encrypted with its key. EC2 finds out after it has answered: the volume ends in
// error, the instance is terminated (EC2 API reference: CreateVolume, KmsKeyId).
func keyWrong(x *core.Exchange, v *volume) bool {
	if v.KMS == "" || v.KMS == keys.KeyARN(x, "aws-ebs") {
		return false
	}
	k, err := keys.KMSKeyAt(x, v.KMS)
	return err != nil || k.Disabled || !k.Deleted.IsZero()
}

const keyReason = "Client.InvalidKMSKey.InvalidState"

// encrypt encrypts a new volume where the account does so with all.
func encrypt(x *core.Exchange, v *volume) {
	if _, all := core.Find[*core.RegionMark](x.Tx, x.Region, encryptsAll); all || v.Encrypted {
		v.Encrypted = true
		v.KMS = cmp.Or(v.KMS, keys.KeyARN(x, "aws-ebs"))
		if k, err := keys.KMSKeyAt(x, v.KMS); err == nil { // by its ID
			v.KMS = keys.KeyARN(x, k.ID)
		}
	}
}
