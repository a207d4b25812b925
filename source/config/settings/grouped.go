package settings

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// readGrouped reads an option of a provider that each group of locations, such as an account, may have its own value
// of: the document's is that of the group of its location, or of the whole stack if that has none.
func (d *Setter) readGrouped(n *source.Node, provider string, option *source.OptionRule) {
	key := option.Key
	name := "options." + provider + "." + key
	text, ok := d.Text(n, name)
	if !ok {
		return
	}
	rule := d.Opts.LocationOf(provider).Group
	all := resource.ParseGrouped(d.Settings.Options.Providers[provider][key], rule.Pattern)
	if option.GroupOf != nil && !d.enter(n, provider, name, option.GroupOf(text)) {
		return
	}
	values := resource.ParseGrouped(text, rule.Pattern)
	if own := d.group(provider); own != "" && values[""] != "" {
		if other := values[own]; other != "" {
			d.Wrong(n, fmt.Sprintf("%s has two values for %s %s: %s and %s", name, rule.Word, own, values[""], other),
				"remove one")
			return
		}
		values[own] = values[""]
		delete(values, "")
	}
	for _, group := range slices.Sorted(maps.Keys(values)) {
		if !d.setGrouped(name, group, n, values[group], all[group]) {
			return
		}
	}
	all.Or(values)
	d.Settings.setOption(provider, key, strings.Clone(all.String()))
}

// enter puts a document into the group that an option of it names, as the ARN of a role names its account: its location
// without a group is one in it. The option of a stack's only document, or of one without a location, is for the whole
// stack. Which document comes first does not matter. What the location says is not changed: another group in the option
// is refused.
func (d *Setter) enter(n *source.Node, provider, name, of string) bool {
	own := d.group(provider)
	switch rule := d.Opts.LocationOf(provider); {
	case of == "" || own == of || d.Provider != provider || d.Location == "":
	case own != "":
		d.Wrong(n, fmt.Sprintf("%s is of %s %s, and the %s of this document is in %s %s", name, rule.Group.Word, of,
			rule.Word, rule.Group.Word, own), "use the same "+rule.Group.Word+" in both")
		return false
	case d.Several && !strings.Contains(d.Location, "/"):
		d.Within, d.Location = of, of+"/"+d.Location
	}
	return true
}

// group is what the location of the document is in; "" where it has none, or is another provider's.
func (d *Setter) group(provider string) string {
	rule := d.Opts.LocationOf(provider).Group
	group, _, located := strings.Cut(d.Location, "/")
	if d.Location == "" { // each block has its own location
		group, located = d.Within, d.Within != ""
	}
	if d.Provider != provider || !located || rule.Pattern == "" ||
		!regexp.MustCompile(`^(?:`+rule.Pattern+`)$`).MatchString(group) {
		return ""
	}
	return group
}

// setGrouped keeps where the value for a group was set. Set again it must be the same.
func (d *Setter) setGrouped(name, group string, n *source.Node, value, before string) bool {
	first, again := d.Settings.Set[name+" "+group]
	if !again {
		d.Settings.Set[name+" "+group] = Setting{at: d.File.At(n.Line, n.Column)}
		return true
	}
	if value == before {
		return true
	}
	rule := d.Opts.LocationOf(d.Provider)
	of, hint := "", "set it once: it is for the whole stack"
	switch {
	case group != "":
		of, hint = " for "+group, "set it once: it is for all of them"
	case d.Provider != "" && rule.Group.Example != "":
		hint = fmt.Sprintf("set it once, or give each document a %s with its %s, for example %s: %s", rule.Word,
			rule.Group.Word, rule.Word, rule.Group.Example)
	}
	d.disagree(n, fmt.Sprintf("conflicting %s%s: %s here, and %s at %s", name, of, value, before, first.at), hint)
	return false
}
