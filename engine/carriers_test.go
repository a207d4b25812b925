package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/box"
	"github.com/ovi-project/ovi/provider/toys/shelf"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage/mem"
)

// owned is a life of one resource, whose system others change too.
type owned struct {
	*yard
	shelf   *shelf.Shelf
	ref     resource.Ref
	in      func(configured bool) []resource.Intent
	foreign map[string]resource.Observed // by ID and UID: what the log of now did not create
	n       int
}

// TestOnlyWhatTheLogProvesIsActedOn_EveryCarrier draws lives in which marks are stripped, copied and
// forged, resources deleted and created again by hand, processes killed and the data directory lost,
// for marks that are fixed at creation and for resources that have none: nothing is changed or deleted
// that this log did not create, and nothing is created twice. Marks that can be written at any time are
// drawn in provider/aws.
func TestOnlyWhatTheLogProvesIsActedOn_EveryCarrier(t *testing.T) {
	for _, kind := range []string{"box", "pod", "volume", "app"} {
		t.Run(kind, func(t *testing.T) {
			drawn.Check(t, func(r *rapid.T) {
				steps := rapid.SliceOfN(rapid.Custom(drawDisturbance), 1, 8).Draw(r, "steps")
				var wrong []string
				synctest.Test(t, func(t *testing.T) {
					x := newOwned(t, kind)
					for _, s := range steps {
						if wrong = x.live(s); wrong != nil {
							break
						}
					}
					x.stop()
				})
				for _, w := range wrong {
					r.Error(w)
				}
			})
		})
	}
}

// disturbance is what others do, and then how ovi applies.
type disturbance struct {
	what       string
	which      int
	configured bool
	crash      string // the step at which the process ends; "" is none
}

func drawDisturbance(r *rapid.T) disturbance {
	return disturbance{
		what:       rapid.SampledFrom([]string{"nothing", "strip", "copy", "forge", "delete", "again", "lose the record"}).Draw(r, "what"),
		which:      rapid.IntRange(0, 5).Draw(r, "which"),
		configured: rapid.IntRange(0, 3).Draw(r, "configured") > 0,
		crash:      rapid.SampledFrom([]string{"", "", "before call", "after call", "after store started", "before log finished", "after log finished"}).Draw(r, "crash"),
	}
}

func newOwned(t *testing.T, kind string) *owned {
	x := &owned{foreign: map[string]resource.Observed{}}
	if kind == "app" {
		y, n := newNest(t)
		y.apply(nested(true))
		x.yard, x.shelf, x.ref = y, &n.Shelf, nestApp
		x.in = func(configured bool) []resource.Intent {
			if configured {
				return nested(true, nestApp.Name)
			}
			return nested(true)
		}
		return x
	}
	b := box.New()
	x.yard, x.shelf, x.ref = newYard(t, provider.Set{"box": b}), &b.Shelf, webBox
	x.ref.Kind = kind
	d := resource.Desired{Ref: x.ref, Attrs: attrs("image", resource.String("web:1"))}
	if kind == "volume" {
		d.Attrs = attrs("size", resource.Int(1))
	}
	x.in = func(configured bool) []resource.Intent {
		in := resource.Intent{Stack: stack, Scopes: []resource.Scope{x.ref.Scope()}}
		if configured {
			in.Resources = []resource.Desired{d}
		}
		return []resource.Intent{in}
	}
	return x
}

// live does one step of a life, and tells what must not be.
func (x *owned) live(s disturbance) []string {
	x.disturb(s)
	claimed := x.attested()
	before := len(x.ours())
	if s.crash != "" {
		x.crashAt(s.crash, x.in(s.configured))
	}
	if _, err := x.engine.Apply(x.t.Context(), x.plan(x.in(s.configured)), engine.ApplyOptions{Tries: 1}); err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	for id, was := range x.foreign {
		if diff := cmp.Diff(was, x.all()[id]); diff != "" {
			wrong = append(wrong, fmt.Sprintf("%s, which this log did not create, was changed or deleted (-was +is):\n%s", id, diff))
		}
	}
	switch n := len(x.ours()); {
	case n > 1:
		wrong = append(wrong, fmt.Sprintf("%d were created and exist", n))
	case claimed && n > before:
		wrong = append(wrong, "another was created while one with these marks existed")
	}
	return wrong
}

// all is what exists of the kind, by ID and UID.
func (x *owned) all() map[string]resource.Observed {
	out := map[string]resource.Observed{}
	_ = x.shelf.Do(x.t.Context(), func() error {
		for _, o := range x.shelf.List(x.ref.Scope()) {
			if o.Ref.Kind == x.ref.Kind {
				out[o.ID+" "+o.UID] = o
			}
		}
		return nil
	})
	return out
}

// ours is what the log of now created.
func (x *owned) ours() (out []resource.Observed) {
	for id, o := range x.all() {
		if _, is := x.foreign[id]; !is {
			out = append(out, o)
		}
	}
	return out
}

// attested reports whether something that is not ours has the marks of the resource.
func (x *owned) attested() bool {
	for _, o := range x.foreign {
		if o.Marks.Ref == x.ref {
			return true
		}
	}
	return false
}

// disturb does what others do.
func (x *owned) disturb(s disturbance) {
	if s.what == "lose the record" {
		x.stop()
		x.dir, x.disk, x.store = x.t.TempDir(), vfs.NewMem(1), mem.New()
		x.foreign = x.all()
		x.open(&crasher{})
		return
	}
	_ = x.shelf.Do(x.t.Context(), func() error {
		var all []resource.Observed
		for _, o := range x.shelf.List(x.ref.Scope()) {
			if o.Ref.Kind == x.ref.Kind {
				all = append(all, o)
			}
		}
		if len(all) > 0 {
			x.change(s.what, all[s.which%len(all)])
		}
		return nil
	})
	for id := range x.foreign {
		if now, is := x.all()[id]; is {
			x.foreign[id] = now
		} else {
			delete(x.foreign, id)
		}
	}
}

// change is what others do to one resource.
func (x *owned) change(what string, o resource.Observed) {
	x.n++
	made := o
	made.ID, made.UID = fmt.Sprintf("%s-by-hand-%d", o.Ref.Kind, x.n), fmt.Sprintf("uid-by-hand-%d", x.n)
	made.Ref.Name = fmt.Sprintf("other-%d", x.n)
	put := func() {
		if o.UID == "" {
			made.UID = ""
		} else {
			made.ID = made.Ref.Name // an ID is a name where there are UIDs
		}
		x.foreign[made.ID+" "+made.UID] = x.shelf.Put(made)
	}
	switch what {
	case "strip":
		x.shelf.ByID(o.Ref, o.ID).Marks = resource.Marks{}
	case "copy":
		put()
	case "forge":
		made.Marks = resource.Marks{Ref: x.ref, Owner: "ovi", Key: fmt.Sprintf("forged-%d", x.n)}
		put()
	case "delete":
		x.shelf.Remove(o.Ref, o.ID)
	case "again": // under its name, with its marks
		x.shelf.Remove(o.Ref, o.ID)
		made.Ref.Name = o.Ref.Name
		put()
	}
}
