package command

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// Seen is a resource with the age of its observation.
type Seen struct {
	resource.Observed
	At      time.Time
	Blessed bool
}

// Record returns the resource as a record for programs.
func (s Seen) Record(names render.Names) render.Resource {
	return render.Resource{
		Type: "resource", Ref: names.Ref(s.Ref), Scope: s.Ref.Scope().String(), Kind: s.Ref.Kind, ID: s.ID,
		Stack: s.Stack(), Owner: s.Marks.Owner, Health: string(s.Health), Condition: string(s.Condition), Detail: s.Message,
		Last: s.Last, Blessed: s.Blessed,
		Seen: s.At, Since: TimeOrNil(s.Since), Attrs: render.JSON(s.Attrs), Tags: s.Tags.AppendJSON(nil),
	}
}

// Stack is the stack that owns a resource; "" if none is proven to.
func (s Seen) Stack() string {
	if s.Managed() {
		return s.Ref.Stack
	}
	return ""
}

// HealthText is the health in words.
func (s Seen) HealthText() string {
	text := string(s.Health)
	if s.Message != "" && s.Message != text {
		text += " (" + s.Message + ")"
	}
	return text
}

// Note is what else users must know about a resource.
func (s Seen) Note() string {
	var notes []string
	if s.Blessed {
		notes = append(notes, "blessed")
	}
	switch s.Condition {
	case "":
	case resource.Unreadable:
		notes = append(notes, "could not be read")
	default:
		notes = append(notes, string(s.Condition))
	}
	switch s.Role {
	case resource.RoleOld:
		notes = append(notes, "being replaced")
	case resource.RoleNew:
		notes = append(notes, "new")
	}
	if s.Message != "" && s.Message != string(s.Health) {
		notes = append(notes, s.Message)
	}
	if s.Last != nil && s.Last.State == resource.RequestFailed {
		notes = append(notes, "the last request failed: "+s.Last.Text)
	}
	return strings.Join(notes, ", ")
}

// Count returns a number as text for a table.
func Count(n int) string { return strconv.Itoa(n) }

// SortedKeys returns the keys of a map in order.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// NamesOfRefs returns the short names of refs, unambiguous among these.
func NamesOfRefs(refs ...resource.Ref) render.Names {
	scopes := make([]resource.Scope, len(refs))
	for i, r := range refs {
		scopes[i] = r.Scope()
	}
	return render.NewNames(scopes...)
}

// TimeOrNil is nil for the zero time.
func TimeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
