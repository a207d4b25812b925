package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource/rules"
)

// trip is what happens to a site while a new version reaches it.
type trip struct {
	nodes    []string
	bad      map[string]bool // the new version fails there
	cause    map[string]provider.Cause
	update   rules.Update
	stays    bool       // a version that fails stays, instead of the one before
	away     bool       // the first node is offline from the start
	offline  [][]string // the nodes that are offline, round by round
	restarts []bool     // the orchestrator starts again before the round
}

func drawTrip(r *rapid.T) trip {
	x := trip{bad: map[string]bool{}, cause: map[string]provider.Cause{}, update: rules.Update{
		Waves:          rapid.SampledFrom([][]rules.Budget{nil, {{Set: true, Count: 1}}, {{Set: true, Count: 1}, {Set: true, Count: 50, Percent: true}}}).Draw(r, "waves"),
		MaxUnavailable: rapid.SampledFrom([]rules.Budget{{}, {Set: true, Count: 1}}).Draw(r, "max unavailable"),
		Rollback:       rapid.Bool().Draw(r, "rollback"),
		Attempts:       rules.Attempts{Count: rapid.IntRange(1, 3).Draw(r, "attempts"), Configuration: 1},
	}}
	for i := range rapid.IntRange(1, 5).Draw(r, "nodes") {
		node := fmt.Sprintf("n%d", i+1)
		x.nodes = append(x.nodes, node)
		x.bad[node] = rapid.IntRange(0, 3).Draw(r, "bad") == 0
		x.cause[node] = rapid.SampledFrom([]provider.Cause{"", provider.Unclassified, provider.Configuration}).Draw(r, "cause")
	}
	x.stays, x.away = rapid.Bool().Draw(r, "stays"), rapid.Bool().Draw(r, "away")
	for range rapid.IntRange(1, 8).Draw(r, "rounds") {
		var off []string
		if x.away {
			off = append(off, x.nodes[0])
		}
		for _, node := range x.nodes {
			if rapid.IntRange(0, 4).Draw(r, "offline") == 0 {
				off = append(off, node)
			}
		}
		x.offline = append(x.offline, off)
		x.restarts = append(x.restarts, rapid.IntRange(0, 3).Draw(r, "restart") == 0)
	}
	return x
}

// tripped is what a trip must keep, checked after each round.
type tripped struct {
	trip
	*nodes
	halted map[string]bool // nodes that had not been asked for the new version when it halted
	broken []string
}

func (x *tripped) check(halted bool) {
	for _, node := range x.trip.nodes {
		most := x.update.Attempts.Count
		if x.trip.cause[node] == provider.Configuration {
			most = x.update.Attempts.Configuration
		}
		switch n := x.times(node, "2"); {
		case x.trip.bad[node] && n > most:
			x.broken = append(x.broken, fmt.Sprintf("%s was tried %d times, %d are allowed", node, n, most))
		case x.halted[node] && n > 0:
			x.broken = append(x.broken, node+" was asked for the version behind a wave that failed")
		}
	}
	if halted && x.halted == nil {
		x.halted = map[string]bool{}
		for _, node := range x.trip.nodes {
			x.halted[node] = x.times(node, "2") == 0
		}
	}
}

// TestRolloutsKeepTheirLawsInTheEngine: whatever fails, is offline or is started again, there is no attempt too
// many, no node is asked for a version behind a wave that failed, and one that is offline blocks no other.
func TestRolloutsKeepTheirLawsInTheEngine(t *testing.T) {
	drawn.Check(t, func(r *rapid.T) {
		x := tripped{trip: drawTrip(r)}
		synctest.Test(t, func(t *testing.T) {
			var y *yard
			y, x.nodes = newNodes(t)
			x.nodes.stays, x.nodes.cause = x.trip.stays, x.trip.cause
			x.nodes.bad = func(node, version string) bool { return version == "2" && x.trip.bad[node] }
			y.rounds(appOn("1", rules.Update{}, x.trip.nodes...), 2, takes)
			on := appOn("2", x.update, x.trip.nodes...)
			round := func() {
				p := y.round(on)
				x.check(slices.ContainsFunc(p.Rollouts(), func(r engine.Rollout) bool { return r.Halted }))
				time.Sleep(takes)
			}
			for i, off := range x.trip.offline {
				clear(x.nodes.offline)
				for _, node := range off {
					x.nodes.offline[node] = time.Now()
				}
				if x.restarts[i] {
					y.stop()
					y.open(&crasher{})
				}
				round()
			}
			gone := x.trip.nodes[0] // to the end
			clear(x.nodes.offline)
			x.nodes.offline[gone] = time.Now()
			for range 8 * len(x.trip.nodes) {
				round()
			}
			for _, node := range x.trip.nodes {
				stuck := x.halted != nil || x.update.MaxUnavailable.Set && !x.update.Rollback && slices.ContainsFunc(x.trip.nodes, func(n string) bool { return x.trip.bad[n] })
				if runs := x.version(node); node != gone && !x.trip.bad[node] && !stuck && runs != "2" {
					x.broken = append(x.broken, fmt.Sprintf("%s runs %q, and nothing that is online stands before it", node, runs))
				}
				if runs := x.version(node); node != gone && x.times(node, "2") > 0 && x.trip.bad[node] && x.trip.stays && x.update.Rollback != (runs == "1") {
					x.broken = append(x.broken, fmt.Sprintf("%s runs %q after the version failed", node, runs))
				}
			}
			y.replays()
			y.stop()
		})
		for _, b := range slices.Compact(x.broken) {
			r.Error(b)
		}
	})
}

// TestAThousandNodesAreRolledOutOnTenWorkers: the actions of a wave are accepted, and hold no worker.
func TestAThousandNodesAreRolledOutOnTenWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand nodes")
	}
	synctest.Test(t, func(t *testing.T) {
		y, n := newNodes(t)
		var all []string
		for i := range 1000 {
			all = append(all, fmt.Sprintf("n%03d", i))
		}
		waves := rules.Update{Waves: []rules.Budget{{Set: true, Count: 10}, {Set: true, Count: 50, Percent: true}}}
		y.rounds(appOn("1", rules.Update{}, all...), 2, takes)
		on := appOn("2", waves, all...)
		var reached []int
		for range 4 {
			y.round(on)
			time.Sleep(takes)
			reached = append(reached, len(slices.DeleteFunc(slices.Clone(n.asked), func(s string) bool { return !strings.HasSuffix(s, " 2") })))
		}
		if !slices.Equal(reached, []int{10, 500, 1000, 1000}) {
			t.Errorf("asked for the version, wave by wave: %v", reached)
		}
		y.settled(on)
		y.stop()
	})
}
