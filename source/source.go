// Package source defines what a source of configuration must do, and resolves what any source
// read. A source turns its own syntax into Drafts; Resolve checks all of them by the schemas
// and returns one Intent a stack. Sources know schemas, not providers; they know neither the
// engine nor the audit log.
package source

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Source reads the configuration of one or more stacks. It writes nothing.
type Source interface {
	// Load reads all stacks, or returns an error: never a part. What is wrong with the
	// configuration is kept in the drafts, so that Resolve reports all of it at once. A stack
	// that alone cannot be read is a Draft with Err.
	Load(ctx context.Context) ([]*Draft, error)
}

// Watcher is a Source that can tell at little cost whether Load would read something else:
// a commit, a data version. Equal versions mean an equal configuration.
type Watcher interface {
	Version(ctx context.Context) (string, error)
}

// Reporter is a Source that shows in itself what became of its resources: status columns.
// What the configuration declares is never written.
type Reporter interface {
	// Report asks for the fact of each resource that the source declares, to be there or to be gone,
	// by a ref without stack and location, and writes those that are known. Nothing is written in part.
	Report(ctx context.Context, of func(resource.Ref) (Fact, bool)) error
}

// Fact is what is known of one resource that a source declared.
type Fact struct {
	ID       string // "" while it does not exist
	Doing    Doing
	Health   resource.Health
	Message  string // a few words on the health
	Failure  string // of the last action, or of the observation; "": none
	Observed time.Time
	Attrs    resource.Attrs // as observed, without secrets

	Suggestion string // what to do about Failure
}

// Doing is what is being done to a resource.
type Doing uint8

// What is being done.
const (
	Nothing Doing = iota
	Creating
	Deleting
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
	// GroupOf is the group that a value names by itself; "" if none. Nil: no value does.
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

// Load reads a source and resolves what it read.
func Load(ctx context.Context, s Source) ([]resource.Intent, error) {
	drafts, err := s.Load(ctx)
	if err != nil {
		return nil, err
	}
	intents, problems := Resolve(drafts)
	if len(problems) > 0 {
		return nil, problems
	}
	return intents, nil
}
