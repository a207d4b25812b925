// Package looked checks how a configuration identifies a resource of another owner. It knows nothing else of a source.
package looked

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Up is a lookup as written: an ID; a stack and a ref there, which is KIND/NAME or PROVIDER/LOCATION/KIND/NAME; or
// a name at the system and tags.
type Up struct {
	ID, Stack, Ref, Name string
	Tags                 resource.Tags
}

// IsEmpty reports whether nothing is written.
func (l *Up) IsEmpty() bool { return !l.searches() && l.ID == "" && l.Stack == "" && l.Ref == "" }

func (l *Up) searches() bool { return l.Name != "" || len(l.Tags) > 0 }

// Meant returns the resource that a lookup in a block of a kind and a place means, or a problem with a suggestion.
func (l *Up) Meant(at resource.Ref, kind *resource.Kind) (found *resource.Lookup, summary, suggestion string) {
	const use = "use lookup: {id: ID}, {stack: STACK, ref: KIND/NAME}, {name: NAME} or {tags: {KEY: VALUE}}"
	other := l.Stack != "" || l.Ref != ""
	switch {
	case l.ID != "" && (other || l.searches()), other && l.searches():
		return nil, "lookup has more than one way to find the resource", use
	case l.ID != "":
		return &resource.Lookup{ID: l.ID}, "", ""
	case l.Name != "" && kind.NameTag != "":
		return nil, "a " + kind.Name + " has no name at its system, only the tag " + kind.NameTag,
			fmt.Sprintf("use lookup: {tags: {%s: %q}}", kind.NameTag, l.Name)
	case len(l.Tags) > 0 && kind.NoTags:
		return nil, "resources of kind " + kind.Name + " have no tags", "use lookup: {name: NAME}"
	case l.searches():
		return &resource.Lookup{Name: l.Name, Tags: l.Tags}, "", ""
	case l.Stack == "" || l.Ref == "":
		return nil, "lookup needs an ID, a stack and a ref, a name, or tags", use
	}
	// Otherwise it names a resource of another stack.
	of := at.In(l.Stack)
	of.Kind, of.Name = "", ""
	if whole, err := resource.ParseRef(l.Ref); err == nil && whole.Stack == "" {
		of = whole.In(l.Stack)
	} else if parts := strings.Split(l.Ref, "/"); len(parts) == 2 && parts[0] != "" && parts[1] != "" {
		of.Kind, of.Name = parts[0], parts[1]
	} else {
		return nil, fmt.Sprintf("invalid ref %q", l.Ref), "use ref: " + kind.Name + "/NAME"
	}
	if of.Kind != kind.Name || of.Provider != at.Provider {
		return nil, "the ref names a " + of.Kind + ", and the block a " + kind.Name,
			"use ref: " + kind.Name + "/" + cmp.Or(of.Name, "NAME")
	}
	return &resource.Lookup{Of: of}, "", ""
}
