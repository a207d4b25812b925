package source

import (
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source/looked"
)

// Resource is one resource, or several of a count, as a source declares it: nothing of it is
// checked. Its identity is Provider, Location, Kind and Name alone, never its position.
type Resource struct {
	Provider string
	Location string // "" means the provider's default
	Kind     string
	Name     string // "" means that the kind is the name
	Counted  bool   // it declares NAME-0, NAME-1 … by Count
	Count    int
	// Index selects one resource of the count by its number, counted from 1. Zero means all.
	Index int
	// Group is the name of all resources of a for_each. NoMembers reports that the for_each has no entries: the resource
	// is only its name.
	Group     string
	Block     string // the name of the block of a for_each, as written
	NoMembers bool
	// Prefix is put before the names that the attributes contain: the resource is part of a component. Units are the
	// components that it is part of; each is a group.
	Prefix string
	Units  []string
	// MaxUnavailable limits how many of the count or for_each are interrupted at one time. Unset: the default.
	MaxUnavailable rules.Budget
	Attrs          Node // an object
	Tags           resource.Tags
	// OwnTags: some of the tags are the resource's own, not a file's defaults, so a kind without
	// tags is an error.
	OwnTags bool
	// DependsOn names resources: NAME, KIND/NAME or a whole ref.
	DependsOn []string
	Ignore    []string
	Blessed   bool
	Owner     string            // the owner mark; "" means the engine's
	Replace   resource.Strategy // how it is replaced; "" means the kind's default
	State     resource.State    // whether it runs; "" means the kind's default
	Lookup    *Lookup           // it is an existing resource of another owner
	// Was is its former name: NAME, or as a ResourceName is written. With a count it is the former name of the count.
	Was   string
	At    position.Position
	Files []string // of Node.File
	// Where is the position of an attribute path, or of "type", "name", "location", "was",
	// "tags.KEY", "ignore[0]" or "depends_on[0]". Nil: At. It stays valid after Load.
	Where func(path string) position.Position
	// Broken: the source reported a problem with it. It is checked for more, and is not part
	// of the stack.
	Broken bool
}

func (r *Resource) where(path string) position.Position {
	if r.Where == nil {
		return r.At
	}
	return r.Where(path)
}

// members yields the numbers of the resources that a resource with a count declares.
func (r *Resource) members(yield func(int) bool) {
	if r.Index > 0 {
		yield(r.Index - 1)
		return
	}
	for i := range r.Count {
		if !yield(i) {
			return
		}
	}
}

// Lookup is the existing resource that a block means.
type Lookup = looked.Up
