package decider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// member is one of a count in a test: what it is and what is to be done with it.
type member struct {
	health  resource.Health // "": it does not exist
	change  string          // "", "size" (restarts), "image" (replaced), "label" (in place)
	blocked bool
}

var scopeA = resource.Scope{Provider: "fake", Location: "a"}

func memberRef(name string, i int) resource.Ref {
	return resource.Ref{Stack: "web", Provider: "fake", Location: "a", Kind: "server", Name: fmt.Sprintf("%s-%d", name, i)}
}

// setPlan is the plan for a count.
func setPlan(t rapid.TB, budget string, all []member) decider.Plan {
	t.Helper()
	set := &resource.Set{Name: "web"}
	if budget != "" {
		set.MaxUnavailable, _ = rules.ParseBudget(budget)
	}
	var found comparator.Result
	healths := map[resource.Ref]resource.Health{}
	blocked := blockRefs{}
	var configured []resource.Desired
	for i, m := range all {
		ref := memberRef("web", i)
		d := &resource.Desired{Ref: ref, Set: set, State: resource.StateRunning}
		o := &resource.Observed{Ref: ref, ID: "i-" + ref.Name, Ownership: resource.Proven, Health: m.health}
		configured = append(configured, *d)
		diff := comparator.Difference{Ref: ref, Type: comparator.Drifted, Desired: d, Observed: o}
		if m.health != "" {
			healths[ref] = m.health
		}
		blocked[ref] = m.blocked
		effect := map[string]resource.Effect{"size": resource.Restart, "image": resource.Replace, "label": resource.InPlace}[m.change]
		switch {
		case m.health == "":
			diff.Type, diff.Observed = comparator.Missing, nil
		case m.health == resource.Stopped:
			diff.Changes = append(diff.Changes, resource.Change{On: resource.OnState, Path: "state", Effect: resource.Restart})
		case m.change == "":
			found.Unchanged++
			continue
		}
		if m.health != "" && m.change != "" {
			diff.Changes = append(diff.Changes, resource.Change{On: resource.OnAttribute, Path: m.change, Effect: effect})
		}
		found.Differences = append(found.Differences, diff)
	}
	slices.SortFunc(found.Differences, func(a, b comparator.Difference) int { return a.Ref.Compare(b.Ref) })
	p, err := decider.Decide(found, kinds, decider.Facts{
		Sets:   decider.SetsOf([]resource.Intent{{Stack: "web", Resources: configured}}),
		Health: func(r resource.Ref) (resource.Health, bool) { h, ok := healths[r]; return h, ok },
		Origin: func(*resource.Observed) (decider.Origin, error) { return decider.Origin{Record: 1}, nil },
	}, blocked)
	if err != nil {
		t.Fatalf("decide: %v", err)
	}
	return p
}

type blockRefs map[resource.Ref]bool

func (blockRefs) Name() string { return "test" }

func (b blockRefs) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i := range p.Decisions {
		if b[p.Decisions[i].Ref] {
			out[i] = decider.Blocker{Reason: "test"}
		}
	}
	return out, nil
}

// TestNoMoreOfACountIsInterruptedThanMayBe performs drawn plans in any order that their steps allow, with
// steps that fail: whenever one in service is interrupted, fewer others than may be are not in service.
func TestNoMoreOfACountIsInterruptedThanMayBe(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		all := make([]member, rapid.IntRange(2, 12).Draw(t, "size"))
		for i := range all {
			all[i] = member{
				health:  rapid.SampledFrom([]resource.Health{"", resource.Healthy, resource.Healthy, resource.Healthy, resource.Stopped, resource.Failing, resource.Pending}).Draw(t, "health"),
				change:  rapid.SampledFrom([]string{"", "size", "size", "image", "label"}).Draw(t, "change"),
				blocked: rapid.IntRange(0, 9).Draw(t, "blocked") == 0,
			}
		}
		budget := rapid.SampledFrom([]string{"", "1", "2", "3", "30%", "100%"}).Draw(t, "max_unavailable")
		p := setPlan(t, budget, all)
		set := &resource.Set{Name: "web"}
		set.MaxUnavailable, _ = rules.ParseBudget(budget)
		x := setRun{t: t, plan: p, most: set.Most(len(all)), down: map[resource.Ref]bool{}}
		failures := rapid.Bool().Draw(t, "with failures")
		for i, m := range all {
			// An apply waits for what starts before each turn.
			x.down[memberRef("web", i)] = m.health != resource.Healthy && m.health != resource.Pending
		}
		stuck := slices.ContainsFunc(p.Decisions, func(d decider.Decision) bool { return len(d.Blockers) > 0 })
		if left := x.run(failures); left > 0 && !failures && !stuck {
			t.Errorf("%d steps never start", left)
		}
	})
}

