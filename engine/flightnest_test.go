package engine_test

import (
	"context"
	"fmt"
	"strconv"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/nest"
	"github.com/ovi-project/ovi/resource"
)

// nestSky is the nest of a drawn world as one instance calls it.
type nestSky struct {
	*nest.Provider
	sky *ownSky
}

func (s nestSky) Create(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	err = s.sky.timed(ctx, "create", r.Desired.Ref, func() error {
		o, err = s.Provider.Create(ctx, r)
		return err
	})
	return o, err
}

func (s nestSky) Update(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	err = s.sky.timed(ctx, "update", r.Desired.Ref, func() error {
		o, err = s.Provider.Update(ctx, r)
		return err
	})
	return o, err
}

func (s nestSky) Delete(ctx context.Context, r provider.Request) error {
	ref := r.Have.Ref
	ref.Stack = stack // what exists in a nest has a natural name
	return s.sky.timed(ctx, "delete", ref, func() error { return s.Provider.Delete(ctx, r) })
}

func (s *ownSky) timed(ctx context.Context, verb string, ref resource.Ref, call func() error) error {
	s.running.Add(1)
	defer s.running.Add(-1)
	leave, err := s.enter(ctx, verb, ref, resource.Observed{}, resource.Attrs{})
	if err != nil {
		return err
	}
	defer leave()
	return call()
}

// enterNest notes a call on a cluster while one runs inside it, and a call inside a cluster that is being deleted. The
// lock is held.
func (s *skies) enterNest(verb string, ref resource.Ref) {
	for other, running := range s.calls {
		switch {
		case other == ref:
		case ref.Kind == "cluster" && verb == "delete" && other.Scope() == nest.Inside(ref):
			s.note("%s is deleted while the %s of %s inside it runs", ref.Short(), running, other.Short())
		case other.Kind == "cluster" && running == "delete" && ref.Scope() == nest.Inside(other):
			s.note("%s %s starts while the delete of %s runs", verb, ref.Short(), other.Short())
		}
	}
}

// drawNest draws a cluster and what is inside it. The apps have the version as theirs.
func (w *world) drawNest(version int64) []resource.Desired {
	if w.rand.IntN(4) == 0 {
		return nil
	}
	cluster := resource.Desired{Ref: nestDev, Attrs: attrs("nodes", resource.Int(int64(1+w.rand.IntN(2))))}
	all := []resource.Desired{cluster}
	for i := range w.rand.IntN(3) {
		ref := nestApp
		ref.Name = fmt.Sprint("app-", i)
		v := resource.String(strconv.FormatInt(version, 10))
		all = append(all, resource.Desired{Ref: ref, Attrs: attrs("version", v)})
	}
	return all
}

// inNest lists the cluster and what is inside it, each with its ref as its mark.
func (w *world) inNest() (all []resource.Observed) {
	_ = w.nest.Shelf.Do(w.t.Context(), func() error {
		all = w.listNest()
		return nil
	})
	return all
}

func (w *world) listNest() []resource.Observed {
	all := append(w.nest.Shelf.List(nestScope), w.nest.Shelf.List(nest.Inside(nestDev))...)
	for i := range all {
		all[i].Marks.Ref = all[i].Ref
		all[i].Marks.Ref.Stack = stack
	}
	return all
}

// breakNest deletes a part of what exists outside ovi: an app, or the cluster with all that is inside it.
func (w *world) breakNest() {
	_ = w.nest.Shelf.Do(w.t.Context(), func() error {
		whole := w.rand.IntN(4) == 0
		for _, o := range w.listNest() {
			if whole || o.Ref.Kind == "app" && w.rand.IntN(2) == 0 {
				w.nest.Shelf.Remove(o.Ref, o.ID)
			}
		}
		return nil
	})
}

// versionOf is the version of the configuration that a disk or an app was written for.
func versionOf(ref resource.Ref, want resource.Attrs) (int64, bool) {
	switch ref.Kind {
	case "disk":
		return int64(sizeOf(resource.Observed{Attrs: want})), true
	case "app":
		v, _ := want.Get("version")
		s, _ := v.(resource.String)
		n, err := strconv.ParseInt(string(s), 10, 64)
		return n, err == nil
	}
	return 0, false
}
