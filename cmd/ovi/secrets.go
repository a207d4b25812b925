package main

import (
	"sync"

	"github.com/ovi-project/ovi/resource"
)

// knownSecrets are the secrets of the configurations that this process has read, by their digest.
// They stay in memory.
type knownSecrets struct{ byDigest sync.Map }

// noting is a function that makes digests, and notes of what.
func (k *knownSecrets) noting(sum func([]byte) string) func([]byte) string {
	return func(secret []byte) string {
		digest := sum(secret)
		k.byDigest.Store(resource.Digest(digest), string(secret))
		return digest
	}
}

// plain implements provider.Config.Plain.
func (k *knownSecrets) plain(d resource.Digest) (string, bool) {
	v, known := k.byDigest.Load(d)
	s, _ := v.(string)
	return s, known
}
