package cel

import (
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// The types a rule sees. Their cel tags are the field names in rules, and are for ever:
// renaming one breaks policies that people have written.
type (
	// Thing is the reality of a thing; exists is false where there is none (or none was seen).
	Thing struct {
		Exists   bool              `cel:"exists"`
		Ref      string            `cel:"ref"`
		Provider string            `cel:"provider"`
		Place    string            `cel:"place"`
		Kind     string            `cel:"kind"`
		Name     string            `cel:"name"`
		ID       string            `cel:"id"`
		Stack    string            `cel:"stack"`
		Owner    string            `cel:"owner"`
		Managed  bool              `cel:"managed"`
		Blessed  bool              `cel:"blessed"`
		Health   string            `cel:"health"`
		Since    time.Time         `cel:"since"`
		Tags     map[string]string `cel:"tags"`
		Attrs    map[string]any    `cel:"attrs"`
	}
	// Wish is what is wanted; exists is false where nothing is.
	Wish struct {
		Exists  bool              `cel:"exists"`
		Blessed bool              `cel:"blessed"`
		File    string            `cel:"file"`
		Line    int               `cel:"line"`
		Tags    map[string]string `cel:"tags"`
		Attrs   map[string]any    `cel:"attrs"`
	}
	// Change is one attribute or tag that differs, as text.
	Change struct {
		Path   string `cel:"path"`
		From   string `cel:"from"`
		To     string `cel:"to"`
		Effect string `cel:"effect"` // in_place, restart, replace
	}
	// Proposal is the decision before policies.
	Proposal struct {
		Action     string `cel:"action"`
		Difference string `cel:"difference"`
		Reason     string `cel:"reason"`
		Destroys   bool   `cel:"destroys"`
	}
	// Totals counts the plan's proposals.
	Totals struct {
		Create    int `cel:"create"`
		Update    int `cel:"update"`
		Replace   int `cel:"replace"`
		Restart   int `cel:"restart"`
		Delete    int `cel:"delete"`
		Notify    int `cel:"notify"`
		Unchanged int `cel:"unchanged"`
		Owned     int `cel:"owned"` // things of the decision's stack that exist
		Blind     int `cel:"blind"` // scopes not seen
	}
	// Past is one event of a thing's history, newest first in the list.
	Past struct {
		At      time.Time `cel:"at"`
		Event   string    `cel:"event"`   // vetoed, began, ended, abandoned, not_begun, blessed, unblessed, adopted, revoked, refused
		Action  string    `cel:"action"`  // create, update, replace, restart, delete; "" where there is none
		Outcome string    `cel:"outcome"` // of ended: done, failed, uncertain, refused; of abandoned: done, not_done, unknown
		Who     string    `cel:"who"`     // who ran it, or did it
	}
)

// HistoryLimit bounds the list of past events a rule sees.
const HistoryLimit = 50

func thingOf(d decider.Decision) Thing {
	t := Thing{
		Ref: d.Ref.String(), Provider: d.Ref.Provider, Place: d.Ref.Place,
		Kind: d.Ref.Kind, Name: d.Ref.Name, Stack: d.Stack,
		Tags: map[string]string{}, Attrs: map[string]any{},
	}
	o := d.There
	if o == nil {
		return t
	}
	t.Exists, t.ID, t.Stack, t.Owner = true, o.ID, o.Stack, o.Owner
	t.Managed, t.Blessed, t.Health, t.Since = o.Managed, o.Blessed, string(o.Health), o.Since
	t.Tags, t.Attrs = tagMap(o.Tags), attrMap(o.Attrs)
	return t
}

func wishOf(d decider.Decision) Wish {
	if d.Wanted == nil {
		return Wish{Tags: map[string]string{}, Attrs: map[string]any{}}
	}
	w := d.Wanted
	return Wish{
		Exists: true, Blessed: w.Blessed, File: w.At.File, Line: w.At.Line,
		Tags: tagMap(w.Tags), Attrs: attrMap(w.Attrs),
	}
}

func proposalOf(d decider.Decision) Proposal {
	return Proposal{
		Action: string(d.Proposed), Difference: string(d.Difference),
		Reason: string(d.Reason), Destroys: d.Proposed.Destroys(),
	}
}

func changesOf(d decider.Decision) []Change {
	out := make([]Change, len(d.Changes))
	for i, c := range d.Changes {
		out[i] = Change{Path: c.Path, From: text(c.From), To: text(c.To), Effect: effectName(c.Effect)}
	}
	return out
}

func effectName(e resource.Effect) string {
	switch e {
	case resource.Restart:
		return "restart"
	case resource.Replace:
		return "replace"
	default:
		return "in_place"
	}
}

func tagMap(t resource.Tags) map[string]string {
	m := make(map[string]string, len(t))
	for _, x := range t {
		m[x.Key] = x.Value
	}
	return m
}

func attrMap(a resource.Attrs) map[string]any {
	m := make(map[string]any, len(a))
	for _, x := range a {
		m[x.Name] = plain(x.Value)
	}
	return m
}

// plain turns a value into what CEL computes with. Secrets stay hidden: a rule may see that
// there is one, not which.
func plain(v resource.Value) any {
	switch v := v.(type) {
	case resource.Bool:
		return bool(v)
	case resource.Int:
		return int64(v)
	case resource.Float:
		return float64(v)
	case resource.String:
		return string(v)
	case resource.Reference:
		return v.Ref.Name
	case resource.List:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = plain(x)
		}
		return out
	case resource.Attrs:
		return attrMap(v)
	case resource.Secret, resource.Digest:
		return "(secret)"
	}
	return nil
}

func text(v resource.Value) string {
	switch v := v.(type) {
	case nil:
		return ""
	case resource.String:
		return string(v)
	case resource.Reference:
		return v.Ref.Name
	case resource.Secret, resource.Digest:
		return "(secret)"
	}
	return string(resource.AppendJSON(nil, v))
}
