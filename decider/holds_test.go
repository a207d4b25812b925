package decider_test

import (
	"flag"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

// holdKinds are buckets that are their names, listeners that are a port of their balancer and can change
// it in place, boxes and pods with an immutable port of the host, pods created first where the port differs,
// and nets with a range of the host.
func holdKinds(provider, name string) (resource.Kind, bool) {
	k := resource.Kind{Provider: provider, Name: name, NoTags: true, Exact: true}
	text := func(a resource.Attrs, n string) string { s, _ := a.Text(n); return s }
	port := func(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
		if p := text(a, "port"); p != "" {
			return []resource.Hold{{What: "port", Name: p}}
		}
		return nil
	}
	switch name {
	case "balancer":
	case "bucket":
		k.Attrs = []resource.Attribute{{Name: "bucket", Effect: resource.Replace}, {Name: "class", Effect: resource.Replace}, {Name: "label"}}
		k.Holds = func(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
			return []resource.Hold{{What: "bucket", Of: "everywhere", Name: text(a, "bucket"), Identity: true}}
		}
	case "listener":
		k.Attrs = []resource.Attribute{{Name: "balancer", RefKind: "balancer", Effect: resource.Replace}, {Name: "label"}, {Name: "port"}}
		k.Holds = func(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
			v, _ := a.Get("balancer")
			return []resource.Hold{{What: "listener", Of: resource.Within(v), Name: text(a, "port"), Identity: true}}
		}
	case "box", "pod":
		k.Attrs = []resource.Attribute{{Name: "net", RefKind: "net"}, {Name: "port", Effect: resource.Replace}}
		k.Holds = port
		if name == "pod" {
			k.Replace = func(w resource.Desired, have resource.Observed) []resource.Strategy {
				if p := text(w.Attrs, "port"); p != "" && p == text(have.Attrs, "port") {
					return []resource.Strategy{resource.DestroyFirst}
				}
				return []resource.Strategy{resource.CreateFirst, resource.DestroyFirst}
			}
		}
	case "net":
		k.Attrs = []resource.Attribute{{Name: "range", Effect: resource.Replace}}
		k.Holds = func(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
			p, _ := netip.ParsePrefix(text(a, "range"))
			return []resource.Hold{{What: "range", Range: p}}
		}
	default:
		return resource.Kind{}, false
	}
	return k, true
}

var hereScope = resource.Scope{Provider: "x", Location: "h"}

func hereRef(kind, name string) resource.Ref {
	return resource.Ref{Stack: "s", Provider: "x", Location: "h", Kind: kind, Name: name}
}

// drawStack draws a configuration in which no two resources need the same exclusive thing.
func drawStack(t *rapid.T, label string) []resource.Desired {
	var out []resource.Desired
	of := func(all ...string) resource.Value { return resource.String(rapid.SampledFrom(all).Draw(t, label)) }
	refTo := func(kind string) resource.Value {
		var all []resource.Ref
		for _, d := range out {
			if d.Ref.Kind == kind {
				all = append(all, d.Ref)
			}
		}
		if len(all) == 0 {
			return nil
		}
		return resource.Reference{Ref: rapid.SampledFrom(all).Draw(t, label)}
	}
	for _, kind := range []string{"balancer", "net", "bucket", "listener", "box", "pod"} {
		for _, name := range []string{"a", "b", "c"} {
			if rapid.IntRange(0, 9).Draw(t, "there") < 4 {
				continue
			}
			a := resource.Attrs{}
			switch kind {
			case "bucket":
				a = a.With("bucket", of("x", "y", "z")).With("class", of("1", "1", "1", "2")).With("label", of("1", "2"))
			case "listener":
				b := refTo("balancer")
				if b == nil {
					continue
				}
				a = a.With("balancer", b).With("label", of("1", "2")).With("port", of("80", "81", "82"))
			case "box", "pod":
				a = a.With("port", of("80", "81", "82", "83"))
				if n := refTo("net"); n != nil && rapid.Bool().Draw(t, "net") {
					a = a.With("net", n)
				}
			case "net":
				a = a.With("range", of("10.0.0.0/24", "10.0.0.0/25", "10.0.1.0/24"))
			}
			d := resource.Desired{Ref: hereRef(kind, name), Attrs: a}
			if !clashesWith(d.Ref, d.Attrs, out) {
				out = append(out, d)
			}
		}
	}
	slices.SortFunc(out, func(a, b resource.Desired) int { return a.Ref.Compare(b.Ref) })
	return out
}

func heldBy(ref resource.Ref, a resource.Attrs) []resource.Hold {
	k, _ := holdKinds("x", ref.Kind)
	return k.HeldAs(ref.Bare(), a, "")
}

func clash(a, b []resource.Hold) bool {
	return slices.ContainsFunc(a, func(h resource.Hold) bool {
		return slices.ContainsFunc(b, func(o resource.Hold) bool { // by its own rule, not by that of Hold
			return h.What == o.What && h.Of == o.Of && h.Name == o.Name && (h.What != "range" || h.Range.Masked().Overlaps(o.Range))
		})
	})
}

func clashesWith(ref resource.Ref, a resource.Attrs, all []resource.Desired) bool {
	return slices.ContainsFunc(all, func(d resource.Desired) bool { return clash(heldBy(ref, a), heldBy(d.Ref, d.Attrs)) })
}

// place is a world whose resources have exclusive things.
type place struct {
	t         *rapid.T
	items     []resource.Observed
	replacing map[resource.Ref]comparator.Replacing
	made      int
	log       []string
	now       decider.Plan
}

// faults are what goes wrong in one apply.
type faults struct {
	refused map[resource.Ref]bool // the provider's check refuses to create it
	blocked map[resource.Ref]bool // a policy blocks it
	late    map[resource.Ref]bool // creating or updating it fails, and no check could tell
	crash   int                   // after so many effects; 0: never
}

func (f faults) Name() string { return "drawn" }

func (f faults) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i := range p.Decisions {
		if f.blocked[p.Decisions[i].Ref] {
			out[i] = decider.Blocker{Reason: "drawn"}
		}
	}
	return out, nil
}

