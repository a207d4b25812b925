package decider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// kinds are immutable networks, and servers that refer to a network by an immutable attribute and
// to disks and other servers by mutable ones.
func kinds(provider, name string) (resource.Kind, bool) {
	k := resource.Kind{Provider: provider, Name: name}
	switch name {
	case "network":
		k.Attrs = []resource.Attribute{{Name: "range", Effect: resource.Replace}, {Name: "label"}}
	case "disk":
		k.Attrs = []resource.Attribute{{Name: "size"}}
	case "server":
		k.Attrs = []resource.Attribute{
			{Name: "disks", Type: resource.TSet, Elem: &resource.Attribute{RefKind: "disk"}},
			{Name: "label"},
			{Name: "network", RefKind: "network", Effect: resource.Replace},
			{Name: "peer", RefKind: "server"},
			{Name: "size", Effect: resource.Restart},
		}
	default:
		return resource.Kind{}, false
	}
	return k, true
}

// scene is an input for comparator and decider.
type scene struct {
	intents   []resource.Intent
	liveState resource.LiveState
}

func (s scene) compare(t rapid.TB) comparator.Result {
	t.Helper()
	r, err := comparator.Compare(comparator.Input{Intents: s.intents, Live: s.liveState, Kinds: kinds, Blessed: s.blessed})
	if err != nil {
		t.Fatalf("compare: %v", err)
	}
	return r
}

// blessed is what is recorded as blessed: in a scene, whatever has the mark.
func (s scene) blessed(ref resource.Ref) bool {
	for _, o := range s.liveState.Scopes[ref.Scope()].Resources {
		if o.Ref == ref && o.Marks.Blessed {
			return true
		}
	}
	return false
}

func (s scene) plan(t rapid.TB, f decider.Facts, policies ...decider.Policy) decider.Plan {
	t.Helper()
	f.Unreachable, f.Sets = s.liveState.Unreachable, decider.SetsOf(s.intents)
	if f.Blessed == nil {
		f.Blessed = s.blessed
	}
	p, err := decider.Decide(s.compare(t), kinds, f, policies...)
	if err != nil {
		t.Fatalf("decide: %v", err)
	}
	return p
}

var (
	locations = []string{"a", "b"}
	kindNames = []string{"disk", "network", "server"}
)

const perKind = 3

// drawScene draws the configurations of two stacks and live state that matches some of them, with
// resources of other stacks and unmanaged ones among them.
func drawScene(t *rapid.T) scene {
	word := func(label string) resource.Value {
		return resource.String(rapid.SampledFrom([]string{"x", "y"}).Draw(t, label))
	}
	stacks := []string{"shop", "web"}
	configured := map[string][]resource.Desired{}
	var refs []resource.Ref
	for _, location := range locations {
		for _, kind := range kindNames {
			for i := range perKind {
				for _, stack := range stacks {
					ref := resource.Ref{Stack: stack, Provider: "fake", Location: location, Kind: kind, Name: fmt.Sprintf("%s%d", kind[:1], i)}
					if rapid.IntRange(0, 2).Draw(t, "configured") > 0 {
						continue
					}
					d := resource.Desired{Ref: ref, Attrs: drawDesired(t, ref, refs, word)}
					d.Blessed = rapid.IntRange(0, 9).Draw(t, "blessed") == 0
					configured[stack] = append(configured[stack], d)
					refs = append(refs, ref)
				}
			}
		}
	}
	s := scene{liveState: resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}}}
	for _, stack := range stacks {
		s.intents = append(s.intents, resource.Intent{Stack: stack, Resources: configured[stack]})
	}
	for _, location := range locations {
		scope := resource.Scope{Provider: "fake", Location: location}
		s.liveState.Scopes[scope] = resource.Snapshot{Scope: scope, Resources: drawResources(t, location, s.intents, word)}
	}
	return s
}

// drawDesired refers only to the given resources, which exist already, so there is no cycle.
func drawDesired(t *rapid.T, ref resource.Ref, refs []resource.Ref, word func(string) resource.Value) resource.Attrs {
	k, _ := kinds(ref.Provider, ref.Kind)
	var out []resource.Attr
	for _, a := range k.Attrs {
		kind := a.RefKind
		if a.Elem != nil {
			kind = a.Elem.RefKind
		}
		near := slices.DeleteFunc(slices.Clone(refs), func(r resource.Ref) bool { return r.Kind != kind })
		switch {
		case !rapid.Bool().Draw(t, "sets "+a.Name):
		case kind == "":
			out = append(out, resource.Attr{Name: a.Name, Value: word(a.Name)})
		case len(near) == 0:
		case a.Type == resource.TSet:
			l := resource.List{}
			for _, r := range near {
				if rapid.Bool().Draw(t, "disk") {
					l = append(l, resource.Reference{Ref: r})
				}
			}
			out = append(out, resource.Attr{Name: a.Name, Value: l})
		default:
			out = append(out, resource.Attr{Name: a.Name, Value: resource.Reference{Ref: rapid.SampledFrom(near).Draw(t, a.Name)}})
		}
	}
	return resource.NewAttrs(out...)
}

