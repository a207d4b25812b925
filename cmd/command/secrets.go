package command

import (
	"sync"

	"github.com/ovi-project/ovi/resource"
)

// knownSecrets are the secrets of the configurations that this process has read, by their digest.
// They stay in memory.
type knownSecrets struct{ byDigest sync.Map }

// Noting is a digester that notes of what it makes digests.
func (k *knownSecrets) Noting(by resource.Digester) resource.Digester { return noting{by, k} }

type noting struct {
	resource.Digester
	known *knownSecrets
}

// Digest implements resource.Digester.
func (n noting) Digest(ref resource.Ref, path, plain string) resource.Digest {
	digest := n.Digester.Digest(ref, path, plain)
	n.known.byDigest.Store(digest, plain)
	return digest
}

// plain implements provider.Config.Plain.
func (k *knownSecrets) plain(d resource.Digest) (string, bool) {
	v, known := k.byDigest.Load(d)
	s, _ := v.(string)
	return s, known
}
