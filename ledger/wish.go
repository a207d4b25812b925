package ledger

import (
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// Wish is a wish as it is recorded: secrets as digests.
type Wish struct {
	// Whole says that attributes, tags and blessing are what the decision's changes say, as of
	// most things to be made: they are not written twice.
	Whole   bool              `json:"whole,omitempty"`
	Attrs   resource.Attrs    `json:"attrs,omitempty"`
	Tags    resource.Tags     `json:"tags,omitempty"`
	Needs   []resource.Ref    `json:"needs,omitempty"`
	Blessed bool              `json:"blessed,omitempty"`
	At      resource.Position `json:"at,omitzero"`
}

const tagPath = "tags."

// wishOf is the wish of a decision, as short as it can be said.
func wishOf(d decider.Decision) *Wish {
	w := d.Wanted
	if w == nil {
		return nil
	}
	if d.Difference == comparator.Missing && saysAll(d.Changes, w) {
		return &Wish{Whole: true, Needs: w.Needs, At: w.At}
	}
	return &Wish{Attrs: w.Attrs, Tags: w.Tags, Needs: w.Needs, Blessed: w.Blessed, At: w.At}
}

// saysAll says that the changes are the whole wish, and nothing else.
func saysAll(changes []resource.Change, w *resource.Desired) bool {
	n := len(w.Attrs) + len(w.Tags)
	if w.Blessed {
		n++
	}
	if _, twice := w.Attrs.Get(comparator.BlessedPath); twice || len(changes) != n {
		return false
	}
	for _, c := range changes {
		if !says(c, w) {
			return false
		}
	}
	return true
}

// says that a change is a part of the wish. A name cannot stand twice, neither in a wish nor
// in changes.
func says(c resource.Change, w *resource.Desired) bool {
	if c.Path == comparator.BlessedPath {
		return w.Blessed
	}
	if key, tag := strings.CutPrefix(c.Path, tagPath); tag {
		v, ok := w.Tags.Get(key)
		return ok && c.To == resource.String(v)
	}
	v, ok := w.Attrs.Get(c.Path)
	return ok && resource.Equal(v, c.To)
}

// desired is the wish again.
func (w *Wish) desired(ref resource.Ref, changes []resource.Change) *resource.Desired {
	if w == nil {
		return nil
	}
	out := &resource.Desired{Ref: ref, Attrs: w.Attrs, Tags: w.Tags, Needs: w.Needs, Blessed: w.Blessed, At: w.At}
	if !w.Whole {
		return out
	}
	tags := map[string]string{}
	var attrs []resource.Attr
	for _, c := range changes {
		key, isTag := strings.CutPrefix(c.Path, tagPath)
		text, _ := c.To.(resource.String)
		switch {
		case c.Path == comparator.BlessedPath:
			out.Blessed = true
		case isTag:
			tags[key] = string(text)
		default:
			attrs = append(attrs, resource.Attr{Name: c.Path, Value: c.To})
		}
	}
	out.Attrs, out.Tags = resource.NewAttrs(attrs...), resource.TagsOf(tags)
	return out
}