func (w *place) plan(want []resource.Desired, f faults) decider.Plan {
	w.t.Helper()
	exchanged := map[resource.Ref]bool{}
	for range len(want) + 1 {
		r, err := comparator.Compare(comparator.Input{
			Intents: []resource.Intent{{Stack: "s", Resources: want}}, Kinds: holdKinds,
			Live:      resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{hereScope: {Scope: hereScope, Resources: slices.Clone(w.items)}}},
			Replace:   func(r resource.Ref) bool { return exchanged[r] },
			Replacing: func(r resource.Ref) (comparator.Replacing, bool) { x, open := w.replacing[r]; return x, open },
		})
		if err != nil {
			w.t.Fatalf("compare: %v", err)
		}
		p, err := decider.Decide(r, holdKinds, decider.Facts{Exchanged: exchanged}, f)
		if err != nil {
			w.t.Fatalf("decide: %v", err)
		}
		more := decider.Exchanges(p, holdKinds, nil)
		if len(more) == 0 {
			return p
		}
		for _, r := range more {
			exchanged[r] = true
		}
	}
	w.t.Fatalf("exchanges do not end")
	return decider.Plan{}
}

type ended int

const (
	notRun ended = iota
	done
	failedLate
)

// apply does the steps of a plan in any order that the steps allow. It reports whether it crashed.
func (w *place) apply(p decider.Plan, f faults) (crashed bool) {
	effects := 0
	w.now = p
	crash := func() bool { effects++; return effects == f.crash }
	steps := decider.Steps(p)
	if n := phases(p); len(steps) != n {
		w.t.Fatalf("%d steps for %d phases: %v\n%s", len(steps), n, w.log, holdsPlan(p))
	}
	skipped := decider.Withheld(p, steps, func(d int) bool { return f.refused[p.Decisions[d].Ref] && p.Decisions[d].Action != decider.Delete },
		func(int) bool { return false })
	var ends ends = map[stepOf]ended{}
	state := make([]ended, len(steps))
	left := map[int]bool{}
	for i := range steps {
		left[i] = !skipped[i]
	}
	for {
		var ready []int
		for i, s := range steps {
			if left[i] && !slices.ContainsFunc(s.After, func(a int) bool { return state[a] != done }) {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			break
		}
		i := rapid.SampledFrom(ready).Draw(w.t, "next")
		left[i] = false
		d := &p.Decisions[steps[i].Decision]
		if w.rename(d) && crash() {
			return true
		}
		state[i] = w.step(d, steps[i].Phase, f)
		ends[stepOf{steps[i].Decision, steps[i].Phase}] = state[i]
		if state[i] == failedLate {
			withheld := decider.Withheld(p, steps, ends.failed, func(i int) bool { return state[i] == done })
			for k := range left {
				left[k] = left[k] && !withheld[k]
			}
		}
		if crash() {
			return true
		}
	}
	w.judge(p, ends)
	return false
}

// rename records the rename of a decision, which frees the former name. No other resource may have the new one.
func (w *place) rename(d *decider.Decision) bool {
	if d.Renamed.IsZero() {
		return false
	}
	at := w.at(d.Observed.ID)
	if at < 0 || w.items[at].Ref == d.Ref { // an earlier step of the decision deleted or renamed it
		return false
	}
	if id := w.newest(d.Ref); id != "" {
		w.t.Fatalf("%s is renamed to %s, which is the name of %s\n%s", d.Observed.ID, d.Ref.Short(), id, holdsPlan(w.now))
	}
	w.items[at].Ref.Name = d.Ref.Name
	w.log = append(w.log, "moved "+d.Renamed.Short()+" to "+d.Ref.Short())
	return true
}

func (w *place) at(id string) int {
	return slices.IndexFunc(w.items, func(o resource.Observed) bool { return o.ID == id })
}

// ends are the results of the steps of one apply.
type ends map[stepOf]ended

type stepOf struct {
	decision int
	phase    decider.Phase
}

func (e ends) deleted(d int) bool { return e[stepOf{d, decider.DeletePhase}] == done }
func (e ends) up(d int) bool      { return e[stepOf{d, decider.CreatePhase}] == done }
func (e ends) failed(d int) bool  { return e[stepOf{d, decider.CreatePhase}] == failedLate }

// judge finds resources that were deleted although their successors were not even tried. A successor that was tried
// and failed must be listed as an outage.
func (w *place) judge(p decider.Plan, result ends) {
	told := decider.Outages(p, result.deleted, result.up)
	for k := range p.Decisions {
		d := &p.Decisions[k]
		for _, t := range d.Takes {
			for j := range p.Decisions {
				x := &p.Decisions[j]
				if x.Ref != t.By || x.Proposed != decider.Delete || !result.deleted(j) || result.up(k) {
					continue
				}
				if !result.failed(k) && !w.unavoidable(p, j, result) {
					w.t.Fatalf("%s is deleted, and %s, which takes its %s, is not started\n%v\n%s", x.Ref.Short(), d.Ref.Short(),
						t.Hold.What, w.log, holdsPlan(p))
				}
				if !slices.ContainsFunc(told, func(o decider.Outage) bool { return o.Freed == x.Ref && o.For == d.Ref }) {
					w.t.Fatalf("%s is lost, and no outage is listed", x.Ref.Short())
				}
			}
		}
	}
}

// unavoidable reports whether a failure could only happen after a delete: it is in a chain of deletes that make room
// for each other's successors.
func (w *place) unavoidable(p decider.Plan, deleted int, result ends) bool {
	after := map[int]bool{}
	for i, s := range decider.Steps(p) {
		after[i] = s.Decision == deleted || slices.ContainsFunc(s.After, func(a int) bool { return after[a] })
		if after[i] && result.failed(s.Decision) {
			return true
		}
	}
	return false
}

func phases(p decider.Plan) (n int) {
	for i := range p.Decisions {
		if a := p.Decisions[i].Action; a == decider.Replace && p.Decisions[i].New == nil {
			n += 2
		} else if a.Executes() {
			n++
		}
	}
	return n
}

func holdsPlan(p decider.Plan) string {
	var b strings.Builder
	for _, d := range p.Decisions {
		fmt.Fprintf(&b, "%s %s (%s) %s was %s takes %v depends %v blocked %v\n", d.Action, d.Ref.Short(), d.Proposed, d.Reason, d.Renamed.Name, d.Takes, d.DependsOn, d.Blockers)
	}
	for i, s := range decider.Steps(p) {
		fmt.Fprintf(&b, "%d: %s %s after %v\n", i, s.Phase, p.Decisions[s.Decision].Ref.Short(), s.After)
	}
	return b.String()
}

func (w *place) step(d *decider.Decision, phase decider.Phase, f faults) ended {
	w.log = append(w.log, fmt.Sprintf("%s of %s %s", phase, d.Action, d.Ref.Short()))
	if phase == decider.DeletePhase {
		return w.remove(d)
	}
	if f.late[d.Ref] {
		w.log = append(w.log, "  fails")
		return failedLate
	}
	k, _ := holdKinds("x", d.Ref.Kind)
	attrs := k.Resolve(d.Desired.Attrs, resource.Resolver{Ref: d.Ref, Lookup: func(r resource.Reference) (resource.Value, bool) {
		id := w.newest(r.Ref)
		return resource.String(id), id != ""
	}})
	if resource.HasReferences(attrs) {
		w.t.Fatalf("%s refers to what does not exist: %v", d.Ref.Short(), w.log)
	}
	o := resource.Observed{Ref: d.Ref, Marks: resource.Marks{Ref: d.Ref}, Ownership: resource.Proven, Health: resource.Healthy, Attrs: attrs}
	at := -1
	if d.Action == decider.Update || d.Action == decider.Restart {
		at = slices.IndexFunc(w.items, func(x resource.Observed) bool { return x.ID == d.Observed.ID })
		if at < 0 {
			w.t.Fatalf("%s to update is gone: %v", d.Ref.Short(), w.log)
		}
		o.ID = d.Observed.ID
	} else {
		w.made++
		o.ID = fmt.Sprintf("%s-%d", d.Ref.Kind, w.made)
	}
	for i, x := range w.items {
		if i != at && clash(heldBy(o.Ref, o.Attrs), heldBy(x.Ref, x.Attrs)) {
			w.t.Fatalf("%s clashes with %s (%s), which still exists\n%s", d.Ref.Short(), x.Ref.Short(), x.ID, strings.Join(w.log, "\n"))
		}
	}
	if d.Action == decider.Replace && d.Strategy.KeepsOld() {
		w.replacing[d.Ref] = comparator.Replacing{Desired: d.Desired.Digest(), Old: d.Observed.ID, Strategy: d.Strategy}
		o.Role = resource.RoleNew
		for i := range w.items {
			if w.items[i].ID == d.Observed.ID {
				w.items[i].Role = resource.RoleOld
			}
		}
	}
	if at >= 0 {
		o.Role = w.items[at].Role
		w.items[at] = o
	} else {
		w.items = append(w.items, o)
	}
	return done
}

func (w *place) newest(ref resource.Ref) (id string) {
	for _, o := range w.items {
		if o.Ref == ref {
			id = o.ID
		}
	}
	return id
}

func (w *place) remove(d *decider.Decision) ended {
	for _, o := range w.items {
		for _, a := range o.Attrs {
			if d.Action == decider.Delete && resource.Equal(a.Value, resource.String(d.Observed.ID)) { // of a replace, see replace.Order
				w.t.Fatalf("%s is deleted while %s uses it: %s\n%s", d.Ref.Short(), o.Ref.Short(), strings.Join(w.log, "\n"), holdsPlan(w.now))
			}
		}
	}
	w.items = slices.DeleteFunc(w.items, func(o resource.Observed) bool { return o.ID == d.Observed.ID })
	if x, open := w.replacing[d.Ref]; open && x.Old == d.Observed.ID {
		delete(w.replacing, d.Ref)
		for i := range w.items {
			if w.items[i].Ref == d.Ref {
				w.items[i].Role = ""
			}
		}
	}
	return done
}

// refusals counts what needs a person: conflicts and what is taken.
func refusals(p decider.Plan) (n int) {
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Difference == comparator.Conflict || slices.ContainsFunc(d.Blockers, func(b decider.Blocker) bool {
			return b.Policy == decider.BlockedByTaken || b.Policy == decider.BlockedByDependency
		}) {
			n++
		}
	}
	return n
}

