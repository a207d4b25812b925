package sourcetest

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// Provider, and Kinds, are what the suite configures.
const Provider = "suite"

// Location is where the resources of the suite are.
const Location = "here"

// kinds are the schemas of the suite.
type kinds []resource.Kind

func (s kinds) Kind(provider, kind string) (resource.Kind, bool) {
	i := slices.IndexFunc(s, func(k resource.Kind) bool { return k.Provider == provider && k.Name == kind })
	if i < 0 {
		return resource.Kind{}, false
	}
	return s[i], true
}

func (s kinds) Kinds(provider string) []resource.Kind {
	if provider != Provider {
		return nil
	}
	return s
}

func (s kinds) Providers() []string { return []string{Provider} }

// Options are what the suite checks by.
func Options() source.Options {
	least := int64(1)
	return source.Options{
		Schemas: kinds{
			{Provider: Provider, Name: "app", Attrs: []resource.Attribute{
				{Name: "address", Type: resource.TString, Computed: true},
				{Name: "motd", Type: resource.TString},
				{Name: "net", Type: resource.TString, RefKind: "net", IDPrefix: "net-"},
				{Name: "password", Type: resource.TString, Secret: true, WriteOnly: true},
				{Name: "size", Type: resource.TInt, Required: true, Min: &least, Example: "3"},
			}},
			{Provider: Provider, Name: "net", Attrs: []resource.Attribute{{Name: "cidr", Type: resource.TString}}},
		},
		Location: func(string) source.LocationRule {
			return source.LocationRule{Word: "site", Default: Location}
		},
		Secrets: Secrets{},
	}
}

// Secrets digests with a key that is no secret.
type Secrets struct{}

// Digest implements resource.Digester: "BOUND:SUM".
func (s Secrets) Digest(ref resource.Ref, path, plain string) resource.Digest {
	bound := s.sum(ref.String() + "\n" + path)
	return resource.Digest(bound + ":" + s.sum(bound+plain))
}

// Same implements resource.Digester.
func (s Secrets) Same(plain string, d resource.Digest) bool {
	bound, sum, ok := strings.Cut(string(d), ":")
	return ok && s.sum(bound+plain) == sum
}

func (Secrets) sum(text string) string {
	sum := sha256.Sum256([]byte("key of the suite" + text))
	return hex.EncodeToString(sum[:8])
}
