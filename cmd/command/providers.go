package command

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"
	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/exposed"
	"github.com/ovi-project/ovi/storage"
)

// Entries are the providers there are.
func (p *Process) Entries() []provider.Entry { return p.Table(p, hclog.NewNullLogger()) }

// FlagOf is the name of a provider's option on the command line.
func FlagOf(entry string, o provider.Option) string {
	if o.Flag != "" {
		return o.Flag
	}
	return entry + "-" + o.Key
}

// variablesOf are the environment variables of a provider's option, the first one that is set wins.
func variablesOf(entry string, o provider.Option) []string {
	return append([]string{"OVI_" + variable(entry) + "_" + variable(o.Key)}, o.Env...)
}

func variable(s string) string { return strings.ToUpper(strings.ReplaceAll(s, "-", "_")) }

// ProviderFlags are the options of all providers.
func ProviderFlags(p *Process) []urfave.Flag {
	var out []urfave.Flag
	for _, e := range p.Entries() {
		for _, o := range e.Options {
			text := o.Doc + " (" + strings.Join(variablesOf(e.Name, o), ", ")
			if o.Default != "" {
				text += "; default " + o.Default
			}
			out = append(out, &urfave.StringFlag{Name: FlagOf(e.Name, o), Category: cli.Everywhere, Usage: text + ")"})
		}
	}
	return out
}

// flagged is the value that the command line gives to a provider's option; "" if it gives none.
func (c *Call) flagged(e provider.Entry, o provider.Option) string {
	return c.Cmd.String(FlagOf(e.Name, o))
}

// Option is the value of a provider's option: of the command line, the environment, the
// configuration, or its default.
func (c *Call) Option(e provider.Entry, key string, intents []resource.Intent) string {
	i := slices.IndexFunc(e.Options, func(o provider.Option) bool { return o.Key == key })
	if i < 0 {
		return ""
	}
	o := e.Options[i]
	if o.Grouped {
		return grouped(c, e, o, intents)
	}
	if v := c.flagged(e, o); v != "" {
		return v
	}
	for _, name := range variablesOf(e.Name, o) {
		if v := c.Getenv(name); v != "" {
			return v
		}
	}
	if o.Operator {
		return o.Default
	}
	for _, in := range intents {
		if v := in.Options.Providers[e.Name][key]; v != "" {
			return v
		}
	}
	return o.Default
}

// grouped joins the values for all groups of locations. One for a group is used rather than one for all, wherever both
// are set; of two for the same, that of the command line, the environment or the first stack.
func grouped(c *Call, e provider.Entry, o provider.Option, intents []resource.Intent) string {
	texts := []string{c.flagged(e, o)}
	for _, name := range variablesOf(e.Name, o) {
		texts = append(texts, c.Getenv(name))
	}
	for _, in := range intents {
		texts = append(texts, in.Options.Providers[e.Name][o.Key])
	}
	all := resource.Grouped{}
	for _, text := range append(texts, o.Default) {
		all.Or(resource.ParseGrouped(text, e.Locations.Group.Pattern))
	}
	return all.String()
}

// Providers opens the providers. What they opened is closed when the command ends.
func Providers(c *Call, dir string, intents []resource.Intent) (provider.Set, []Closer, error) {
	set, o := provider.Set{}, opener{Call: c, dir: dir}
	for _, e := range c.Table(c.Process, c.Log) {
		opened, err := o.open(e, intents)
		if err != nil {
			return nil, o.closers, err
		}
		if opened != nil {
			set[e.Name] = opened
		}
	}
	return set, o.closers, nil
}

// opener opens providers, and keeps their closers.
type opener struct {
	*Call
	dir     string
	closers []Closer
	warned  bool
}

// open opens a provider for stacks; nil if it has no sandbox and the command uses sandboxes.
func (o *opener) open(e provider.Entry, intents []resource.Intent) (provider.Provider, error) {
	c, digests := o.Call, &Digester{File: o.SecretsKey(o.dir)}
	config := provider.Config{
		Options: func(key string) string { return c.Option(e, key, intents) },
		Given:   func(key string) string { return c.Option(e, key, nil) },
		Owner:   c.Getenv("OVI_OWNER"), Clock: c.Now, Changed: c.Reported, Version: c.versionOf, Alarm: c.alarm,
		Ordered: c.Ordered,
		Digest:  digests.Digest,
	}
	if c.Sandboxed() {
		if !e.Sandbox && used(intents, e.Name) {
			return nil, cli.Usage("omit --sandbox, and use another --data-dir", "provider %s has no sandbox", e.Name)
		}
		if !e.Sandbox {
			return nil, nil
		}
		config.Sandbox = filepath.Join(o.dir, SandboxDir)
		if servedSandbox(c.Process) && used(intents, e.Name) && !o.warned {
			o.warned = true
			c.Out.Warn("the sandbox of this data directory is used, not the endpoint of the environment",
				"use another --data-dir for the endpoint")
		}
	}
	opened, err := e.Open(c, config)
	if err != nil {
		return nil, err
	}
	if x, ok := opened.(io.Closer); ok {
		o.closers = append(o.closers, x.Close)
	}
	return opened, nil
}

