package event

import (
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// Desired is the recorded form of a resource's configuration, with secrets as digests.
type Desired struct {
	// FromChanges means that attributes, tags, state and protection follow from the decision's changes, as
	// for most resources to create, and are not recorded twice.
	FromChanges bool              `json:"from_changes,omitempty"`
	Attrs       resource.Attrs    `json:"attrs,omitempty"`
	Tags        resource.Tags     `json:"tags,omitempty"`
	DependsOn   []resource.Ref    `json:"depends_on,omitempty"`
	Blessed     bool              `json:"blessed,omitempty"`
	State       resource.State    `json:"state,omitempty"`
	At          position.Position `json:"at,omitzero"`
}

const tagPath = "tags."

// desiredOf is the configuration of a decision, in its shortest form.
func desiredOf(d decider.Decision) *Desired {
	w := d.Desired
	if w == nil {
		return nil
	}
	if d.Difference == comparator.Missing && mentionsAll(d.Changes, w) {
		return &Desired{FromChanges: true, DependsOn: w.DependsOn, At: w.At}
	}
	return &Desired{Attrs: w.Attrs, Tags: w.Tags, DependsOn: w.DependsOn, Blessed: w.Blessed, State: w.State, At: w.At}
}

// mentionsAll reports whether the changes are the whole configuration and nothing else.
func mentionsAll(changes []resource.Change, w *resource.Desired) bool {
	n := len(w.Attrs) + len(w.Tags)
	if w.Blessed {
		n++
	}
	if w.State != "" {
		n++
	}
	if len(changes) != n {
		return false
	}
	for _, c := range changes {
		if !mentions(c, w) {
			return false
		}
	}
	return true
}

// mentions reports whether a change is a part of the configuration. No name occurs twice, neither
// in a configuration nor in changes.
func mentions(c resource.Change, w *resource.Desired) bool {
	switch c.On {
	case resource.OnName, resource.OnCondition:
		return false
	case resource.OnMark:
		return w.Blessed
	case resource.OnState:
		return c.To == resource.String(w.State)
	}
	if key, tag := strings.CutPrefix(c.Path, tagPath); tag && c.On == resource.OnTag {
		v, ok := w.Tags.Get(key)
		return ok && c.To == resource.String(v)
	}
	v, ok := w.Attrs.Get(c.Path)
	return ok && resource.Equal(v, c.To)
}

// desired restores the configuration.
func (w *Desired) desired(ref resource.Ref, changes []resource.Change) *resource.Desired {
	if w == nil {
		return nil
	}
	out := &resource.Desired{
		Ref: ref, Attrs: w.Attrs, Tags: w.Tags, DependsOn: w.DependsOn, Blessed: w.Blessed,
		State: w.State, At: w.At,
	}
	if !w.FromChanges {
		return out
	}
	tags := map[string]string{}
	var attrs []resource.Attr
	for _, c := range changes {
		key, isTag := strings.CutPrefix(c.Path, tagPath)
		text, _ := c.To.(resource.String)
		switch {
		case c.On == resource.OnMark:
			out.Blessed = true
		case c.On == resource.OnState:
			out.State = resource.State(text)
		case isTag && c.On == resource.OnTag:
			tags[key] = string(text)
		default:
			attrs = append(attrs, resource.Attr{Name: c.Path, Value: c.To})
		}
	}
	out.Attrs, out.Tags = resource.NewAttrs(attrs...), resource.TagsOf(tags)
	return out
}
