package provider

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// CredentialFile is a file with credentials: in the variable, else under the home folder.
type CredentialFile struct{ Variable, Home string }

// Entry is one line of the table of providers.
type Entry struct {
	// Credentials are the files of the user from which the provider takes credentials, so that no text quotes them.
	Credentials []CredentialFile
	Name, Doc   string
	// Example is the shortest block that plans, such as "type: vpc, cidr: 10.0.0.0/16".
	Example   string
	Locations Locations
	Options   []Option
	// Kinds lists the schemas without opening anything.
	Kinds func() []resource.Kind
	// Permissions returns what its credentials must be allowed to do, in the form that the
	// system reads. Nil: there is no such form.
	Permissions func() []byte
	// PermissionsFor returns the permissions that configurations need, limited to these configurations. If
	// the system does not take them in one document, it returns several, which are all needed. It is pure.
	// Nil means that there is no such form.
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

// Foreign maps a type of another program to a kind of ovi.
type Foreign struct {
	Kind string
	// ID is the attribute that has what the provider calls the ID, or several, which are joined: "zone_id/fqdn/type".
	// "" is "id".
	ID string
	// PartOf is set instead of Kind if the type is not a separate resource: it is the kind whose attributes
	// contain all of it.
	PartOf string
	// Name is the attribute that has the name by which the system knows the resource; "" if it has none.
	Name string
	// Attrs maps attributes of its source code, as dotted paths, to attributes of the kind. Package code of the importer
	// documents the forms. An attribute with the same name needs no entry.
	Attrs map[string]string
	// Of, with PartOf, is the attribute that refers to the whole. Into is the list of the whole that it adds an
	// element to; "?" is the list that its attribute type names, and "policies{name}=policy" is a map that gets an entry,
	// by two of its attributes. Sets are attributes of the whole that it sets; without
	// PartOf, those that have another default there.
	Of, Into string
	Sets     map[string]any
	// Document is set instead of Kind if the type is a data source that makes a JSON document of its blocks. It maps
	// dotted paths to members of the document: "Sid"; "Effect=Allow", with a default; "Statement[]", a list of objects;
	// "Condition{test}{variable}=values", the attribute values under the constant values of two others.
	Document map[string]string
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
	// Group is the group of locations, such as accounts, for Option.Grouped. The zero value means no
	// groups.
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
	// GroupOf returns the group that a value names, such as the account in the ARN of a role, or "". It is
	// pure. Nil means that no value names a group.
	GroupOf func(value string) string
}

// Config is passed to Entry.Open.
type Config struct {
	Options func(key string) string
	// Given returns an option that an operator set, and ignores configurations. It may be
	// nil.
	Given func(key string) string
	// Sandbox is the directory of the provider's sandbox; "" means the real system.
	Sandbox string
	Owner   string
	Clock   func() time.Time
	// Digest returns the keyed digest of a secret.
	Digest func(ref resource.Ref, path, plain string) resource.Digest
	// Changed requests an observation of a scope that sends reports. It may be nil.
	Changed func(resource.Scope)
	// Alarm reports an event that only an attack or a mistake explains, for an operator. It may be nil.
	Alarm func(Alarm)
	// Ordered hears all orders of a central orchestrator for a site, whenever they change. It may be nil.
	Ordered func(site string, o Orders)
	// Version returns the version of a stack's configuration that was read last, such as a commit; "" means
	// unknown. It may be nil.
	Version func(stack string) string
}

// Alarm is something that only an attack or a mistake explains.
type Alarm struct {
	Scope resource.Scope // zero: of none
	At    time.Time
	Text  string
}
