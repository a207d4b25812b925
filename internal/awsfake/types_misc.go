package awsfake

// keyPair is the public half of a login key.
type keyPair struct {
	base
	Pair        string `json:"pair"` // key-...
	Fingerprint string `json:"fingerprint"`
	Type        string `json:"type"`
	Public      string `json:"public,omitempty"` // type and key, without the comment
}

func (k *keyPair) show(_ *tx, out *Resource) { out.Name, out.Size = k.ID, k.Type }
