package rollout_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/decider/rollout"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// fleet is a model of nodes with one deployment each, of what is on record of them, and of an
// engine that follows Decide.
type fleet struct {
	rollout.Rollout
	nodes []*node
	told  string // what went wrong
}

type node struct {
	rollout.Progressing
	bad       bool // the new configuration fails here
	backFails bool // so does going back
	busy      int  // cycles until an apply shows how it ended
	applied   string
	failures  int // of the new configuration, counted apart
}

const (
	oldConfig = "old"
	newConfig = "new"
)

var budgets = []rules.Budget{{}, {Set: true, Count: 1}, {Set: true, Count: 2}, {Set: true, Count: 30, Percent: true}}

func drawFleet(t *rapid.T) *fleet {
	f := &fleet{Rollout: rollout.Rollout{
		Version:        "v2",
		Waves:          rapid.SampledFrom([][]rules.Budget{nil, {{Count: 1}}, {{Count: 1}, {Count: 30, Percent: true}}, {{Count: 2}, {Count: 100, Percent: true}}}).Draw(t, "waves"),
		MaxUnavailable: rapid.SampledFrom(budgets).Draw(t, "unavailable"),
		MaxFailed:      rapid.SampledFrom(budgets).Draw(t, "failed"),
		Attempts:       rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "attempts"),
		Rollback:       rapid.Bool().Draw(t, "rollback"),
	}}
	for i := range rapid.IntRange(1, 8).Draw(t, "nodes") {
		n := &node{Progressing: rollout.Progressing{
			Ref:     resource.Ref{Provider: "edge", Location: fmt.Sprintf("site/n%d", i), Kind: "app", Name: "web"},
			Group:   fmt.Sprintf("n%d", i),
			Desired: newConfig, LastGood: oldConfig, Has: oldConfig, Health: resource.Healthy,
		}}
		switch rapid.IntRange(0, 9).Draw(t, "what it is") {
		case 0:
			n.LastGood, n.Has, n.Health = "", "", "" // a new node
		case 1:
			n.Unchanged, n.LastGood, n.Has = true, newConfig, newConfig
		}
		n.bad = !n.Unchanged && rapid.IntRange(0, 4).Draw(t, "bad") == 0
		n.backFails = rapid.IntRange(0, 3).Draw(t, "going back fails") == 0
		n.Sealed = n.LastGood != "" && rapid.IntRange(0, 4).Draw(t, "sealed") == 0
		n.Offline = rapid.IntRange(0, 3).Draw(t, "offline") == 0
		f.nodes = append(f.nodes, n)
	}
	return f
}

func (f *fleet) state() (out []rollout.Progressing) {
	for _, n := range f.nodes {
		out = append(out, n.Progressing)
	}
	return out
}

func (f *fleet) attempts() int {
	if f.Attempts == 0 {
		return 3
	}
	return f.Attempts
}

// cycle is one pass of the engine: it decides, records, and acts on what is reachable.
func (f *fleet) cycle() {
	target, halted, wave := rollout.Decide(f.Rollout, f.state())
	if wave < f.Reach || f.Halted && !halted {
		f.tell("the record went back: wave %d after %d, halted %v after %v", wave, f.Reach, halted, f.Halted)
	}
	f.Halted, f.Reach = halted, wave
	for _, n := range f.nodes {
		if n.Offline {
			continue
		}
		t := target[n.Ref]
		if n.busy > 0 {
			if n.busy--; n.busy == 0 {
				f.end(n)
			}
			continue
		}
		f.act(n, t)
	}
}

func (f *fleet) act(n *node, t rollout.Target) {
	want := map[rollout.Follow]string{rollout.New: newConfig, rollout.LastGood: n.LastGood}[t.Follow]
	if want == "" || t.NoRetry || n.Has == want && n.Health == resource.Healthy {
		return
	}
	if want != newConfig && n.Sealed && n.Has != want {
		f.tell("%s is created from a configuration with an unknown secret", n.Group)
	}
	if want == newConfig && n.failures >= f.attempts() {
		f.tell("%s is tried %d times", n.Group, n.failures+1)
	}
	if n.Health == resource.Healthy && f.MaxUnavailable.Set && f.down() > 0 && !f.MaxUnavailable.Allows(f.down()+1, f.online()) {
		f.tell("%s is changed while %d of %d are down", n.Group, f.down(), f.online())
	}
	n.applied, n.busy, n.Has, n.Health = want, 2, want, resource.Pending
}

func (f *fleet) end(n *node) {
	switch {
	case n.applied == newConfig && n.bad:
		n.Health, n.failures = resource.Failing, n.failures+1
		n.Attempts++
	case n.applied != newConfig && n.backFails:
		n.Health = resource.Failing
		n.Returns++
	default:
		n.Health, n.LastGood = resource.Healthy, n.applied
	}
}

func (f *fleet) online() int {
	return len(f.nodes) - f.count(func(n *node) bool { return n.Offline })
}

func (f *fleet) down() int {
	return f.count(func(n *node) bool { return !n.Offline && n.Health != resource.Healthy })
}

func (f *fleet) count(is func(*node) bool) (out int) {
	for _, n := range f.nodes {
		if is(n) {
			out++
		}
	}
	return out
}

func (f *fleet) tell(format string, args ...any) {
	if f.told == "" {
		f.told = fmt.Sprintf(format, args...)
	}
}
