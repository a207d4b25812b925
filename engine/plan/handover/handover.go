package handover

import (
	"context"
	"errors"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Others implements comparator.Others with the record. It reads the record when it is asked, and keeps its first error.
type Others struct {
	read     func(ref resource.Ref) (event.AcceptedResource, bool, error)
	settings func() (map[string]event.AcceptedSettings, error)

	loaded   bool
	accepted map[string]event.AcceptedSettings
	err      error
}

var _ comparator.Others = (*Others)(nil)

// New returns what is recorded at a revision.
func New(ctx context.Context, r *query.Reader, at storage.Revision) *Others {
	return &Others{
		read: func(ref resource.Ref) (event.AcceptedResource, bool, error) {
			return r.Sources().Resource(ctx, ref, at)
		},
		settings: func() (map[string]event.AcceptedSettings, error) {
			return r.Sources().Settings(ctx, at)
		},
	}
}

// Err returns the first error of a read.
func (o *Others) Err() error { return o.err }

// all returns the settings of all stacks. A failed read is not repeated: Err returns its error.
func (o *Others) all() map[string]event.AcceptedSettings {
	if !o.loaded {
		var err error
		o.accepted, err = o.settings()
		o.loaded, o.err = true, errors.Join(o.err, err)
	}
	return o.accepted
}

// configures reports whether the stack of a ref configures it. A lookup does not configure its resource. After a failed
// read the answer is false, and Err returns the error.
func (o *Others) configures(ref resource.Ref) bool {
	a, is, err := o.read(ref)
	if err != nil && o.err == nil {
		o.err = err
	}
	return is && a.Lookup == nil
}

// Declared implements comparator.Others.
func (o *Others) Declared(ref resource.Ref) comparator.Declared {
	s, known := o.all()[ref.Stack]
	if !known {
		return comparator.Declared{}
	}
	d := comparator.Declared{Accepted: true, Configured: o.configures(ref)}
	names := []resource.Ref{ref}
	// The list grows while it is read, because a name in the stack may have been renamed again. A name is added once,
	// so that a cycle of names ends.
	for i := 0; i < len(names); i++ {
		for _, x := range s.Moved {
			switch {
			case x.From != names[i] || slices.Contains(names, x.To):
			case x.To.Stack != ref.Stack:
				d.To = x.To
				return d
			default:
				names = append(names, x.To)
			}
		}
	}
	return d
}

// GivenTo implements comparator.Others.
func (o *Others) GivenTo(to resource.Ref) []resource.Ref {
	var own, grouped []resource.Ref
	for stack, s := range o.all() {
		for _, x := range s.Moved {
			// A stack can give only its own resources, and only to another stack.
			if x.From.Stack != stack || stack == to.Stack {
				continue
			}
			if x.To == to {
				// The resource may still be recorded under an earlier name of that stack.
				own = append(own, chain(s.Moved, x.From)...)
			} else if was, is := comparator.Member(resource.Move{From: x.To, To: x.From}, to); is {
				grouped = append(grouped, was)
			}
		}
	}
	// The stacks come from a map, so the names are sorted.
	slices.SortFunc(own, resource.Ref.Compare)
	slices.SortFunc(grouped, resource.Ref.Compare)
	return append(own, grouped...)
}

// Claims implements comparator.Others.
func (o *Others) Claims(from resource.Ref) (out []resource.Ref) {
	for stack, s := range o.all() {
		if stack == from.Stack {
			continue
		}
		for _, x := range s.Moved {
			// A stack can claim a resource only for a name of its own.
			if x.From != from || x.To.Stack != stack {
				continue
			}
			if to := o.Now(x.To); !slices.Contains(out, to) && o.configures(to) {
				out = append(out, to)
			}
		}
	}
	slices.SortFunc(out, resource.Ref.Compare)
	return out
}

// Now implements comparator.Others.
func (o *Others) Now(ref resource.Ref) resource.Ref {
	moved := o.all()[ref.Stack].Moved
	names := []resource.Ref{ref}
	for i := 0; i < len(names); i++ {
		// The first configured name counts, and a later name needs no read.
		if o.configures(names[i]) {
			return names[i]
		}
		for _, x := range moved {
			if x.From == names[i] && x.To.Stack == ref.Stack && !slices.Contains(names, x.To) {
				names = append(names, x.To)
			}
		}
	}
	return ref
}

// chain returns a name, and the former names of it.
func chain(moved []resource.Move, ref resource.Ref) []resource.Ref {
	out := []resource.Ref{ref}
	for i := 0; i < len(out); i++ {
		for _, x := range moved {
			if x.To == out[i] && x.From.Stack == ref.Stack && !slices.Contains(out, x.From) {
				out = append(out, x.From)
			}
		}
	}
	return out
}
