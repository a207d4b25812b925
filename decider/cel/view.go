package cel

import (
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// The types a rule sees. Their cel tags are the field names in rules, and are for ever:
// renaming one breaks policies that people have written. Their doc tags are docs/policy.md.
type (
	// Resource is the reality of a thing; exists is false where there is none (or none was seen).
	Resource struct {
		Exists   bool              `cel:"exists" doc:"whether there is one, as far as was seen"`
		Ref      string            `cel:"ref" doc:"its whole name, provider/place/kind/name"`
		Provider string            `cel:"provider" doc:"who has it"`
		Location string            `cel:"place" doc:"the account and region, the host, the site"`
		Kind     string            `cel:"kind" doc:"ec2, rds…"`
		Name     string            `cel:"name" doc:"the name its wish has"`
		ID       string            `cel:"id" doc:"the provider's own name for it"`
		Stack    string            `cel:"stack" doc:"the stack that owns it, or would"`
		Owner    string            `cel:"owner" doc:"the ovi:owner mark"`
		Managed  bool              `cel:"managed" doc:"whether it carries ovi's marks"`
		Blessed  bool              `cel:"blessed" doc:"whether it carries the blessed mark"`
		Health   string            `cel:"health" doc:"healthy, pending, stopped, failing or unknown"`
		Since    time.Time         `cel:"since" doc:"when it was made, where the provider says; else the year 1"`
		Tags     map[string]string `cel:"tags" doc:"its tags, without ovi's own"`
		Attrs    map[string]any    `cel:"attrs" doc:"its attributes, as in docs/kinds.md; secrets are \"(secret)\", references the name of what they point to"`
	}
	// Desired is what is wanted; exists is false where nothing is.
	Desired struct {
		Exists  bool              `cel:"exists" doc:"whether anything is wanted"`
		Blessed bool              `cel:"blessed" doc:"whether it is wanted blessed"`
		File    string            `cel:"file" doc:"where the wish stands"`
		Line    int               `cel:"line" doc:"in which line"`
		Tags    map[string]string `cel:"tags" doc:"the tags that are wanted"`
		Attrs   map[string]any    `cel:"attrs" doc:"what the wish mentions, and defaults that are compared"`
	}
	// Change is one attribute or tag that differs, as text.
	Change struct {
		Path   string `cel:"path" doc:"size, root.size, tags.team…"`
		From   string `cel:"from" doc:"what is there, as text; \"\" if nothing"`
		To     string `cel:"to" doc:"what is wanted, as text; \"\" if nothing"`
		Effect string `cel:"effect" doc:"in_place, restart or replace"`
	}
	// Proposal is the decision before policies.
	Proposal struct {
		Action     string `cel:"action" doc:"create, update, replace, restart or delete, before any policy"`
		Difference string `cel:"difference" doc:"missing, drifted or unwanted"`
		Reason     string `cel:"reason" doc:"missing, changed, interrupts, immutable, follows_replaced or unwanted"`
		Destroys   bool   `cel:"destroys" doc:"whether the action takes a thing away: delete and replace"`
	}
	// Totals counts the plan's proposals.
	Totals struct {
		Create      int `cel:"create" doc:"how many the plan proposes"`
		Update      int `cel:"update" doc:"the same"`
		Replace     int `cel:"replace" doc:"the same"`
		Restart     int `cel:"restart" doc:"the same"`
		Delete      int `cel:"delete" doc:"the same"`
		Notify      int `cel:"notify" doc:"what is only told"`
		Unchanged   int `cel:"unchanged" doc:"things as wanted"`
		Owned       int `cel:"owned" doc:"things there of the decision's stack"`
		Unreachable int `cel:"blind" doc:"places that could not be seen"`
	}
	// Past is one event of a thing's history, newest first in the list.
	Past struct {
		At      time.Time `cel:"at" doc:"when"`
		Event   string    `cel:"event" doc:"vetoed, began, ended, abandoned, not_begun, blessed, unblessed, adopted, revoked or refused"`
		Action  string    `cel:"action" doc:"create, update, replace, restart or delete; \"\" where there is none"`
		Outcome string    `cel:"outcome" doc:"of ended: done, failed, uncertain or refused; of abandoned: done, not_done or unknown; of not_begun: why"`
		Who     string    `cel:"who" doc:"who ran it, or did it"`
	}
)

// HistoryLimit bounds the list of past events a rule sees.
const HistoryLimit = 50

func resourceOf(d decider.Decision) Resource {
	t := Resource{
		Ref: d.Ref.String(), Provider: d.Ref.Provider, Location: d.Ref.Location,
		Kind: d.Ref.Kind, Name: d.Ref.Name, Stack: d.Stack,
		Tags: map[string]string{}, Attrs: map[string]any{},
	}
	o := d.Observed
	if o == nil {
		return t
	}
	t.Exists, t.ID, t.Stack, t.Owner = true, o.ID, o.Stack, o.Marks.Owner
	t.Managed, t.Blessed, t.Health, t.Since = o.Managed(), o.Marks.Blessed, string(o.Health), o.Since
	t.Tags, t.Attrs = tagMap(o.Tags), attrMap(o.Attrs)
	return t
}

func desiredOf(d decider.Decision) Desired {
	if d.Desired == nil {
		return Desired{Tags: map[string]string{}, Attrs: map[string]any{}}
	}
	w := d.Desired
	return Desired{
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
		return refText(v)
	case resource.Text:
		return partsText(v)
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
		return refText(v)
	case resource.Text:
		return partsText(v)
	case resource.Secret, resource.Digest:
		return "(secret)"
	}
	return string(resource.AppendJSON(nil, v))
}

// refText is the name of what a reference points to, and the attribute behind a dot.
func refText(r resource.Reference) string {
	if r.Path == "" {
		return r.Ref.Name
	}
	return r.Ref.Name + "." + r.Path
}

// partsText writes a text as a configuration does.
func partsText(t resource.Text) string {
	var b strings.Builder
	for _, p := range t {
		if r, ok := p.(resource.Reference); ok {
			b.WriteString("${" + r.String() + "}")
		} else {
			b.WriteString(text(p))
		}
	}
	return b.String()
}
