package command

import (
	"regexp"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// ProvidersApart opens the providers for stacks that are planned one by one, and returns a set for each stack. Where
// stacks have different options of a provider with credentials, each has a provider of its own: none acts with the
// credentials of another. The closers are called when the command ends.
func ProvidersApart(c *Call, dir string, intents []resource.Intent) ([]provider.Set, []Closer, error) {
	sets := make([]provider.Set, len(intents))
	for i := range sets {
		sets[i] = provider.Set{}
	}
	o := opener{Call: c, dir: dir}
	for _, e := range c.Table(c.Process, c.Log) {
		opened := map[string]provider.Provider{}
		for i := range intents {
			key, of := "", intents
			if separable(e) {
				of = intents[i : i+1]
				key = optionsText(c, e, of)
			}
			p, again := opened[key]
			if !again {
				var err error
				if p, err = o.open(e, of); err != nil {
					return nil, o.closers, err
				}
				opened[key] = p
			}
			if p != nil {
				sets[i][e.Name] = p
			}
		}
	}
	return sets, o.closers, nil
}

// separable reports whether several stacks of a process can each have a provider of their own: one that acts with
// credentials. Others listen, or run programs of the host.
func separable(e provider.Entry) bool { return e.Locations.Group.Pattern != "" }

// optionsText is equal for stacks with the same options of a provider.
func optionsText(c *Call, e provider.Entry, intents []resource.Intent) string {
	var b strings.Builder
	for _, o := range e.Options {
		b.WriteString(c.Option(e, o.Key, intents))
		b.WriteByte(0)
	}
	return b.String()
}

// Agree refuses stacks that need different values of an option where one provider serves all of them. With apart, some
// providers are opened for each stack.
func Agree(c *Call, intents []resource.Intent, apart bool) error {
	if len(intents) < 2 {
		return nil
	}
	for _, e := range c.Entries() {
		if apart && separable(e) {
			continue
		}
		for _, o := range e.Options {
			if err := agreeOn(c, e, o, intents); err != nil {
				return err
			}
		}
	}
	return nil
}

// agreeOn refuses a stack that would have another value of an option than alone, in a location that it uses.
func agreeOn(c *Call, e provider.Entry, o provider.Option, intents []resource.Intent) error {
	common := valuesOf(c, e, o, intents)
	for i := range intents {
		own := valuesOf(c, e, o, intents[i:i+1])
		for _, group := range groupsIn(e, &intents[i]) {
			if own.For(group) == common.For(group) {
				continue
			}
			other := ""
			for j := range intents {
				if other == "" && valuesOf(c, e, o, intents[j:j+1]).For(group) == common.For(group) {
					other = intents[j].Stack
				}
			}
			option := "options." + e.Name + "." + o.Key
			has := option + " " + own.For(group)
			if own.For(group) == "" {
				has = "no " + option
			}
			return cli.Usage("run the command for each of them alone, or set --"+FlagOf(e.Name, o)+" for all",
				"stack %s has %s, and stack %s has %s: one value serves all stacks of a command", intents[i].Stack, has, other,
				common.For(group))
		}
	}
	return nil
}

// valuesOf returns the values of an option by group of locations; "" has the value of all other locations.
func valuesOf(c *Call, e provider.Entry, o provider.Option, intents []resource.Intent) resource.Grouped {
	text := c.Option(e, o.Key, intents)
	if o.Grouped {
		return resource.ParseGrouped(text, e.Locations.Group.Pattern)
	}
	return resource.Grouped{"": text}
}

// groupsIn returns the groups of the locations of a stack at a provider, and "" for those without a group.
func groupsIn(e provider.Entry, in *resource.Intent) (groups []string) {
	whole := regexp.MustCompile(`^(?:` + e.Locations.Group.Pattern + `)$`)
	seen := map[string]bool{}
	add := func(s resource.Scope) {
		group, _, _ := strings.Cut(s.Location, "/")
		if e.Locations.Group.Pattern == "" || !whole.MatchString(group) {
			group = ""
		}
		if s.Provider == e.Name && !seen[group] {
			seen[group] = true
			groups = append(groups, group)
		}
	}
	for i := range in.Resources {
		add(in.Resources[i].Ref.Scope())
	}
	for _, s := range in.Scopes {
		add(s)
	}
	return groups
}
