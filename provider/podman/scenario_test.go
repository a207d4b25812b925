package podman_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// scenario is a row of the table that the containers design describes. It runs on recorded answers of a
// real Podman; `go test -run TestScenarios -record` records them.
type scenario struct {
	name    string
	initial func(*real) []one // is created first
	byHand  func(*real, *libpod.Client)
	desired func(*real) []one
	prune   bool
	actions []string // in the order in which they are planned
	errors  []string // with the resource, and what it stops
	left    []string // what exists at the end, by kind and name on the host
}

// actor does what the engine does, without its record.
type actor struct {
	*real
	configured map[resource.Ref]resource.Attrs // last
	failed     []string
}

func (a *actor) intent(all []one) resource.Intent {
	in := resource.Intent{Stack: "shop", Scopes: []resource.Scope{a.scope}}
	for _, x := range all {
		d := a.checked(x.kind, x.name, x.set)
		d.State = kindNamed(a.t, x.kind).State
		d.DependsOn = resource.AppendRefs(nil, d.Attrs)
		in.Resources = append(in.Resources, d)
	}
	slices.SortFunc(in.Resources, func(x, y resource.Desired) int { return x.Ref.Compare(y.Ref) })
	return in
}

func schemas(_, kind string) (resource.Kind, bool) {
	for _, k := range podman.Kinds() {
		if k.Name == kind {
			return k, true
		}
	}
	return resource.Kind{}, false
}

// plan observes, compares and decides.
func (a *actor) plan(s scenario) (decider.Plan, []decider.Step) {
	a.t.Helper()
	live := a.observe()
	var bindings []resource.Binding
	for ref, id := range a.ids {
		bindings = append(bindings, resource.Binding{Ref: ref, ID: id, Generation: 1})
	}
	slices.SortFunc(bindings, func(x, y resource.Binding) int { return x.Ref.Compare(y.Ref) })
	for i := range bindings {
		for _, o := range live.Resources {
			if o.ID == bindings[i].ID && o.Ref.Kind == bindings[i].Ref.Kind {
				bindings[i].UID, bindings[i].Key = o.UID, o.Marks.Key
			}
		}
	}
	comparator.Bind(live, comparator.Evidence{Bindings: bindings, Owner: "ovi", Kinds: schemas})
	found, err := comparator.Compare(comparator.Input{
		Intents: []resource.Intent{a.intent(s.desired(a.real))}, Kinds: schemas, Owner: "ovi",
		Live: resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{a.scope: live}},
		Applied: func(ref resource.Ref) (comparator.Applied, bool) {
			attrs, ok := a.configured[ref]
			return comparator.Applied{Attrs: attrs}, ok
		},
	})
	if err != nil {
		a.t.Fatal(err)
	}
	proven := func(*resource.Observed) (decider.Origin, error) { return decider.Origin{}, nil }
	p, err := decider.Decide(found, schemas, decider.Facts{Prune: s.prune, Origin: proven})
	if err != nil {
		a.t.Fatal(err)
	}
	return p, decider.Steps(p)
}

// lines are the actions of a plan, with the paths of their changes, and its conflicts.
func lines(p decider.Plan) (actions, conflicts []string) {
	for _, d := range p.Decisions {
		name := d.Ref.Kind + "/" + d.Ref.Name
		switch {
		case d.Difference == comparator.Conflict:
			conflicts = append(conflicts, name+": conflict: "+strings.TrimPrefix(d.Message, d.Observed.ID+" "))
		case !d.Action.Executes():
		case d.Difference == comparator.Drifted:
			var paths []string
			for _, c := range d.Changes {
				paths = append(paths, c.Name())
			}
			actions = append(actions, fmt.Sprintf("%s %s: %s", d.Action, name, strings.Join(paths, ", ")))
		default:
			actions = append(actions, string(d.Action)+" "+name)
		}
	}
	return actions, conflicts
}