// TestLaw11_WhoeverLosesItsPlaceHasASuccessor applies one stack after another to a world that enforces exclusive
// things: with renames, exchanges, blocked decisions, refused checks, late failures and crashes, in any order that the
// steps allow. Nothing is deleted for a successor that is not tried, what failed is listed as an outage, and two
// applies converge unless a person must decide. -rapid.checks=N draws N worlds.
func TestLaw11_WhoeverLosesItsPlaceHasASuccessor(t *testing.T) {
	t.Parallel()
	worlds := 20
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() != checks.DefValue {
		worlds = 1
	}
	drawn.Check(t, func(t *rapid.T) {
		for range worlds {
			world(t)
		}
	})
}

func world(t *rapid.T) {
	w := &place{t: t, replacing: map[resource.Ref]comparator.Replacing{}}
	one := drawStack(t, "one")
	if rapid.IntRange(0, 3).Draw(t, "foreign") == 0 {
		w.items = append(w.items, resource.Observed{
			Ref: hereRef("box", "foreign").Bare(), ID: "box-f", Ownership: resource.Unmanaged, Health: resource.Healthy,
			Attrs: resource.Attrs{}.With("port", resource.String("80")),
		})
	}
	w.apply(w.plan(one, faults{}), faults{})
	if p := w.plan(one, faults{}); !p.Empty() && (refusals(p) == 0 || phases(p) > 0) {
		t.Fatalf("not empty: %s", holdsPlan(p))
	}
	for _, v := range rapid.SliceOfN(rapid.SampledFrom([]string{"two", "three"}), 1, 2).Draw(t, "stacks") {
		w.change(drawStack(t, v))
	}
}

