package source

import (
	"github.com/ovi-project/ovi/resource"
)

// Schemas finds the schema of a kind.
type Schemas interface {
	// Kind finds a schema by provider and kind.
	Kind(provider, kind string) (resource.Kind, bool)
	// Kinds lists the schemas of a provider, sorted by name; nil for an unknown provider.
	Kinds(provider string) []resource.Kind
	// Providers lists the names of the providers, sorted.
	Providers() []string
}

// LocationRule is what a provider's locations are called, and what they look like.
type LocationRule struct {
	Word     string // the provider's own word, also a key in files: "region", "host", "site"
	Example  string
	Pattern  string // regular expression of a whole location; "" for any
	Default  string // used where the configuration gives none
	Required bool   // without one, also without a Default, is an error
	Group    GroupRule
}

// GroupRule is what a location may begin with, before a slash, such as an account. The zero rule: nothing.
type GroupRule struct {
	Word    string // "account"
	Pattern string // regular expression of a whole group
	Example string // a location with its group
}

// OptionRule is one option of a provider: options.NAME.KEY in a configuration.
type OptionRule struct {
	Key, Doc, Example string
	// Secret and Operator options are not allowed in a configuration, which may be another's: Flag and
	// Variable set them.
	Secret, Operator bool
	Flag, Variable   string
	// Grouped: there may be a value for each group of locations; see resource.Grouped.
	Grouped bool
	// GroupOf is the group that a value names by itself; "" if none. Nil means that no value does.
	GroupOf func(value string) string
}

// Options is what checking a configuration needs from outside.
type Options struct {
	Schemas Schemas
	// Location is the rule of a provider's locations. Nil: no provider has one.
	Location func(provider string) LocationRule
	// ProviderOptions lists the options of a provider. Nil: no provider has any.
	ProviderOptions func(provider string) []OptionRule
	// Foreign tells what a type of another program is here: a kind, or a part of one. Nil: nothing is known.
	Foreign func(provider, name string) (kind, partOf string)
	// Secrets makes the digests that are recorded in place of secrets. Nil: a secret in the
	// configuration is a problem.
	Secrets resource.Digester
	// Expanded is called for each block of a configuration file after its expressions were evaluated. Origin describes
	// the origin of a value in it. Nil: it is not called.
	Expanded func(r *Resource, n *Node, origin func(*Node) string)
	// Added is called with each resource that is added, and with the outputs as attributes of a resource without a kind.
	// outside has the texts from outside so far. Nil: it is not called.
	Added func(r *Resource, outside map[string]string)
	// Environments is called with the stack of each environment of a configuration, before one of them is chosen.
	Environments func(stacks map[string]string)
}

func (o Options) tellAdded(r *Resource, outside map[string]string) {
	if o.Added != nil {
		o.Added(r, outside)
	}
}

// DefaultLocation is the location of a resource whose configuration gives none and whose
// provider has neither a default nor requires one: the provider resolves it.
const DefaultLocation = "default"

// LocationOf is the rule of a provider's locations, with a word.
func (o Options) LocationOf(provider string) LocationRule {
	var r LocationRule
	if o.Location != nil {
		r = o.Location(provider)
	}
	if r.Word == "" {
		r.Word = "location"
	}
	return r
}
