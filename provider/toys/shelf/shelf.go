// Package shelf is the memory that the toy providers keep their resources in.
package shelf

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Shelf holds resources, in every scope. The zero Shelf is empty. Its methods, except Do, are
// called within Do.
type Shelf struct {
	mu    sync.Mutex
	items []*resource.Observed
	count int
}

// Do calls act with the shelf locked, unless the context has ended.
func (s *Shelf) Do(ctx context.Context, act func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return act()
}

// Next is a number that was not given before.
func (s *Shelf) Next() int {
	s.count++
	return s.count
}

// Put adds a resource, or replaces the one of its kind and id in its scope.
func (s *Shelf) Put(o resource.Observed) resource.Observed {
	o.Ref = o.Ref.Bare() // a natural name has no stack
	if x := s.ByID(o.Ref, o.ID); x != nil {
		*x = o
	} else {
		s.items = append(s.items, &o)
	}
	return o
}

// ByID finds the resource of an id; ref gives its scope and kind. Nil is none.
func (s *Shelf) ByID(ref resource.Ref, id string) *resource.Observed {
	return s.find(func(o *resource.Observed) bool {
		return o.ID == id && o.Ref.Scope() == ref.Scope() && o.Ref.Kind == ref.Kind
	})
}

// ByName finds the resource that has a natural name.
func (s *Shelf) ByName(ref resource.Ref) *resource.Observed {
	return s.find(func(o *resource.Observed) bool { return o.Ref == ref.Bare() })
}

// ByKey finds the resource that was created with a key.
func (s *Shelf) ByKey(key string) *resource.Observed {
	return s.find(func(o *resource.Observed) bool { return key != "" && o.Marks.Key == key })
}

func (s *Shelf) find(is func(*resource.Observed) bool) *resource.Observed {
	if i := slices.IndexFunc(s.items, is); i >= 0 {
		return s.items[i]
	}
	return nil
}

// Remove deletes the resource of an id, if there is one.
func (s *Shelf) Remove(ref resource.Ref, id string) {
	x := s.ByID(ref, id)
	s.items = slices.DeleteFunc(s.items, func(o *resource.Observed) bool { return o == x })
}

// List copies what exists in a scope, sorted by ref, then id.
func (s *Shelf) List(scope resource.Scope) []resource.Observed {
	out := []resource.Observed{}
	for _, o := range s.items {
		if o.Ref.Scope() == scope {
			out = append(out, *o)
		}
	}
	slices.SortFunc(out, func(a, b resource.Observed) int {
		if c := a.Ref.Compare(b.Ref); c != 0 {
			return c
		}
		return len(a.ID) - len(b.ID)
	})
	return out
}

// Marks are the marks that a request writes at creation.
func Marks(r provider.Request) resource.Marks {
	return resource.Marks{Ref: r.Desired.Ref, Owner: r.Owner, Key: r.Key, Blessed: r.Desired.Blessed}
}

// Apply makes the changes of attributes that can be made in place.
func Apply(o *resource.Observed, changes []resource.Change) error {
	for _, c := range changes {
		switch {
		case c.On != resource.OnAttribute:
		case c.Effect == resource.Replace:
			return fmt.Errorf("%s: %w", c.Path, provider.ErrReplace)
		case c.To == nil:
			o.Attrs = o.Attrs.Without(c.Path)
		default:
			o.Attrs = o.Attrs.With(c.Path, c.To)
		}
	}
	return nil
}

// Text is the value of a string attribute; "" if it has none.
func Text(a resource.Attrs, name string) string {
	v, _ := a.Get(name)
	s, _ := v.(resource.String)
	return string(s)
}

// Fail returns an error of a cause.
func Fail(cause provider.Cause, format string, args ...any) error {
	return &provider.Error{Cause: cause, Op: "toy", Code: string(cause), Err: fmt.Errorf(format, args...)}
}

// Missing returns the error of a call that names what does not exist.
func Missing(format string, args ...any) error {
	return &provider.Error{Cause: provider.Configuration, Absent: true, Op: "toy", Err: fmt.Errorf(format, args...)}
}

// HoldsName is the Holds of kinds whose natural names are unique in a scope.
func HoldsName(ref resource.Ref, _ resource.Attrs, _ resource.State) []resource.Hold {
	return []resource.Hold{{What: ref.Kind + " name", Name: ref.Name, Identity: true}}
}

// HoldsNameDoc is its HoldsDoc.
const HoldsNameDoc = "its name in its location"
