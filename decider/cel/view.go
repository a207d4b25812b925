package cel

import (
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
)

// The types that a rule sees. Their cel tags are the field names in rules and do not change:
// renaming one breaks policies. Their doc tags are the tables of docs/policies.md.
type (
	// Resource is the live state; exists is false where there is none, or none was observed.
	Resource struct {
		Exists   bool              `cel:"exists" doc:"whether it exists, according to the last observation"`
		Ref      string            `cel:"ref" doc:"its full name, stack:provider/location/kind/name"`
		Provider string            `cel:"provider" doc:"its provider"`
		Location string            `cel:"location" doc:"the account and region, the host, the site"`
		Kind     string            `cel:"kind" doc:"ec2, rds…"`
		Name     string            `cel:"name" doc:"its name in the configuration"`
		ID       string            `cel:"id" doc:"its id at the provider"`
		Stack    string            `cel:"stack" doc:"the stack that owns it, or will own it"`
		Owner    string            `cel:"owner" doc:"the ovi:owner tag"`
		Managed  bool              `cel:"managed" doc:"whether the audit log proves that ovi created or adopted it"`
		Blessed  bool              `cel:"blessed" doc:"whether it is tagged as blessed"`
		Health   string            `cel:"health" doc:"healthy, pending, stopped, failing or unknown"`
		Since    time.Time         `cel:"since" doc:"when it was created, where the provider reports it; else the year 1"`
		Tags     map[string]string `cel:"tags" doc:"its tags, without ovi's own"`
		Attrs    map[string]any    `cel:"attrs" doc:"its attributes, as in docs/kinds.md; a secret is \"(secret)\", a reference the name of its resource"`
	}
	// Desired is the configuration; exists is false where there is none.
	Desired struct {
		Exists  bool              `cel:"exists" doc:"whether it is in the configuration"`
		Blessed bool              `cel:"blessed" doc:"whether the configuration blesses it"`
		File    string            `cel:"file" doc:"its file"`
		Line    int               `cel:"line" doc:"its line in the file"`
		State   string            `cel:"state" doc:"running or stopped; \"\" where it is not compared"`
		Tags    map[string]string `cel:"tags" doc:"the configured tags"`
		Attrs   map[string]any    `cel:"attrs" doc:"the configured attributes, and defaults that are compared"`
	}
	// Change is one attribute or tag that differs, as text.
	Change struct {
		Path   string `cel:"path" doc:"size, root.size, tags.team, ovi:owner…"`
		From   string `cel:"from" doc:"the current value, as text; \"\" if there is none"`
		To     string `cel:"to" doc:"the configured value, as text; \"\" if there is none"`
		Effect string `cel:"effect" doc:"in_place, restart or replace"`
	}
	// Proposal is the action before policies.
	Proposal struct {
		Action     string   `cel:"action" doc:"create, update, replace, revert, restart or delete; a rule that does not name restart holds for a restart as for an update"`
		Difference string   `cel:"difference" doc:"missing, drifted or unwanted"` // style:ok
		Reason     string   `cel:"reason" doc:"missing, deleted_outside, changed, restarts, state, immutable, requested, follows_replaced, resumes, reverts, back, unwanted or destroyed"`
		Destroys   bool     `cel:"destroys" doc:"whether the action is delete or replace"`
		DataLoss   string   `cel:"data_loss" doc:"the data that the action loses, as the plan describes it; \"\" if it loses none"`
		Strategy   string   `cel:"strategy" doc:"of a replace or revert: destroy-first, create-first, swap or start-first; else \"\""`
		Steps      []string `cel:"steps" doc:"of a replace or revert, in order: set_aside, create, switch, wait, references, delete_old, delete_new, restore"`
	}
	// Totals counts the proposed actions of the plan.
	Totals struct {
		Create      int `cel:"create" doc:"how many to create"`
		Update      int `cel:"update" doc:"how many to update, with those that restart"`
		Replace     int `cel:"replace" doc:"how many to replace"`
		Revert      int `cel:"revert" doc:"how many replacements go back"`
		Restart     int `cel:"restart" doc:"how many of the updates restart the resource"`
		Delete      int `cel:"delete" doc:"how many to delete"`
		Forget      int `cel:"forget" doc:"how many are forgotten: no longer managed, without a change"`
		Notify      int `cel:"notify" doc:"how many are only reported"`
		Unchanged   int `cel:"unchanged" doc:"how many are unchanged"`
		Owned       int `cel:"owned" doc:"how many resources of the stack exist"`
		Unreachable int `cel:"unreachable" doc:"how many locations are unreachable"`
	}
	// Past is one event of a resource's history, newest first in the list.
	Past struct {
		At      time.Time `cel:"at" doc:"when it happened"`
		Event   string    `cel:"event" doc:"blocked, started, finished, recovered, not_started, blessed, unblessed, adopted, revoked or refused"`
		Action  string    `cel:"action" doc:"create, update, replace, revert, restart or delete; \"\" where there is none"`
		Outcome string    `cel:"outcome" doc:"of finished: done, failed, uncertain, refused or not_called; of recovered: done, not_done or unknown; of not_started: the reason"`
		Who     string    `cel:"who" doc:"the user"`
	}
)

// HistoryLimit bounds the list of past events that a rule sees.
const HistoryLimit = 50

func resourceOf(d decider.Decision) Resource {
	t := Resource{
		Ref: d.Ref.Bare().String(), Provider: d.Ref.Provider, Location: d.Ref.Location,
		Kind: d.Ref.Kind, Name: d.Ref.Name, Stack: d.Ref.Stack,
		Tags: map[string]string{}, Attrs: map[string]any{},
	}
	o := d.Observed
	if o == nil {
		return t
	}
	t.Exists, t.ID, t.Owner = true, o.ID, o.Marks.Owner
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
		Exists: true, Blessed: w.Blessed, State: string(w.State), File: w.At.File, Line: w.At.Line,
		Tags: tagMap(w.Tags), Attrs: attrMap(w.Attrs),
	}
}

func proposalOf(d decider.Decision) Proposal {
	return Proposal{
		Action: string(d.Proposed), Difference: string(d.Difference),
		Reason: string(d.Reason), Destroys: d.Proposed.Destroys(), DataLoss: d.DataLoss,
		Strategy: string(d.Strategy), Steps: stepNames(d.Steps),
	}
}

func stepNames(steps []replace.Step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = string(s)
	}
	return out
}

func changesOf(d decider.Decision) []Change {
	out := make([]Change, len(d.Changes))
	for i, c := range d.Changes {
		out[i] = Change{Path: c.Name(), From: text(c.From), To: text(c.To), Effect: c.Effect.String()}
	}
	return out
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

// plain turns a value into what CEL computes with. A rule sees that there is a secret, but not
// its value.
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

// refText is the name of what a reference refers to, with the attribute after a dot.
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
