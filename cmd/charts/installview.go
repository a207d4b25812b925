package charts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/cutepod"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/chart"
)

// ChartView is a chart as the screens of its design show it: names without the namespace, in the
// order of the manifests.
type ChartView struct {
	stack   string
	prefix  string
	byHand  func(provider.Operation) []string
	desired map[named]resource.Desired
	sorted  []resource.Desired
	names   hostNames
}

// named finds a resource of a chart whatever its location is called.
type named struct{ kind, name string }

func newChartView(entries []provider.Entry, in resource.Intent, namespace string) *ChartView {
	v := &ChartView{stack: in.Stack, desired: map[named]resource.Desired{}, sorted: slices.Clone(in.Resources)}
	if namespace != "" {
		v.prefix = namespace + "-"
	}
	slices.SortStableFunc(v.sorted, func(a, b resource.Desired) int {
		return cmp.Or(cutepod.Rank(a.Ref.Kind)-cutepod.Rank(b.Ref.Kind), a.At.Compare(b.At))
	})
	for _, d := range in.Resources {
		v.desired[named{d.Ref.Kind, d.Ref.Name}] = d
	}
	for _, e := range entries {
		if e.Name == command.ChartProvider {
			v.byHand = e.ByHand
		}
	}
	return v
}

// name is the chart's name: the stack without the namespace.
func (v *ChartView) name() string {
	return strings.TrimPrefix(v.stack, strings.TrimSuffix(v.prefix, "-")+".")
}

func (v *ChartView) resource(ref resource.Ref) render.ChartResource {
	return render.ChartResource{Type: ref.Kind, Name: strings.TrimPrefix(ref.Name, v.prefix)}
}

// uses sets the names on the host, which commands use.
func (v *ChartView) uses(names hostNames) {
	v.names = names
	for _, d := range v.sorted {
		now := names.of(d)
		if key := (named{now.Ref.Kind, now.Ref.Name}); v.desired[key].Ref.IsZero() {
			v.desired[key] = now
		}
	}
}

// find is the configuration of a resource of the chart.
func (v *ChartView) find(ref resource.Ref) (resource.Desired, bool) {
	d, ok := v.desired[named{ref.Kind, ref.Name}]
	return d, ok
}

func (v *ChartView) resources() []render.ChartResource {
	var out []render.ChartResource
	for _, d := range v.sorted {
		out = append(out, v.resource(d.Ref))
	}
	return out
}

// levels are the resources by what they depend on.
func (v *ChartView) levels() [][]render.ChartResource {
	level := map[named]int{}
	var of func(d resource.Desired) int
	of = func(d resource.Desired) int {
		key := named{d.Ref.Kind, d.Ref.Name}
		n, known := level[key]
		if known {
			return n
		}
		level[key] = 0 // a chart has no cycles
		for _, ref := range d.DependsOn {
			if on, ok := v.find(ref); ok {
				n = max(n, of(on)+1)
			}
		}
		level[key] = n
		return n
	}
	var out [][]render.ChartResource
	for _, d := range v.sorted {
		n := of(d)
		for len(out) <= n {
			out = append(out, nil)
		}
		out[n] = append(out[n], v.resource(d.Ref))
	}
	return out
}

// order lists what will have a line on the screen: what is done, and what is wrong, type by type in
// the order of the chart, and then what it no longer has.
func (v *ChartView) order(p decider.Plan, known []render.ChartError) []render.ChartResource {
	var out []render.ChartResource
	for _, e := range known {
		out = append(out, resourceOr(e.Resource))
	}
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Action.Executes() || d.Reason == decider.ReasonKept {
			out = append(out, v.resource(d.Ref))
		}
	}
	place := map[render.ChartResource]int{}
	for i, r := range v.resources() {
		place[r] = i + 1 - len(v.sorted) // before what it no longer has, which is 0
	}
	slices.SortStableFunc(out, func(a, b render.ChartResource) int {
		return cmp.Or(cutepod.Rank(a.Type)-cutepod.Rank(b.Type), place[a]-place[b])
	})
	return out
}

func resourceOr(r *render.ChartResource) render.ChartResource {
	if r == nil {
		return render.ChartResource{}
	}
	return *r
}

// action is what is done with a resource, without what comes of it.
func (v *ChartView) action(d *decider.Decision) render.ChartAction {
	a := render.ChartAction{Resource: v.resource(d.Ref), Ref: d.Ref.String()}
	if d.Observed != nil {
		a.ID = d.Observed.ID
	}
	if d.Action != decider.Create && d.Action != decider.Delete {
		a.Changes, a.Differences = render.Changes(d.Changes), fieldChanges(d.Changes)
	}
	return a
}

// fieldChanges are changes as the design shows them: of a path its last word, where that is clear.
func fieldChanges(all []resource.Change) []render.FieldChange {
	count := map[string]int{}
	for _, c := range all {
		count[last(c.Name())]++
	}
	var out []render.FieldChange
	for _, c := range all {
		path := chart.FieldName(c.Name())
		if word := last(c.Name()); count[word] == 1 {
			path = chart.FieldName(word)
		}
		f := render.FieldChange{Path: path, From: render.Value(c.From), To: render.Value(c.To)}
		if c.KnownAfterApply {
			f.To = "(known after apply)"
		}
		out = append(out, f)
	}
	return out
}

func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// verbOf is what a plan's action is called on the screens; they know three.
func verbOf(a decider.Action) string {
	switch a {
	case decider.Create:
		return "created"
	case decider.Delete:
		return "deleted"
	}
	return "updated"
}
