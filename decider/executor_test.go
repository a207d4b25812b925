package decider_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// do applies a plan to live state as a provider would. It fails where the order of the steps
// deletes a resource that is still in use, or creates one before its dependency.
func (s scene) do(t rapid.TB, p decider.Plan) scene {
	t.Helper()
	steps := decider.Steps(p)
	executes := 0
	for _, d := range p.Decisions {
		if d.Action.Executes() {
			executes++
		}
		if d.Action == decider.Replace {
			executes++
		}
	}
	if len(steps) != executes {
		t.Fatalf("%d steps for %d phases of decisions", len(steps), executes)
	}
	w := executor{t: t, plan: p, resources: map[resource.Scope][]resource.Observed{}, done: map[resource.Ref]bool{}}
	for scope, snap := range s.liveState.Scopes {
		w.resources[scope] = slices.Clone(snap.Resources)
	}
	for i, step := range steps {
		for _, a := range step.After {
			if a >= i {
				t.Fatalf("step %d waits for %d, which comes later", i, a)
			}
		}
		d := &p.Decisions[step.Decision]
		if step.Phase == decider.DeletePhase {
			w.remove(d)
		} else {
			w.create(d)
			w.done[d.Ref] = true
		}
	}
	out := scene{s.intents, resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: s.liveState.Unreachable}}
	for scope, resources := range w.resources {
		out.liveState.Scopes[scope] = resource.Snapshot{Scope: scope, Resources: resources}
	}
	return out
}

type executor struct {
	t         rapid.TB
	plan      decider.Plan
	resources map[resource.Scope][]resource.Observed
	done      map[resource.Ref]bool
	created   int
}

func (w *executor) remove(d *decider.Decision) {
	w.t.Helper()
	scope := d.Ref.Scope()
	for _, o := range w.resources[scope] {
		if !holdsID(o.Attrs, d.Observed.ID, d.Ref.Kind, o.Ref.Kind) || w.done[o.Ref] {
			continue
		}
		for i := range w.plan.Decisions {
			x := &w.plan.Decisions[i]
			if x.Ref != o.Ref || x.Observed == nil || x.Observed.ID != o.ID || !x.Action.Executes() {
				continue
			}
			if x.Action.Destroys() || releases(x, d) && !w.mustFollow(x, d.Ref) {
				w.t.Fatalf("%s is deleted before %s, which depends on it", d.Ref, o.Ref)
			}
		}
	}
	w.resources[scope] = slices.DeleteFunc(w.resources[scope], func(o resource.Observed) bool { return o.ID == d.Observed.ID })
}

// mustFollow reports whether a decision can only be done after that of a ref: it depends on the
// ref, or on a resource that cannot be replaced while the ref depends on it.
func (w *executor) mustFollow(x *decider.Decision, r resource.Ref) bool {
	if x.Desired != nil && slices.Contains(x.Desired.Refs(), r) {
		return true
	}
	for i := range w.plan.Decisions {
		y := &w.plan.Decisions[i]
		if !y.Action.Executes() || x.Desired == nil || !slices.Contains(x.Desired.Refs(), y.Ref) {
			continue
		}
		if w.mustFollow(y, r) || y.Action.Destroys() && w.dependsOn(r, y) {
			return true
		}
	}
	return false
}

// dependsOn reports whether the resource of a ref is destroyed too and depends on x, perhaps
// through others.
func (w *executor) dependsOn(r resource.Ref, x *decider.Decision) bool {
	for i := range w.plan.Decisions {
		z := &w.plan.Decisions[i]
		if z.Action.Destroys() && slices.Contains(z.DependsOn, x.Ref) && (z.Ref == r || w.dependsOn(r, z)) {
			return true
		}
	}
	return false
}

// releases reports whether an update removes the ID of a deleted resource, and does not set it to
// that of its replacement.
func releases(x, d *decider.Decision) bool {
	for _, c := range x.Changes {
		from := string(resource.AppendJSON(nil, c.From))
		if strings.Contains(from, strconv.Quote(d.Observed.ID)) && !slices.Contains(resource.AppendRefs(nil, c.To), d.Ref) {
			return true
		}
	}
	return false
}

func holdsID(a resource.Attrs, id, kind, user string) bool {
	k, _ := kinds("fake", user)
	for _, s := range k.Attrs {
		v, _ := a.Get(s.Name)
		if s.RefKind == kind && resource.Equal(v, resource.String(id)) {
			return true
		}
		if l, ok := v.(resource.List); ok && s.Elem.RefKind == kind {
			if slices.ContainsFunc(l, func(e resource.Value) bool { return resource.Equal(e, resource.String(id)) }) {
				return true
			}
		}
	}
	return false
}

func (w *executor) create(d *decider.Decision) {
	w.t.Helper()
	scope := d.Ref.Scope()
	o := resource.Observed{
		Ref: d.Ref, Ownership: resource.Proven, Marks: resource.Marks{Ref: d.Ref}, Health: resource.Healthy,
	}
	if d.Action == decider.Update || d.Action == decider.Restart {
		o = *d.Observed
		w.resources[scope] = slices.DeleteFunc(w.resources[scope], func(x resource.Observed) bool { return x.ID == o.ID })
	} else {
		w.created++
		o.ID = fmt.Sprintf("new-%d", w.created)
	}
	for _, a := range d.Desired.Attrs {
		o.Attrs = o.Attrs.With(a.Name, w.resolve(a.Value, d.Ref))
	}
	o.Marks.Blessed = o.Marks.Blessed || d.Desired.Blessed
	w.resources[scope] = append(w.resources[scope], o)
}

// resolve replaces references by the IDs of the resources that exist now.
func (w *executor) resolve(v resource.Value, who resource.Ref) resource.Value {
	w.t.Helper()
	switch v := v.(type) {
	case resource.Reference:
		for _, o := range w.resources[v.Ref.Scope()] {
			if o.Ref == v.Ref && o.Managed() {
				return resource.String(o.ID)
			}
		}
		w.t.Fatalf("%s is created before %s, which it depends on", who, v.Ref)
	case resource.List:
		out := resource.List{}
		for _, e := range v {
			out = append(out, w.resolve(e, who))
		}
		return out
	}
	return v
}
