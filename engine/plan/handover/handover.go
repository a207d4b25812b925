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

// all returns the settings of all stacks.
func (o *Others) all() map[string]event.AcceptedSettings {
	if !o.loaded {
		var err error
		o.accepted, err = o.settings()
		o.loaded, o.err = true, errors.Join(o.err, err)
	}
	return o.accepted
}

// configures reports whether the stack of a ref configures it.
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
func (o *Others) GivenTo(to resource.Ref) (from resource.Ref, given bool) {
	add := func(was resource.Ref) {
		if !given || was.Compare(from) < 0 {
			from, given = was, true
		}
	}
	for _, whole := range []bool{true, false} { // a member of a group has no entry of its own
		for stack, s := range o.all() {
			for _, x := range s.Moved {
				if x.From.Stack != stack || stack == to.Stack || given && !whole {
					continue
				}
				if x.To == to && whole {
					for _, was := range chain(s.Moved, x.From) {
						add(was)
					}
				} else if was, is := comparator.Member(resource.Move{From: x.To, To: x.From}, to); is && !whole {
					add(was)
				}
			}
		}
	}
	return from, given
}

// Claims implements comparator.Others.
func (o *Others) Claims(from resource.Ref) (out []resource.Ref) {
	for stack, s := range o.all() {
		if stack == from.Stack {
			continue
		}
		for _, x := range s.Moved {
			if x.From == from && x.To.Stack == stack && !slices.Contains(out, x.To) && o.configures(x.To) {
				out = append(out, x.To)
			}
		}
	}
	slices.SortFunc(out, resource.Ref.Compare)
	return out
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
