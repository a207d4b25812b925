package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Differ lists the differences between two observations of one resource: attributes, tags and marks, and
// also "id", "health", "stack" and "managed". If one of them could not be read, that is the difference, as
// "content".
func Differ(a, b resource.Observed) []resource.Change {
	var out []resource.Change
	add := func(path string, from, to resource.Value) {
		if !same(from, to) {
			out = append(out, resource.Change{Path: path, From: from, To: to})
		}
	}
	add("id", text(a.ID), text(b.ID))
	// nothing is known of the content of one of them
	if a.Condition == resource.Unreadable || b.Condition == resource.Unreadable {
		add("content", readability(a), readability(b))
		return out
	}
	add("health", text(string(a.Health)), text(string(b.Health)))
	add("managed", resource.Bool(a.Managed()), resource.Bool(b.Managed()))
	var paths []string
	for _, o := range []resource.Observed{a, b} {
		for _, x := range o.Attrs {
			paths = append(paths, x.Name)
		}
		for _, x := range o.Tags {
			paths = append(paths, "tags."+x.Key)
		}
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		add(path, at(a, path), at(b, path))
	}
	for _, path := range [...]string{"managed", "owner", "ref", "stack"} {
		if from, to := markAt(a, path), markAt(b, path); !same(from, to) {
			out = append(out, resource.Change{On: resource.OnMark, Path: path, From: from, To: to})
		}
	}
	return out
}

// readability is the value of "content": whether the resource could be read, or why not.
func readability(o resource.Observed) resource.Value {
	if o.Condition == resource.Unreadable {
		return resource.String("could not be read: " + o.Message)
	}
	return resource.String("read")
}

// markAt is a mark of a resource; nil if it has none.
func markAt(o resource.Observed, path string) resource.Value {
	switch m := o.Marks; path {
	case "managed":
		if m.Unmanaged || m == (resource.Marks{}) {
			return nil
		}
		return resource.Bool(true)
	case "owner":
		return text(m.Owner)
	case "stack":
		return text(cmp.Or(m.Stack, m.Ref.Stack))
	case "blessed":
		return resource.Bool(m.Blessed)
	case "ref":
		if m.Text != "" {
			return resource.String(m.Text)
		}
		if !m.Ref.IsZero() {
			return resource.String(m.Ref.Bare().String())
		}
	}
	return nil
}

// MadeOutside reports whether changes between two observations were made outside ovi, if ovi did not act in
// between: health, computed attributes and the readable part also change without a cause outside, but a
// resource that is configured to run does not stop on its own.
func MadeOutside(changes []resource.Change, kind resource.Kind) bool {
	return slices.ContainsFunc(changes, func(c resource.Change) bool {
		if c.Path == "health" && kind.State != "" && c.To == resource.String(resource.Stopped) {
			return true
		}
		name, _, _ := strings.Cut(c.Path, ".")
		computed := slices.ContainsFunc(kind.Attrs, func(a resource.Attribute) bool {
			return a.Name == name && a.Computed
		})
		return c.Path != "health" && c.Path != "content" && !computed
	})
}

// WithoutBinding omits the change of whether a resource is managed: the record of the binding tells that.
func WithoutBinding(changes []resource.Change) []resource.Change {
	return slices.DeleteFunc(changes, func(c resource.Change) bool {
		return c.Path == "managed" && c.On == resource.OnAttribute
	})
}

// text returns nil for an empty text, so that same treats an empty text and an absent value alike.
func text(s string) resource.Value {
	if s == "" {
		return nil
	}
	return resource.String(s)
}

// words are changes in words.
func (t Explainer) words(changes []resource.Change) string {
	parts := make([]string, len(changes))
	for i, c := range changes {
		parts[i] = c.Name() + " " + t.Value(c.From) + " -> " + t.Value(c.To)
	}
	return strings.Join(parts, ", ")
}

// at is the value of a resource at a path; nil if it has none. The path of a mark is its name.
func at(o resource.Observed, path string) resource.Value {
	if mark, ok := strings.CutPrefix(path, markPrefix); ok {
		return markAt(o, mark)
	}
	v := valueAt(o.Attrs, o.Tags, path)
	if v == nil && path == resource.StatePath {
		return text(resource.StateOf(o.Health))
	}
	return v
}

// markPrefix begins the names of marks, see resource.Change.Name.
const markPrefix = "ovi:"

// valueAt returns a tag ("tags.KEY") or an attribute, whose inner values follow dots; nil if it is absent.
func valueAt(attrs resource.Attrs, tags resource.Tags, path string) resource.Value {
	if key, ok := strings.CutPrefix(path, "tags."); ok {
		if v, ok := tags.Get(key); ok {
			return resource.String(v)
		}
		return nil
	}
	var v resource.Value = attrs
	for name := range strings.SplitSeq(path, ".") {
		inner, ok := v.(resource.Attrs)
		if !ok {
			return nil
		}
		if v, ok = inner.Get(name); !ok {
			return nil
		}
	}
	return v
}

// same compares what may be absent.
func same(a, b resource.Value) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return resource.Equal(a, b)
}
