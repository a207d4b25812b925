package config

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
)

// settings is what applies to the whole stack, whichever document sets it.
type settings struct {
	stack   string
	rules   rules.Rules
	options resource.Options
	set     map[string]setting
}

// setter reads the settings of one document into those of its stack.
type setter struct {
	*reader
	settings *settings
	location string // of the document's provider
	within   string // the group that its options name, for locations without one
	several  bool   // the stack may have more than one document
}

// setting is where something was set first, and the value as written.
type setting struct {
	at    position.Position
	value string
}

// named is the form of stack names, unfit is removed from a folder's name, and fit is the form of
// locations.
var (
	named = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	fit   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@/#-]{0,99}$`)
	unfit = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
)

// setOnce keeps where a setting was set. Set again it must be the same.
func (d *setter) setOnce(name string, n *source.Node, same bool) bool {
	first, again := d.settings.set[name]
	switch {
	case !again:
		d.settings.set[name] = setting{d.file.at(n.Line, n.Column), n.Text}
	case !same:
		d.wrong(n, fmt.Sprintf("conflicting %s: %s here, and %s at %s", name, n.Text, first.value, first.at), "set it once: it is for the whole stack")
		return false
	}
	return true
}

func (d *setter) readStack(n *source.Node) {
	s, ok := d.text(n, "stack")
	switch {
	case !ok:
	case !named.MatchString(s):
		d.wrong(n, "invalid stack name "+source.Quote(s), "use letters, digits, '.', '_' and '-', at most 100")
	case d.setOnce("stack", n, s == d.settings.stack):
		d.settings.stack = s
	}
}

func (d *setter) readSkipDestructive(n *source.Node) {
	if v, ok := d.boolean(n, "skip_destructive"); ok {
		d.settings.rules.SkipDestructive = v || d.settings.rules.SkipDestructive
	}
}

func (d *setter) readDestroy(n *source.Node) {
	s, ok := d.text(n, "destroy")
	switch auto := s == "auto"; {
	case !ok:
	case !auto && s != "manual":
		d.wrong(n, "invalid destroy "+source.Quote(s), "use auto or manual")
	case d.setOnce("destroy", n, auto == d.settings.rules.DestroyAuto):
		d.settings.rules.DestroyAuto = auto
	}
}

func (d *setter) readMaxDestroy(n *source.Node) {
	s, ok := d.text(n, "max_destroy")
	if !ok {
		return
	}
	budget, err := rules.ParseBudget(s)
	if err != nil {
		d.wrong(n, "invalid max_destroy "+source.Quote(s), "use a number of resources, for example 10, or a share, for example 10%")
		return
	}
	if d.setOnce("max_destroy", n, budget == d.settings.rules.MaxDestroy) {
		d.settings.rules.MaxDestroy = budget
	}
}

func (d *setter) readAttempts(n *source.Node) {
	v, ok := d.whole(n, "attempts", 1, 1000)
	if ok && d.setOnce("attempts", n, v == d.settings.rules.Attempts.Count) {
		d.settings.rules.Attempts.Count = v
	}
}

func (d *setter) readParallelism(n *source.Node) {
	v, ok := d.whole(n, "parallelism", 1, 1000)
	if ok && d.setOnce("parallelism", n, v == d.settings.options.Parallelism) {
		d.settings.options.Parallelism = v
	}
}

func (d *setter) readClaimTTL(n *source.Node) {
	s, ok := d.text(n, "claim_ttl")
	if !ok {
		return
	}
	ttl, err := time.ParseDuration(s)
	if err != nil || ttl < time.Second || ttl > 24*time.Hour {
		d.wrong(n, "invalid claim_ttl "+source.Quote(s), "use a duration between 1s and 24h, for example 90s or 5m")
		return
	}
	if d.setOnce("claim_ttl", n, ttl == d.settings.options.ClaimTTL) {
		d.settings.options.ClaimTTL = ttl
	}
}

