package compute

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// keyPair is the public half of a login key.
type keyPair struct {
	core.Base
	Pair        string `json:"pair"` // key-...
	Fingerprint string `json:"fingerprint"`
	Type        string `json:"type"`
	Public      string `json:"public,omitempty"` // type and key, without the comment
}

func (k *keyPair) Show(_ *core.Tx, out *core.Resource) { out.Name, out.Size = k.ID, k.Type }