// setRun performs the steps of a plan.
type setRun struct {
	t    *rapid.T
	plan decider.Plan
	most int
	down map[resource.Ref]bool // not in service
}

// run performs all steps that can start, and gives how many never do.
func (x *setRun) run(failures bool) int {
	steps := decider.Steps(x.plan)
	const waits, runs, done, failed = 0, 1, 2, 3
	state := make([]int, len(steps))
	for {
		var ready, running []int
		for i, s := range steps {
			may := state[i] == waits && !slices.ContainsFunc(s.After, func(a int) bool { return state[a] != done })
			if may {
				ready = append(ready, i)
			} else if state[i] == runs {
				running = append(running, i)
			}
		}
		switch n := len(ready) + len(running); {
		case n == 0:
			left := 0
			for _, s := range state {
				if s == waits {
					left++
				}
			}
			return left
		default:
			k := rapid.IntRange(0, n-1).Draw(x.t, "next")
			if k < len(ready) {
				x.start(steps[ready[k]])
				state[ready[k]] = runs
				continue
			}
			i := running[k-len(ready)]
			state[i] = done
			if failures && rapid.IntRange(0, 4).Draw(x.t, "fails") == 0 {
				state[i] = failed
			} else if steps[i].Phase == decider.CreatePhase {
				x.down[x.plan.Decisions[steps[i].Decision].Ref] = false
			}
		}
	}
}

func (x *setRun) start(s decider.Step) {
	d := &x.plan.Decisions[s.Decision]
	if d.Action == decider.Update || d.Action == decider.Create || x.down[d.Ref] {
		return
	}
	others := 0
	for ref, down := range x.down {
		if down && ref != d.Ref {
			others++
		}
	}
	if others >= x.most {
		x.t.Fatalf("%s is interrupted while %d others are not in service, and %d may be", d.Ref, others, x.most)
	}
	x.down[d.Ref] = true
}

func TestTurns(t *testing.T) {
	t.Parallel()
	up := func(change string) member { return member{health: resource.Healthy, change: change} }
	down := func(change string) member { return member{health: resource.Stopped, change: change} }
	failing, pending := member{health: resource.Failing}, member{health: resource.Pending}
	for _, c := range []struct {
		name, budget string
		all          []member
		want         string // each decision with a turn, and what it is after; ! is blocked
	}{
		{"one at a time", "1", []member{up("size"), up("image"), up("size")}, "0 1<0 2<1"},
		{"a quarter, at least one", "", []member{up("size"), up("size"), up("size")}, "0 1<0 2<1"},
		{"a quarter of eight", "", slices.Repeat([]member{up("size")}, 8), "0 1 2<0 3<1 4<2 5<3 6<4 7<5"},
		{"all at once", "100%", []member{up("size"), up("size")}, "0 1"},
		{"what is down goes first", "1", []member{up("size"), up("size"), down("")}, "2 0<2 1<0"},
		{"what is down blocks none within the budget", "2", []member{up("size"), up("size"), down("size")}, "2 0<2 1"},
		{"more are down than may be", "1", []member{up("size"), down("size"), {}}, "1 2 0<1,2"},
		{"what is down and not repaired", "1", []member{up("size"), failing, up("size")}, "!0 !2"},
		{"or takes one of two lanes", "2", []member{up("size"), failing, up("size")}, "0 2<0"},
		{"what starts is waited for when it is their turn", "1", []member{up("size"), pending, up("size")}, "0 2<0"},
		{"all start", "1", slices.Repeat([]member{{health: resource.Pending, change: "size"}}, 3), "0 1<0 2<1"},
		{"what starts and is changed goes first", "1", []member{up("size"), {health: resource.Pending, change: "size"}}, "1 0<1"},
		{"what is blocked and down", "1", []member{up("size"), {health: resource.Stopped, blocked: true}}, "!0"},
		{"what is blocked and in service", "1", []member{{health: resource.Healthy, change: "size", blocked: true}, up("size"), up("size")}, "1 2<1"},
		{"a change in place takes no turn", "1", []member{up("label"), up("label"), up("size")}, "2"},
		{"nothing in service is interrupted", "1", []member{down("size"), down("size"), {}}, ""},
	} {
		if got := describe(setPlan(t, c.budget, c.all)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func describe(p decider.Plan) string {
	short := func(r resource.Ref) string { return strings.TrimPrefix(r.Name, "web-") }
	var first, rest []string
	for i := range p.Decisions {
		d := &p.Decisions[i]
		switch {
		case slices.ContainsFunc(d.Blockers, func(b decider.Blocker) bool { return b.Policy == decider.MaxUnavailable }):
			rest = append(rest, "!"+short(d.Ref))
		case d.Turn == nil:
		case d.Turn.After == nil && d.Observed != nil && d.Observed.Health == resource.Healthy:
			rest = append(rest, short(d.Ref))
		case d.Turn.After == nil:
			first = append(first, short(d.Ref))
		default:
			var after []string
			for _, r := range d.Turn.After {
				after = append(after, short(r))
			}
			rest = append(rest, short(d.Ref)+"<"+strings.Join(after, ","))
		}
	}
	return strings.Join(append(first, rest...), " ")
}

// TestTurnsAreTakenBackWhereAllGoFirst: servers of a replaced network are deleted before it, all of them.
func TestTurnsAreTakenBackWhereAllGoFirst(t *testing.T) {
	t.Parallel()
	set := &resource.Set{Name: "web"}
	net := resource.Ref{Stack: "web", Provider: "fake", Location: "a", Kind: "network", Name: "main"}
	own := func(ref resource.Ref, attrs resource.Attrs) resource.Observed {
		return resource.Observed{Ref: ref, ID: "i-" + ref.Name, Ownership: resource.Proven, Health: resource.Healthy, Attrs: attrs}
	}
	attrs := func(name string, v resource.Value) resource.Attrs { return resource.Attrs{{Name: name, Value: v}} }
	s := scene{
		intents: []resource.Intent{{Stack: "web", Resources: []resource.Desired{
			{Ref: net, Attrs: attrs("range", resource.String("new"))},
			{Ref: memberRef("web", 0), Set: set, Attrs: attrs("network", resource.Reference{Ref: net})},
			{Ref: memberRef("web", 1), Set: set, Attrs: attrs("network", resource.Reference{Ref: net})},
		}}},
		liveState: resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{scopeA: {Scope: scopeA, Resources: []resource.Observed{
			own(net, attrs("range", resource.String("old"))),
			own(memberRef("web", 0), attrs("network", resource.String("i-main"))),
			own(memberRef("web", 1), attrs("network", resource.String("i-main"))),
		}}}},
	}
	p := s.plan(t, decider.Facts{Origin: func(*resource.Observed) (decider.Origin, error) { return decider.Origin{Record: 1}, nil }})
	var warnings []string
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Turn != nil {
			t.Errorf("%s has a turn: %+v", d.Ref, d.Turn)
		}
		for _, w := range p.Decisions[i].Warnings {
			warnings = append(warnings, w.Policy+": "+w.Text)
		}
	}
	want := []string{"max_unavailable: 2 of server/web are unavailable at one time: what they depend on is replaced, and they are deleted before it"}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Error(diff)
	}
	s.do(t, p)
}