// apply does the steps; what depends on a failed one is not started.
func (a *actor) apply(p decider.Plan, steps []decider.Step) {
	done := make([]bool, len(steps))
	for i, step := range steps {
		d := &p.Decisions[step.Decision]
		name := d.Ref.Kind + "/" + d.Ref.Name
		if slices.ContainsFunc(step.After, func(k int) bool { return !done[k] }) {
			if step.Phase == decider.CreatePhase {
				a.failed = append(a.failed, name+": not started")
			}
			continue
		}
		if err := a.step(d, step.Phase); err != nil {
			a.failed = append(a.failed, fmt.Sprintf("%s: %s: %s", name, provider.CauseOf(err), err))
			continue
		}
		done[i] = true
	}
}

func (a *actor) step(d *decider.Decision, phase decider.Phase) error {
	if phase == decider.DeletePhase {
		return a.p.Delete(a.context(), provider.Request{Have: *d.Observed})
	}
	q := a.request(*d.Desired)
	q.Desired.State, q.Desired.Replace = d.Desired.State, d.Strategy
	if d.Action == decider.Update || d.Action == decider.Restart {
		q.Have, q.Changes = *d.Observed, d.Changes
		_, err := a.p.Update(a.context(), q)
		return err
	}
	checked := q
	if d.Observed != nil {
		checked.Have = *d.Observed
	}
	if err := a.p.Check(a.context(), checked); err != nil {
		return err
	}
	if d.Action == decider.Replace && d.Strategy.SetsAside() {
		return a.swap(d, q)
	}
	o, err := a.p.Create(a.context(), q)
	if err == nil {
		a.ids[d.Ref] = o.ID
	}
	return err
}

// swap sets the old container aside and switches to the new one; back, if that is not healthy.
func (a *actor) swap(d *decider.Decision, q provider.Request) error {
	aside, err := a.p.SetAside(a.context(), provider.Request{Desired: q.Desired, Have: *d.Observed})
	if err != nil {
		return err
	}
	q.Beside = &aside
	created, err := a.p.Create(a.context(), q)
	if err != nil {
		return err
	}
	q.Have = created
	now, err := a.p.Switch(a.context(), q)
	if err != nil {
		return err
	}
	if now.Health == resource.Healthy {
		a.ids[d.Ref] = created.ID
		return nil
	}
	if err := a.p.Delete(a.context(), provider.Request{Have: now}); err != nil {
		return err
	}
	if _, err := a.p.Restore(a.context(),
		provider.Request{Desired: resource.Desired{Ref: d.Ref}, Have: aside}); err != nil {
		return err
	}
	return fmt.Errorf("goes back: %s", now.Message)
}

// exists lists what the provider sees on the host, but for what Podman and ovi have by themselves.
func (a *actor) exists() (out []string) {
	for _, o := range a.observe().Resources {
		if name := o.NaturalRef().Name; o.Message != resource.ProviderDefault && !strings.HasPrefix(name, "ovi-") {
			out = append(out, fmt.Sprintf("%s/%s %s", o.Ref.Kind, name, o.Health))
		}
	}
	slices.Sort(out)
	return out
}

func (a *actor) run(s scenario, c *libpod.Client) {
	t := a.t
	if s.initial != nil {
		for _, x := range s.initial(a.real) {
			d, _ := a.create(x.kind, x.name, x.set)
			a.configured[d.Ref] = d.Attrs
		}
	}
	if s.byHand != nil {
		s.byHand(a.real, c)
	}
	p, steps := a.plan(s)
	actions, conflicts := lines(p)
	if diff := cmp.Diff(s.actions, actions); diff != "" {
		t.Errorf("actions -want +got:\n%s", diff)
	}
	a.failed = conflicts
	a.apply(p, steps)
	if diff := cmp.Diff(s.errors, a.failed); diff != "" {
		t.Errorf("errors -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(s.left, a.exists()); diff != "" {
		t.Errorf("left -want +got:\n%s", diff)
	}
	if len(a.failed) > 0 {
		return
	}
	for _, d := range a.intent(s.desired(a.real)).Resources {
		a.configured[d.Ref] = d.Attrs
	}
	if p, _ := a.plan(s); !p.Empty() {
		again, _ := lines(p)
		t.Errorf("another plan is not empty: %q", again)
	}
}
