package command

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/ovi-project/ovi/internal/budget"
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

// Revealed returns the function that finds the secret of a digest among the secrets that this process has read, or
// reads it again from its source. It returns only the same secret.
func (c *Call) Revealed(dir string) func(resource.Digest, string) (string, bool) {
	digests := c.Digests(dir)
	return func(d resource.Digest, from string) (string, bool) {
		if v, known := c.Secrets.byDigest.Load(d); known {
			plain, _ := v.(string)
			return plain, true
		}
		if plain, found := c.outside(from); found && digests.Same(plain, d) {
			return plain, true
		}
		return "", false
	}
}

// outside reads the value that is called "env:NAME" or "file:PATH". A relative path is one of the source, which cannot
// be read.
func (c *Call) outside(from string) (string, bool) {
	kind, name, _ := strings.Cut(from, ":")
	switch {
	case kind == "env":
		return c.Env(name)
	case kind == "file" && filepath.IsAbs(name):
		b, err := budget.ReadFile(name, budget.Text)
		return strings.TrimSuffix(string(b), "\n"), err == nil
	}
	return "", false
}
