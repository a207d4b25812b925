package provider

import (
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Set holds the providers of a process by name. It implements source.Schemas, so that a source
// can check configurations without importing a provider. It does no I/O and does not change;
// any number of goroutines may read it.
type Set map[string]Provider

// Kind returns a schema by provider and kind.
func (s Set) Kind(provider, kind string) (resource.Kind, bool) {
	p, ok := s[provider]
	if !ok {
		return resource.Kind{}, false
	}
	for _, k := range p.Kinds() {
		if k.Name == kind {
			return k, true
		}
	}
	return resource.Kind{}, false
}

// Kinds lists the schemas of a provider, sorted by name; nil for an unknown provider.
func (s Set) Kinds(provider string) []resource.Kind {
	p, ok := s[provider]
	if !ok {
		return nil
	}
	kinds := slices.Clone(p.Kinds())
	slices.SortFunc(kinds, func(a, b resource.Kind) int { return strings.Compare(a.Name, b.Name) })
	return kinds
}

// Names lists the names of the kinds of a provider, sorted.
func (s Set) Names(provider string) []string {
	var out []string
	for _, k := range s.Kinds(provider) {
		out = append(out, k.Name)
	}
	return out
}

// Providers lists the names of the providers, sorted.
func (s Set) Providers() []string { return slices.Sorted(maps.Keys(s)) }