// drawResources makes about half of the configured resources nearly as configured, and others at
// random: of these stacks, of another one, and unmanaged ones.
func drawResources(t *rapid.T, location string, intents []resource.Intent, word func(string) resource.Value) []resource.Observed {
	var out []resource.Observed
	ids := map[string][]string{}
	for _, kind := range kindNames {
		for i := range perKind {
			for _, owner := range []string{"", "other", "shop", "web"} {
				ref := resource.Ref{Stack: owner, Provider: "fake", Location: location, Kind: kind, Name: fmt.Sprintf("%s%d", kind[:1], i)}
				desired := find(intents, ref)
				if n := rapid.IntRange(0, 9).Draw(t, "exists"); desired != nil && n < 4 || desired == nil && n < 8 {
					continue
				}
				o := resource.Observed{Ref: ref, ID: idOf(ref), Ownership: resource.Unmanaged, Health: resource.Healthy}
				if owner != "" {
					o.Ownership = resource.Proven
					o.Marks = resource.Marks{Ref: ref, Blessed: rapid.IntRange(0, 9).Draw(t, "blessed mark") == 0}
				}
				o.Attrs = drawObserved(t, kind, ids, word)
				for _, a := range attrsOf(desired) {
					if rapid.IntRange(0, 3).Draw(t, "as configured") > 0 {
						o.Attrs = o.Attrs.With(a.Name, oldIDs(a.Value))
					}
				}
				ids[kind] = append(ids[kind], o.ID)
				out = append(out, o)
			}
		}
	}
	return out
}

func idOf(r resource.Ref) string { return "old-" + r.Stack + "-" + r.Location + "-" + r.Name }

func find(intents []resource.Intent, ref resource.Ref) *resource.Desired {
	for _, in := range intents {
		for i := range in.Resources {
			if in.Resources[i].Ref == ref {
				return &in.Resources[i]
			}
		}
	}
	return nil
}

func attrsOf(d *resource.Desired) resource.Attrs {
	if d == nil {
		return nil
	}
	return d.Attrs
}

// oldIDs replaces references by the IDs that resources have before the plan is applied.
func oldIDs(v resource.Value) resource.Value {
	switch v := v.(type) {
	case resource.Reference:
		return resource.String(idOf(v.Ref))
	case resource.List:
		out := resource.List{}
		for _, e := range v {
			out = append(out, oldIDs(e))
		}
		return out
	}
	return v
}

func drawObserved(t *rapid.T, kind string, ids map[string][]string, word func(string) resource.Value) resource.Attrs {
	k, _ := kinds("fake", kind)
	var out []resource.Attr
	for _, a := range k.Attrs {
		ref := a.RefKind
		if a.Elem != nil {
			ref = a.Elem.RefKind
		}
		switch {
		case ref == "":
			out = append(out, resource.Attr{Name: a.Name, Value: word("observed " + a.Name)})
		case a.Type == resource.TSet:
			l := resource.List{}
			for _, id := range ids[ref] {
				if rapid.Bool().Draw(t, "has disk") {
					l = append(l, resource.String(id))
				}
			}
			out = append(out, resource.Attr{Name: a.Name, Value: l})
		case len(ids[ref]) > 0:
			out = append(out, resource.Attr{Name: a.Name, Value: resource.String(rapid.SampledFrom(ids[ref]).Draw(t, "observed "+a.Name))})
		}
	}
	return resource.NewAttrs(out...)
}

// unreachable returns the scene with one scope failed. Half of its resources stay in the live
// state, and must not be used.
func (s scene) unreachable(location string) scene {
	scope := resource.Scope{Provider: "fake", Location: location}
	scopes, failed := map[resource.Scope]resource.Snapshot{}, map[resource.Scope]error{scope: errors.New("page 2 failed")}
	for k, v := range s.liveState.Scopes {
		if k == scope {
			v.Resources = v.Resources[:len(v.Resources)/2]
		}
		scopes[k] = v
	}
	return scene{s.intents, resource.LiveState{Scopes: scopes, Unreachable: failed}}
}

// notObserved returns the scene with one scope that was not observed.
func (s scene) notObserved(location string) scene {
	out := s.unreachable(location)
	out.liveState.Unreachable = nil
	delete(out.liveState.Scopes, resource.Scope{Provider: "fake", Location: location})
	return out
}

// kindUnread returns the scene in which half of the resources of one kind in a location were listed
// before the list failed.
func (s scene) kindUnread(location, kind string) scene {
	return s.with(location, func(v *resource.Snapshot) {
		n := 0
		v.Resources = slices.DeleteFunc(slices.Clone(v.Resources), func(o resource.Observed) bool {
			if o.Ref.Kind == kind {
				n++
			}
			return o.Ref.Kind == kind && n%2 == 0
		})
		v.Unreachable = map[string]error{kind: errors.New("page 2 failed")}
	})
}

// oneUnread returns the scene in which the content of one resource could not be read, and which one.
func (s scene) oneUnread(location string, which int) (scene, resource.Ref) {
	var ref resource.Ref
	out := s.with(location, func(v *resource.Snapshot) {
		if v.Resources = slices.Clone(v.Resources); len(v.Resources) == 0 {
			return
		}
		o := &v.Resources[which%len(v.Resources)]
		o.SetUnreadable("denied")
		o.Attrs, o.Tags, ref = nil, nil, o.Ref
	})
	return out, ref
}

// with returns the scene with another snapshot of a location.
func (s scene) with(location string, change func(*resource.Snapshot)) scene {
	out := scene{s.intents, resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: s.liveState.Unreachable}}
	for k, v := range s.liveState.Scopes {
		if k.Location == location {
			change(&v)
		}
		out.liveState.Scopes[k] = v
	}
	return out
}

// bytesOf writes a plan in full, except for the positions of the configured resources.
func bytesOf(t rapid.TB, p decider.Plan) string {
	t.Helper()
	p.Decisions = slices.Clone(p.Decisions)
	for i := range p.Decisions {
		if w := p.Decisions[i].Desired; w != nil {
			moved := *w
			moved.At = position.Position{}
			p.Decisions[i].Desired = &moved
		}
	}
	b, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
