package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/box"
	"github.com/ovi-project/ovi/provider/toys/shelf"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// dock is a bench of boxes, which are replaced by a swap, and pods, which are replaced
// create-first.
type dock struct {
	*bench
	boxes  *box.Provider
	m      *crasher
	denied error           // what creating an image other than web:1 returns
	unseen error           // what observing returns
	made   map[string]bool // ids ever seen
	gaps   []string        // effects after which nothing ran
	serves func([]resource.Observed) bool
}

var dockScope = resource.Scope{Provider: "box", Location: "here"}

func dockRef(kind, name string) resource.Ref {
	return resource.Ref{Stack: stack, Provider: "box", Location: "here", Kind: kind, Name: name}
}

// boxed is a configuration of one resource that runs an image and, for a pod, of two routes to it.
func boxed(kind, image string, s resource.Strategy) []resource.Intent {
	in := resource.Intent{Stack: stack, Scopes: []resource.Scope{dockScope}}
	in.Resources = append(in.Resources, resource.Desired{
		Ref: dockRef(kind, "web"), Replace: s,
		Attrs: attrs("image", resource.String(image)),
	})
	if kind == "box" {
		in.Resources[0].State = resource.StateRunning
	}
	if kind == "pod" {
		for _, name := range []string{"a", "b"} {
			in.Resources = append(in.Resources, resource.Desired{
				Ref: dockRef("route", name), Attrs: attrs("to", resource.Reference{Ref: dockRef("pod", "web")}), DependsOn: []resource.Ref{dockRef("pod", "web")},
			})
		}
	}
	return []resource.Intent{in}
}

// kindFor is the kind that a strategy is tried on.
func kindFor(s resource.Strategy) string {
	if s == resource.CreateFirst {
		return "pod"
	}
	return "box"
}

func newDock(t *testing.T) *dock {
	y := &dock{bench: blank(t), boxes: box.New(), made: map[string]bool{}}
	y.boxes.Fault = y.effect
	y.open(&crasher{})
	return y
}

// effect is called before and after each effect of the provider, inside it.
func (y *dock) effect(verb string) error {
	all := y.boxes.Shelf.List(dockScope)
	for i := range all {
		y.made[all[i].ID] = true
	}
	if y.serves != nil && !y.serves(all) {
		y.gaps = append(y.gaps, verb)
	}
	return y.m.step("effect "+verb, func() error { return nil })
}

// denying refuses what web:1 is not.
type denying struct {
	*box.Provider
	y *dock
}

func (d denying) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if v, ok := r.Desired.Attrs.Get("image"); ok && d.y.denied != nil && v != resource.String("web:1") {
		return resource.Observed{}, d.y.denied
	}
	return d.Provider.Create(ctx, r)
}

func (d denying) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	if d.y.unseen != nil {
		return resource.Snapshot{}, d.y.unseen
	}
	return d.Provider.Observe(ctx, r)
}

// open starts a process, which may crash.
func (y *dock) open(m *crasher) {
	y.t.Helper()
	y.m = m
	l, err := ledger.Open(y.t.Context(), ledger.Config{
		Dir: y.dir, Store: crashingStore{y.store, m}, User: "ann",
		LogOptions: []wal.Option{wal.WithFS(crashingFS{y.disk, m}), wal.WithoutCompression()},
	})
	if err != nil {
		y.t.Fatal(err)
	}
	y.ledger = l
	y.claims = coordinator.New(crashingStore{y.store, m}, coordinator.Identity{Instance: l.Instance(), Host: "host", User: "ann", Run: l.Run(), PID: 1}, coordinator.WithTTL(10*time.Second))
	y.engine = engine.New(engine.Config{Providers: provider.Set{"box": denying{y.boxes, y}}, Ledger: l, Claims: y.claims})
}

