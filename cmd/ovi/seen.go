package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// seen is a resource with the age of its observation.
type seen struct {
	resource.Observed
	at      time.Time
	blessed bool
}

func (s seen) record(names render.Names) render.Resource {
	return render.Resource{
		Type: "resource", Ref: names.Ref(s.Ref), Scope: s.Ref.Scope().String(), Kind: s.Ref.Kind, ID: s.ID,
		Stack: s.stack(), Owner: s.Marks.Owner, Health: string(s.Health), Detail: s.Message, Blessed: s.blessed,
		Seen: s.at, Since: timeOrNil(s.Since), Attrs: render.JSON(s.Attrs), Tags: s.Tags.AppendJSON(nil),
	}
}

// stack is the stack that owns a resource; "" if none is proven to.
func (s seen) stack() string {
	if s.Managed() {
		return s.Ref.Stack
	}
	return ""
}

// health is the health in words.
func (s seen) health() string {
	text := string(s.Health)
	if s.Message != "" && s.Message != text {
		text += " (" + s.Message + ")"
	}
	return text
}

// note is what else users must know about a resource.
func (s seen) note() string {
	var notes []string
	if s.blessed {
		notes = append(notes, "blessed")
	}
	if s.Unread != "" {
		notes = append(notes, "could not be read")
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
	return strings.Join(notes, ", ")
}

func count(n int) string { return strconv.Itoa(n) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func namesOfRefs(refs ...resource.Ref) render.Names {
	scopes := make([]resource.Scope, len(refs))
	for i, r := range refs {
		scopes[i] = r.Scope()
	}
	return render.NewNames(scopes...)
}
