// Package renamed finds renames that a configuration does not declare: a plan deletes resources and creates ones of the
// same kind and configuration under other names. It decides nothing: the plan stays.
package renamed

import (
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// Pair is a resource that a plan deletes, and the equal one that it creates.
type Pair struct{ From, To resource.Ref }

// Group is the pairs of one block, or equal resources if any pair of them may be meant.
type Group struct {
	Pairs []Pair // in natural order
	// Old are the resources that are no longer configured, and New the created ones. Equal resources can be more than
	// the pairs.
	Old, New []resource.Ref
	Sure     bool         // no other pair is equal
	Kept     bool         // the old ones stay for their data
	Was      string       // the former name of the block; "" if `was` cannot declare the rename
	From, To resource.Ref // both blocks, if `moved` declares the rename with their names alone
	Used     string       // the place that uses the component of the new ones, if they are in one
	Lines    Lines        // of their source
}

// shown is the number of pairs and names that a text has. A program gets all.
const shown = 5

// Text describes a group.
func (g Group) Text() string {
	gone := " is deleted"
	switch {
	case g.Kept && len(g.Old) > 1:
		gone = " are no longer configured"
	case g.Kept:
		gone = " is no longer configured"
	case len(g.Old) > 1:
		gone = " are deleted"
	}
	are := " is"
	if len(g.New) > 1 {
		are = " are"
	}
	return names(g.Old) + gone + ", and " + names(g.New) + are + " created with the same configuration"
}

// Suggestion says how the configuration declares the rename, with the first pairs of many.
func (g Group) Suggestion() string { return g.suggestion(shown) }

// All is the suggestion with every pair.
func (g Group) All() string { return g.suggestion(len(g.Pairs)) }

func (g Group) suggestion(most int) string {
	if g.Lines.Block == "" {
		return g.same() + "run " + g.command()
	}
	text := g.same() + "add "
	switch {
	case g.Was != "" && g.Used != "":
		text += "`was` with the former name to the block that uses the component (" + g.Used + "), or "
	case g.Was != "":
		text += "`was: " + strings.TrimPrefix(g.Was, g.Lines.Prefix) + "` to " + g.Lines.Block + ", or "
	}
	text += "`moved: [" + g.moved(most) + "]` to " + g.Lines.File
	if len(g.Pairs) > most && g.From.IsZero() {
		text += " (`--json` has all " + strconv.Itoa(len(g.Pairs)) + ")"
	}
	switch {
	case !g.Sure && len(g.Pairs) > 1:
		text += " with the pairs that you mean"
	case !g.Sure:
		text += " with the names that you mean"
	}
	return text + ", or run " + g.command()
}

// same is the condition of the suggestion.
func (g Group) same() string {
	switch {
	case len(g.Old) == 1 && len(g.New) == 1:
		return "if it is the same resource, "
	case len(g.Old) == len(g.New):
		return "if they are the same resources, "
	case len(g.New) == 1:
		return "if it is one of them, "
	case len(g.Old) == 1:
		return "if one of them is the same resource, "
	}
	return "if some of them are the same resources, "
}

func (g Group) moved(most int) string {
	if !g.From.IsZero() {
		return g.entry(g.From, g.To)
	}
	var out []string
	for i, p := range g.Pairs {
		if i == most {
			out = append(out, "…")
			break
		}
		out = append(out, g.entry(p.From, p.To))
	}
	return strings.Join(out, ", ")
}

func (g Group) entry(from, to resource.Ref) string {
	from.Name, to.Name = strings.TrimPrefix(from.Name, g.Lines.Prefix), strings.TrimPrefix(to.Name, g.Lines.Prefix)
	return "{from: " + from.Short() + ", to: " + to.Short() + "}"
}

func (g Group) command() string {
	text := "`ovi move " + g.Pairs[0].From.Short() + " " + g.Pairs[0].To.Short() + "`"
	if len(g.Pairs) > 1 {
		text += " and so on"
	}
	return text
}

// names lists resources: the first ones of many, and the number of the others.
func names(all []resource.Ref) string {
	var out []string
	for i, r := range all {
		if i == shown && len(all) > shown+1 {
			return strings.Join(out, ", ") + " and " + strconv.Itoa(len(all)-shown) + " more"
		}
		out = append(out, r.Short())
	}
	if len(out) == 1 {
		return out[0]
	}
	return strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}

// Lines are the places of a source that declare renames. The zero Lines are of a source that declares none.
type Lines struct {
	Block, File string
	Prefix      string // of the names of resources; the source omits it
}

// Record has the facts of a plan about resources.
type Record struct {
	At    func(resource.Ref) (*resource.Observed, bool) // as observed
	Last  func(resource.Ref) (resource.Attrs, bool)     // as configured when it was applied last
	Kinds decider.Kinds
	Lines func(*resource.Desired) Lines
	// Configured reports whether a block is configured, under the name of its resource or of its set.
	Configured func(resource.Ref) bool
}
