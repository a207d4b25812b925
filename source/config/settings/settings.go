package settings

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/read"
)

// Settings is what applies to the whole stack, whichever document sets it.
type Settings struct {
	Stack   string
	Rules   rules.Rules
	Options resource.Options
	// Identifier is the Identifier of the draft.
	Identifier string
	Set        map[string]Setting
}

// Setter reads the settings of one document into those of its stack.
type Setter struct {
	*read.Reader
	Settings *Settings
	Location string // of the document's provider
	Within   string // the group that its options name, for locations without one
	Several  bool   // the stack may have more than one document
}

// Setting is where something was set first, and the value as written.
type Setting struct {
	at    position.Position
	value string
}

// named is the form of stack names, unfit is removed from a folder's name, and fit is the form of
// locations.
var (
	named = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	Fit   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@/#-]{0,99}$`)
	Unfit = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
)

// setOnce keeps where a setting was set. Set again it must be the same.
func (d *Setter) setOnce(name string, n *source.Node, same bool) bool {
	first, again := d.Settings.Set[name]
	switch {
	case !again:
		d.Settings.Set[name] = Setting{d.File.At(n.Line, n.Column), n.Text}
	case !same:
		d.disagree(n, fmt.Sprintf("conflicting %s: %s here, and %s at %s", name, n.Text, first.value, first.at),
			"set it once: it is for the whole stack")
		return false
	}
	return true
}

// ReadStack reads the name of the stack.
func (d *Setter) ReadStack(n *source.Node) {
	s, ok := d.Text(n, "stack")
	switch {
	case !ok:
	case !named.MatchString(s):
		d.Wrong(n, "invalid stack name "+source.Quote(s), "use letters, digits, '.', '_' and '-', at most 100")
	case d.setOnce("stack", n, s == d.Settings.Stack):
		d.Settings.Stack = s
	}
}

func (d *Setter) readSkipDestructive(n *source.Node) {
	if v, ok := d.Boolean(n, "skip_destructive"); ok {
		d.Settings.Rules.SkipDestructive = v || d.Settings.Rules.SkipDestructive
	}
}

func (d *Setter) readDestroy(n *source.Node) {
	s, ok := d.Text(n, "destroy")
	switch auto := s == "auto"; {
	case !ok:
	case !auto && s != "manual":
		d.Wrong(n, "invalid destroy "+source.Quote(s), "use auto or manual")
	case d.setOnce("destroy", n, auto == d.Settings.Rules.DestroyAuto):
		d.Settings.Rules.DestroyAuto = auto
	}
}

func (d *Setter) readMaxDestroy(n *source.Node) {
	s, ok := d.Text(n, "max_destroy")
	if !ok {
		return
	}
	budget, err := rules.ParseBudget(s)
	if err != nil {
		d.Wrong(n, "invalid max_destroy "+source.Quote(s),
			"use a number of resources, for example 10, or a share, for example 10%")
		return
	}
	if d.setOnce("max_destroy", n, budget == d.Settings.Rules.MaxDestroy) {
		d.Settings.Rules.MaxDestroy = budget
	}
}

func (d *Setter) readAttempts(n *source.Node) {
	v, ok := d.Whole(n, "attempts", 1, 1000)
	if ok && d.setOnce("attempts", n, v == d.Settings.Rules.Attempts.Count) {
		d.Settings.Rules.Attempts.Count = v
	}
}

func (d *Setter) readParallelism(n *source.Node) {
	v, ok := d.Whole(n, "parallelism", 1, 1000)
	if ok && d.setOnce("parallelism", n, v == d.Settings.Options.Parallelism) {
		d.Settings.Options.Parallelism = v
	}
}

// disagree reports a setting that two documents set to different values. Which of them is wrong is not known, so it is
// a problem of the whole source.
func (d *Setter) disagree(n *source.Node, summary, suggestion string) {
	d.Draft.Problem(source.Problem{
		At: d.File.At(n.Line, n.Column), Summary: summary, Suggestion: suggestion, Others: []position.Position{{}},
	})
}

// readUnreadMaxAge reads how long an unread source is enough to create again what is missing.
func (d *Setter) readUnreadMaxAge(n *source.Node) {
	s, ok := d.Text(n, "unread_max_age")
	if !ok {
		return
	}
	age, err := time.ParseDuration(s)
	switch {
	case s == "none":
		age = rules.Unlimited
	case err != nil || age < time.Minute:
		d.Wrong(n, "invalid unread_max_age "+source.Quote(s), "use a duration of at least 1m, for example 168h, or none")
		return
	}
	if d.setOnce("unread_max_age", n, age == d.Settings.Rules.UnreadMaxAge) {
		d.Settings.Rules.UnreadMaxAge = age
	}
}

