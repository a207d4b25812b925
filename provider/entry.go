package provider

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Entry is one line of the table of providers.
type Entry struct {
	Name, Doc string
	// Example is the shortest block that plans, such as "type: vpc, cidr: 10.0.0.0/16".
	Example   string
	Locations Locations
	Options   []Option
	// Kinds lists the schemas without opening anything.
	Kinds func() []resource.Kind
	// Permissions returns what its credentials must be allowed to do, in the form that the
	// system reads. Nil: there is no such form.
	Permissions func() []byte
	// PermissionsFor returns those that configurations need, with what limits them to these, as several documents that
	// are all needed if the system does not take them in one. It is pure. Nil: there is no such form.
	PermissionsFor func([]resource.Intent) [][]byte
	// ByHand returns the commands with which a user would do an operation by hand, for a shell, without
	// the value of any secret. It is pure. Nil: there are no such commands.
	ByHand func(Operation) []string
	// Exports are the programs that can manage its resources instead; the first is the default.
	Exports []Export
	// Terraform are the types of Terraform that its kinds cover, for `ovi import terraform`.
	Terraform map[string]Foreign
	// Sandbox: the provider has a sandbox, which Config.Sandbox opens.
	Sandbox bool
	// Open makes the provider. It does no I/O that needs the system to be reachable.
	Open func(context.Context, Config) (Provider, error)
}

// Foreign is what a type of another program is here.
type Foreign struct {
	Kind string
	// ID is the attribute that has what the provider calls the ID, or several, which are joined: "zone_id/fqdn/type".
	// "" is "id".
	ID string
	// PartOf is the kind that has all of it among its attributes, instead of Kind: it is no resource of its own.
	PartOf string
}

// Locations describes a provider's locations and how a configuration writes them.
type Locations struct {
	Word    string // the provider's word for a location: "region", "host", "site"
	Example string
	Pattern string // regular expression that a whole location in a configuration must match
	// Required: a configuration must set the location. Otherwise Default is used.
	Required bool
	// Default returns the location of resources that set none, from the provider's options; ""
	// if there is none. Nil: there is none.
	Default func(option func(key string) string) string
	// Sandbox reports whether a resolved location is one of the provider's sandbox. Pure.
	Sandbox func(location string) bool
	// Group is what locations are grouped by, such as accounts, for Option.Grouped. Zero: by nothing.
	Group Group
}

// Group is the part of a location before its first slash that options can be set for.
type Group struct {
	Word    string // "account"
	Pattern string // regular expression of a whole group: "[0-9]{12}"
	Example string // a location with its group
}

// Option is one setting of a provider: --NAME-KEY (or --FLAG), OVI_NAME_KEY (or one of Env),
// and options.NAME.KEY in a file, in this order.
type Option struct {
	Key, Doc, Default string
	Flag              string // instead of NAME-KEY
	Env               []string
	Secret            bool // not written to plan files
	Operator          bool // only of the command line and the environment: it runs a program
	// Grouped: there may be a value for each group of locations, as resource.Grouped has them. A document of a
	// configuration sets it for the group of its location.
	Grouped bool
	// GroupOf is the group that a value names by itself, as the ARN of a role has its account; "" if none. Pure. Nil:
	// no value does.
	GroupOf func(value string) string
}

// Config is passed to Entry.Open.
type Config struct {
	Options func(key string) string
	// Sandbox is the directory of the provider's sandbox; "": the real system.
	Sandbox string
	Owner   string
	Clock   func() time.Time
	// Digest returns the keyed digest of a secret.
	Digest func(ref resource.Ref, path, plain string) resource.Digest
	// Plain returns the secret of a configuration that was read, by its keyed digest; false if none
	// has it. It serves to keep the secret out of texts. It may be nil.
	Plain func(resource.Digest) (plain string, known bool)
	// Changed requests an observation of a scope that reports by itself. It may be nil.
	Changed func(resource.Scope)
	// Alarm hears of what only an attack or a mistake explains, for an operator. It may be nil.
	Alarm func(Alarm)
	// Ordered hears all orders of a central orchestrator for a site, whenever they change. It may be nil.
	Ordered func(site string, o Orders)
	// Version is what was read last of a stack's configuration, such as a commit; "": unknown. It may
	// be nil.
	Version func(stack string) string
}

// Alarm is something that only an attack or a mistake explains.
type Alarm struct {
	Scope resource.Scope // zero: of none
	At    time.Time
	Text  string
}