// try applies a configuration in a process of its own, which may crash, and lets its claims expire.
func (y *dock) try(m *crasher, in []resource.Intent) *engine.Result {
	y.t.Helper()
	y.open(m)
	p := y.plan(in)
	m.armed = true
	r, err := y.engine.Apply(y.t.Context(), p, engine.ApplyOptions{Tries: 1})
	m.armed = false
	if err != nil && !m.dead {
		y.t.Errorf("apply: %v", err)
	}
	y.stop()
	time.Sleep(time.Minute)
	return r
}

// left lists the resources of a kind.
func (y *dock) left(kind string) []resource.Observed {
	var out []resource.Observed
	_ = y.boxes.Shelf.Do(y.t.Context(), func() error {
		out = slices.DeleteFunc(y.boxes.Shelf.List(dockScope), func(o resource.Observed) bool { return o.Ref.Kind != kind })
		return nil
	})
	return out
}

// told lists the records of replacements and of the actions on a resource.
func (y *dock) told(ref resource.Ref) []string {
	y.t.Helper()
	var out []string
	for r, err := range history.New(y.ledger.Reader()).LogRecords(y.t.Context(), history.Filter{}) {
		if err != nil {
			y.t.Fatal(err)
		}
		if r.Event.About() != ref {
			continue
		}
		switch e := r.Event.(type) {
		case event.ReplaceStarted:
			out = append(out, "replace started: "+e.Strategy)
		case event.ReplaceReverted:
			out = append(out, "reverted: "+e.Why)
		case event.ReplaceFinished:
			out = append(out, strings.TrimSpace(fmt.Sprintf("replace finished: %s %s", e.ID, map[bool]string{true: "reverted"}[e.Reverted])))
		case event.Started:
			out = append(out, "started "+strings.TrimSpace(e.Step+" "+e.Have))
		case event.Finished:
			out = append(out, fmt.Sprintf("%s %s %s", e.Outcome, e.Step, e.ID))
		case event.Recovered:
			out = append(out, fmt.Sprintf("recovered %s %s", e.Finding, e.ID))
		case event.NotStarted:
			out = append(out, "not started: "+e.Why)
		}
	}
	return out
}

// runs reports whether a box or pod runs.
func runs(o resource.Observed) bool {
	return o.Health == resource.Healthy && o.Ref.Kind != "route"
}

// someRuns reports whether any box runs, and routesRun whether every route leads to a pod that does.
func someRuns(all []resource.Observed) bool { return slices.ContainsFunc(all, runs) }

func routesRun(all []resource.Observed) bool {
	for _, o := range all {
		to := shelf.Text(o.Attrs, "to")
		if o.Ref.Kind == "route" && !slices.ContainsFunc(all, func(x resource.Observed) bool { return x.ID == to && runs(x) }) {
			return false
		}
	}
	return true
}

// whole fails unless one resource of the image is left, running under its name, and nothing is
// open.
func (y *dock) whole(kind, image string) {
	y.t.Helper()
	all := y.left(kind)
	if len(all) != 1 || shelf.Text(all[0].Attrs, "image") != image || all[0].Health != resource.Healthy || all[0].Ref != dockRef(kind, "web").Bare() {
		y.t.Errorf("left are %+v; want %s of the image %s, running", all, dockRef(kind, "web"), image)
		return
	}
	if open, err := y.ledger.Replacements(y.t.Context(), storage.Now); err != nil || len(open) > 0 {
		y.t.Errorf("a replacement is in progress: %+v, %v", open, err)
	}
	if open, err := y.ledger.OpenActions(y.t.Context()); err != nil || len(open) > 0 {
		y.t.Errorf("open actions: %+v, %v", open, err)
	}
	bindings, err := y.ledger.Bindings(y.t.Context(), dockScope)
	for _, b := range bindings {
		if b.Ref == dockRef(kind, "web") && b.Live() && (b.ID != all[0].ID || b.Role != "") {
			y.t.Errorf("bound is %+v", b)
		}
	}
	if _, unproven := y.ledger.Proof(y.t.Context(), dockRef(kind, "web"), all[0].ID); unproven != nil || err != nil {
		y.t.Errorf("%s is not proven: %v, %v", all[0].ID, unproven, err)
	}
}