func (d *Setter) readClaimTTL(n *source.Node) {
	s, ok := d.Text(n, "claim_ttl")
	if !ok {
		return
	}
	ttl, err := time.ParseDuration(s)
	if err != nil || ttl < time.Second || ttl > 24*time.Hour {
		d.Wrong(n, "invalid claim_ttl "+source.Quote(s), "use a duration between 1s and 24h, for example 90s or 5m")
		return
	}
	if d.setOnce("claim_ttl", n, ttl == d.Settings.Options.ClaimTTL) {
		d.Settings.Options.ClaimTTL = ttl
	}
}

// readProviderOptions reads options.NAME of a provider.
func (d *Setter) readProviderOptions(n *source.Node, provider string) {
	if n.Shape != source.Object {
		d.Wrong(n, "options."+provider+" must be a block of keys, got "+n.Form(), "use KEY: VALUE lines")
		return
	}
	d.Duplicates(n)
	rules := d.Opts.ProviderOptions(provider)
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
func (d *Setter) readProviderOption(k, v *source.Node, provider string, rules []source.OptionRule, names []string) {
	at := slices.IndexFunc(rules, func(r source.OptionRule) bool { return r.Key == k.Text })
	switch {
	case at < 0:
		d.Wrong(k, "unknown option "+source.Quote(k.Text)+" of provider "+provider, source.Suggest(k.Text, names))
		return
	case rules[at].Secret:
		d.Wrong(k, "the option "+k.Text+" of provider "+provider+" is a secret", "set it in the environment")
		return
	case rules[at].Operator:
		d.Wrong(k, "the option "+k.Text+" of provider "+provider+
			" runs a program, and a configuration may come from another host",
			"remove it; if you trust the program, set it with --"+rules[at].Flag+" or in the environment: "+rules[at].Variable)
		return
	}
	if rules[at].Grouped {
		d.readGrouped(v, provider, &rules[at])
		return
	}
	name := "options." + provider + "." + k.Text
	value, ok := d.Text(v, name)
	if ok && d.setOnce(name, v, value == d.Settings.Options.Providers[provider][k.Text]) {
		d.Settings.setOption(provider, k.Text, value)
	}
}

func (s *Settings) setOption(provider, key, value string) {
	if s.Options.Providers == nil {
		s.Options.Providers = map[string]map[string]string{}
	}
	if s.Options.Providers[provider] == nil {
		s.Options.Providers[provider] = map[string]string{}
	}
	s.Options.Providers[provider][key] = value
}

// ReadIgnore reads a list for all kinds, or lists by kind.
func (d *Setter) ReadIgnore(n *source.Node) {
	if n.Shape != source.Object {
		if paths := d.paths(n); len(paths) > 0 {
			d.Settings.Rules.Ignore = append(d.Settings.Rules.Ignore, rules.Ignore{Paths: paths})
		}
		return
	}
	d.Duplicates(n)
	for i := 0; i+1 < len(n.Kids); i += 2 {
		name := n.Kids[i].Text
		if names := d.KindNames(); !slices.Contains(names, name) {
			d.Wrong(&n.Kids[i], "unknown type "+source.Quote(name), source.Suggest(name, names))
			continue
		}
		if paths := d.paths(&n.Kids[i+1], name); len(paths) > 0 {
			d.Settings.Rules.Ignore = append(d.Settings.Rules.Ignore, rules.Ignore{Kind: name, Paths: paths})
		}
	}
}

// paths reads patterns of paths, of one kind or of all.
func (d *Setter) paths(n *source.Node, kinds ...string) []string {
	if n.Shape != source.List {
		d.Wrong(n, "ignore must be a list of paths, got "+n.Form(), "use ignore: [tags.LastScan]")
		return nil
	}
	var out []string
	for i := range n.Kids {
		s, ok := d.Text(&n.Kids[i], "a path of ignore")
		if !ok {
			continue
		}
		if summary, suggestion := d.CheckIgnore(s, kinds); summary != "" {
			d.Wrong(&n.Kids[i], summary, suggestion)
			continue
		}
		out = append(out, s)
	}
	return out
}