func (w *place) change(want []resource.Desired) {
	t := w.t
	before, identity := map[string]string{}, map[string]string{}
	for _, o := range w.items {
		for _, h := range heldBy(o.Ref, o.Attrs) {
			if h.Identity && o.Ref.Kind == "bucket" {
				class, _ := o.Attrs.Text("class")
				before[h.Name], identity[h.Name] = o.ID, class
			}
		}
	}
	f := faults{refused: map[resource.Ref]bool{}, blocked: map[resource.Ref]bool{}, late: map[resource.Ref]bool{}}
	for _, d := range want {
		switch rapid.IntRange(0, 19).Draw(t, "fault") {
		case 0:
			f.refused[d.Ref] = true
		case 1:
			f.blocked[d.Ref] = true
		case 2:
			f.late[d.Ref] = true
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "crashes") == 0 {
		f.crash = rapid.IntRange(1, 12).Draw(t, "crash")
	}
	w.apply(w.plan(want, f), f)
	for n := 0; ; n++ {
		p := w.plan(want, faults{})
		if phases(p) == 0 && (p.Empty() || refusals(p) > 0) {
			w.judgeRefusals(p)
			break
		}
		if n == 2 {
			t.Fatalf("two applies do not converge\n%s\n%s", strings.Join(w.log, "\n"), holdsPlan(p))
		}
		w.apply(p, faults{})
	}
	for _, d := range want { // a bucket that is configured as it was is the one that it was
		name, _ := d.Attrs.Text("bucket")
		class, _ := d.Attrs.Text("class")
		if d.Ref.Kind != "bucket" || before[name] == "" || identity[name] != class {
			continue
		}
		if !slices.ContainsFunc(w.items, func(o resource.Observed) bool { return o.ID == before[name] }) {
			t.Fatalf("the bucket %s was lost for a rename\n%s", name, strings.Join(w.log, "\n"))
		}
	}
}

// judgeRefusals finds decisions that stay refused because of a resource which leaves: only an identity that a
// configured resource keeps, or the foreign box, needs a person.
func (w *place) judgeRefusals(p decider.Plan) {
	swaps := slices.ContainsFunc(p.Decisions, func(d decider.Decision) bool {
		return len(d.Blockers) > 0 && strings.Contains(d.Blockers[0].Reason, "is the identity of")
	})
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if len(d.Blockers) == 0 || !strings.Contains(d.Blockers[0].Reason, "belongs to") || swaps {
			continue
		}
		if !strings.Contains(d.Blockers[0].Reason, "box-f") {
			w.t.Fatalf("%s is refused because of a resource that leaves: %s", d.Ref.Short(), d.Blockers[0].Reason)
		}
	}
}