// readProviderOptions reads options.NAME of a provider.
func (d *setter) readProviderOptions(n *source.Node, provider string) {
	if n.Shape != source.Object {
		d.wrong(n, "options."+provider+" must be a block of keys, got "+n.Form(), "use KEY: VALUE lines")
		return
	}
	d.duplicates(n)
	rules := d.opts.ProviderOptions(provider)
	var names []string
	for _, r := range rules {
		if !r.Secret && !r.Operator {
			names = append(names, r.Key)
		}
	}
	naming := func(k *source.Node) bool {
		return slices.ContainsFunc(rules, func(r source.OptionRule) bool { return r.Key == k.Text && r.GroupOf != nil })
	}
	for i := 0; i+1 < len(n.Kids); i += 2 { // first, since the other values are of the group that it names
		if k := &n.Kids[i]; naming(k) {
			d.readProviderOption(k, &n.Kids[i+1], provider, rules, names)
		}
	}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		if k := &n.Kids[i]; !naming(k) {
			d.readProviderOption(k, &n.Kids[i+1], provider, rules, names)
		}
	}
}

// readProviderOption reads one of them; names are those that may be set.
func (d *setter) readProviderOption(k, v *source.Node, provider string, rules []source.OptionRule, names []string) {
	at := slices.IndexFunc(rules, func(r source.OptionRule) bool { return r.Key == k.Text })
	switch {
	case at < 0:
		d.wrong(k, "unknown option "+source.Quote(k.Text)+" of provider "+provider, source.Suggest(k.Text, names))
		return
	case rules[at].Secret:
		d.wrong(k, "the option "+k.Text+" of provider "+provider+" is a secret", "set it in the environment")
		return
	case rules[at].Operator:
		d.wrong(k, "the option "+k.Text+" of provider "+provider+" runs a program, and a configuration may come from another host",
			"remove it; if you trust the program, set it with --"+rules[at].Flag+" or in the environment: "+rules[at].Variable)
		return
	}
	if rules[at].Grouped {
		d.readGrouped(v, provider, &rules[at])
		return
	}
	name := "options." + provider + "." + k.Text
	value, ok := d.text(v, name)
	if ok && d.setOnce(name, v, value == d.settings.options.Providers[provider][k.Text]) {
		d.settings.setOption(provider, k.Text, value)
	}
}

func (s *settings) setOption(provider, key, value string) {
	if s.options.Providers == nil {
		s.options.Providers = map[string]map[string]string{}
	}
	if s.options.Providers[provider] == nil {
		s.options.Providers[provider] = map[string]string{}
	}
	s.options.Providers[provider][key] = value
}

// readIgnore reads a list for all kinds, or lists by kind.
func (d *setter) readIgnore(n *source.Node) {
	if n.Shape != source.Object {
		if paths := d.paths(n); len(paths) > 0 {
			d.settings.rules.Ignore = append(d.settings.rules.Ignore, rules.Ignore{Paths: paths})
		}
		return
	}
	d.duplicates(n)
	for i := 0; i+1 < len(n.Kids); i += 2 {
		name := n.Kids[i].Text
		if names := d.kindNames(); !slices.Contains(names, name) {
			d.wrong(&n.Kids[i], "unknown type "+source.Quote(name), source.Suggest(name, names))
			continue
		}
		if paths := d.paths(&n.Kids[i+1], name); len(paths) > 0 {
			d.settings.rules.Ignore = append(d.settings.rules.Ignore, rules.Ignore{Kind: name, Paths: paths})
		}
	}
}

// paths reads patterns of paths, of one kind or of all.
func (d *setter) paths(n *source.Node, kinds ...string) []string {
	if n.Shape != source.List {
		d.wrong(n, "ignore must be a list of paths, got "+n.Form(), "use ignore: [tags.LastScan]")
		return nil
	}
	var out []string
	for i := range n.Kids {
		s, ok := d.text(&n.Kids[i], "a path of ignore")
		if !ok {
			continue
		}
		if summary, suggestion := d.checkIgnore(s, kinds); summary != "" {
			d.wrong(&n.Kids[i], summary, suggestion)
			continue
		}
		out = append(out, s)
	}
	return out
}
