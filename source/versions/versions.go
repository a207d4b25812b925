// Package versions makes the version of a configuration from the version of its files, such as a commit, and from the
// values that it has from elsewhere: the environment, variables, the command line. Equal versions mean an equal
// configuration: loops on several hosts compare them.
package versions

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Sum holds the values of a configuration that have a part in its version.
type Sum struct {
	Secrets resource.Digester // nil means that secrets do not count
	// InTree reports that the version of the files covers all files of a tree, so that a file:NAME adds nothing to it.
	InTree bool
	files  map[string]bool // the values of files
	others map[string]bool
}

// Add adds a value. A value that is not public counts with its keyed digest: a digest without a key can be guessed.
func (s *Sum) Add(name, value string, public bool) {
	if !public {
		if s.Secrets == nil {
			return
		}
		value = string(s.Secrets.Digest(resource.Ref{}, "", value))
	}
	to := &s.others
	if strings.HasPrefix(name, "file:") {
		to = &s.files
	}
	if *to == nil {
		*to = map[string]bool{}
	}
	(*to)[fmt.Sprintf("%d %s %d %s", len(name), name, len(value), value)] = true
}

// Version returns the version of the configuration: the version of its files alone if no value adds to it. Without a
// version of the files, the values must cover them.
func (s *Sum) Version(files string) string {
	values := slices.Sorted(maps.Keys(s.others))
	if files == "" || !s.InTree {
		values = append(values, slices.Sorted(maps.Keys(s.files))...)
	}
	if len(values) == 0 {
		return files
	}
	sum := sha256.New()
	for _, text := range values {
		_, _ = fmt.Fprintf(sum, "%d %s", len(text), text)
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	if files == "" {
		return "sha256:" + digest
	}
	return files + "+" + digest[:32]
}