// TestABlockIsOneSet: the resources of a block are one set, over all its keys and counts, whatever their names are; a
// block with another name is another set, and so is the same block in another location.
func TestABlockIsOneSet(t *testing.T) {
	t.Parallel()
	web, other := &resource.Set{Name: "${each.key}-web"}, &resource.Set{Name: "web"}
	var configured []resource.Desired
	var live []resource.Observed
	add := func(location, name string, set *resource.Set) {
		ref := resource.Ref{Stack: "web", Provider: "fake", Location: location, Kind: "server", Name: name}
		size := func(v string) resource.Attrs { return resource.Attrs{{Name: "size", Value: resource.String(v)}} }
		configured = append(configured, resource.Desired{Ref: ref, Set: set, Attrs: size("new")})
		live = append(live, resource.Observed{
			Ref: ref, ID: "i-" + name, Ownership: resource.Proven, Health: resource.Healthy, Attrs: size("old"),
		})
	}
	for _, name := range []string{"a-web", "b-web", "c-web-0", "c-web-10", "c-web-2"} {
		add("a", name, web)
	}
	add("a", "web-0", other)
	add("a", "web-1", other)
	add("b", "d-web", web)
	p := sceneOf(configured, live...).plan(t, decider.Facts{
		Health: func(resource.Ref) (resource.Health, bool) { return resource.Healthy, true },
	})
	got := map[string]string{}
	for _, d := range p.Decisions {
		if d.Turn == nil {
			got[d.Ref.Location+"/"+d.Ref.Name] = "no turn"
			continue
		}
		after := ""
		for _, r := range d.Turn.After {
			after += " after " + r.Name
		}
		got[d.Ref.Location+"/"+d.Ref.Name] = fmt.Sprintf("%d of %d of %s%s", d.Turn.Most, d.Turn.Size, d.Turn.Of, after)
	}
	want := map[string]string{
		"a/a-web":    "1 of 5 of server/${each.key}-web",
		"a/b-web":    "1 of 5 of server/${each.key}-web after a-web",
		"a/c-web-0":  "1 of 5 of server/${each.key}-web after b-web",
		"a/c-web-2":  "1 of 5 of server/${each.key}-web after c-web-0",
		"a/c-web-10": "1 of 5 of server/${each.key}-web after c-web-2",
		"a/web-0":    "1 of 2 of server/web", "a/web-1": "1 of 2 of server/web after web-0",
		"b/d-web": "no turn",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