// alarm is provider.Config.Alarm.
func (c *Call) alarm(a provider.Alarm) {
	if c.Alarmed != nil {
		c.Alarmed(a)
		return
	}
	c.Out.Warn(a.Text, "")
}

// used reports whether a configuration has resources of a provider.
func used(intents []resource.Intent, name string) bool {
	return slices.ContainsFunc(Configured(intents), func(r resource.Ref) bool { return r.Provider == name })
}

// SandboxDir is the folder of the sandboxes, in a data directory.
const SandboxDir = "sandbox"

// Sandboxed reports whether all providers use their sandboxes.
func (c *Call) Sandboxed() bool { return sandboxOf(c) }

// Schemas are the kinds of all providers, without opening any.
func Schemas(p *Process) provider.Set {
	set := provider.Set{}
	for _, e := range p.Entries() {
		set[e.Name] = kindsOnly{kinds: sync.OnceValue(e.Kinds)}
	}
	return set
}

// kindsOnly is a provider that knows its kinds only.
type kindsOnly struct {
	provider.Provider
	kinds func() []resource.Kind
}

// Kinds lists the schemas.
func (k kindsOnly) Kinds() []resource.Kind { return k.kinds() }

// Checks is what a configuration is checked with.
func (c *Call) Checks() source.Options {
	return source.Options{
		Schemas: Schemas(c.Process), Location: func(name string) source.LocationRule {
			for _, e := range c.Entries() {
				if e.Name != name {
					continue
				}
				rule := source.LocationRule{
					Word: e.Locations.Word, Example: e.Locations.Example, Pattern: e.Locations.Pattern,
					Required: e.Locations.Required, Group: source.GroupRule(e.Locations.Group),
				}
				if e.Locations.Default != nil {
					rule.Default = e.Locations.Default(func(key string) string { return c.Option(e, key, nil) })
				}
				return rule
			}
			return source.LocationRule{}
		}, ProviderOptions: func(name string) []source.OptionRule { return optionRules(c, name) },
		Foreign: func(provider string, name string) (kind, partOf string) {
			for _, e := range c.Entries() {
				if e.Name == provider {
					return e.Terraform[name].Kind, e.Terraform[name].PartOf
				}
			}
			return "", ""
		},
	}
}

// ChecksForSecrets is Checks that also finds the evident secrets in plain text, as Exposed.
func (c *Call) ChecksForSecrets() source.Options {
	found, checks := exposed.New(Schemas(c.Process)), c.Checks()
	c.Exposed.Store(found)
	checks.Added = found.Added
	return checks
}

// optionRules are the options of a provider that a configuration may set.
func optionRules(c *Call, name string) []source.OptionRule {
	var out []source.OptionRule
	for _, e := range c.Entries() {
		for _, o := range e.Options {
			if e.Name == name {
				out = append(out, source.OptionRule{
					Key: o.Key, Doc: o.Doc, Example: o.Default, Secret: o.Secret, Operator: o.Operator, Grouped: o.Grouped,
					GroupOf: o.GroupOf,
					Flag:    FlagOf(name, o), Variable: variablesOf(name, o)[0],
				})
			}
		}
	}
	return out
}

// RightCloud refuses to use real systems with a data directory of a sandbox, and the other way
// around, before anything is recorded. A data directory of both is accepted.
func RightCloud(c *Call, l *ledger.Ledger) error {
	scans, err := l.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	var practice, real resource.Scope
	for _, s := range scans {
		switch sandbox, known := inSandbox(c, s.Scope); {
		case !known: // never observed, or a provider without locations of its own
		case sandbox:
			practice = s.Scope
		default:
			real = s.Scope
		}
	}
	none := resource.Scope{}
	switch {
	case !c.Sandboxed() && practice != none && real == none && !servedSandbox(c.Process):
		return cli.Usage("add --sandbox; for real systems use another --data-dir", "this data directory is of the sandbox")
	case c.Sandboxed() && real != none && practice == none:
		return cli.Usage("omit --sandbox; for the sandbox use another --data-dir",
			"this data directory is of %s, not of the sandbox", real)
	}
	return nil
}

// inSandbox reports whether a scope is of a sandbox; known is false where that cannot be told.
func inSandbox(c *Call, s resource.Scope) (sandbox, known bool) {
	for _, e := range c.Entries() {
		if e.Name == s.Provider && e.Locations.Sandbox != nil && strings.Contains(s.Location, "/") {
			return e.Locations.Sandbox(s.Location), true
		}
	}
	return false, false
}

// SameCloud refuses to ask a real system about a resource of the sandbox.
func SameCloud(c *Call, ref resource.Ref) error {
	if sandbox, known := inSandbox(c, ref.Scope()); c.Sandboxed() || !known || !sandbox || servedSandbox(c.Process) {
		return nil
	}
	return cli.Usage("add --sandbox", "%s is in the sandbox", ref.Short())
}

// servedSandbox reports whether a provider may be used with a sandbox that another process serves.
func servedSandbox(p *Process) bool { return p.Getenv("AWS_ENDPOINT_URL") != "" }
