package engine_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// fault is planted into a drawn world, around the engine: in what it reads, calls and claims. The zero fault is none.
type fault struct {
	blind   bool          // servers name their networks without a reference
	timeout time.Duration // ends calls
	claims  func(w *world, i int, sky *ownSky, c engine.Claims) engine.Claims
	hides   func(key string) bool // open actions of the other instance that an instance does not see
	own     func(key string) bool // rows that each instance has for itself
	script  func(w *world)        // what happens, instead of what is drawn

	slots int  // the parallelism; 0 means 30
	waits bool // calls take time only where they wait
	busy  bool // calls that wait do not tell so
	empty bool // a source that cannot be read has no resources
}

// manyCommits commits often, so that networks are replaced while calls on servers run.
func manyCommits(w *world) {
	for range 10 {
		w.draw()
		time.Sleep(time.Duration(w.rand.IntN(90)) * time.Second)
	}
}

// commitsInChains lets one instance replace networks, and commits while their servers are down what changes neither.
func commitsInChains(w *world) {
	w.end(1, false, false)
	for range 10 {
		w.draw()
		for range 4 {
			time.Sleep(time.Duration(w.rand.IntN(120)) * time.Second)
			w.again()
		}
	}
}

// leaderFalls makes an instance with flights a helper, and then kills the one that leads.
func leaderFalls(w *world) {
	time.Sleep(5 * time.Second)
	_, _ = w.alive[0].claims.Revoke(w.t.Context(), loop.Lead+stack, 0)
	time.Sleep(5 * time.Second)
	w.end(1, true, false)
	w.draw()
	w.probed()
}

// commitsAndFalls commits often, and lets the lead pass on in between.
func commitsAndFalls(w *world) {
	for range 10 {
		w.draw()
		time.Sleep(time.Duration(w.rand.IntN(90)) * time.Second)
		_, _ = w.alive[0].claims.Revoke(w.t.Context(), loop.Lead+stack, 0)
	}
}

// leaderSleeps lets the first instance lead, which then neither notices that another one leads nor that there is a newer
// commit, and goes on with its apply.
func leaderSleeps(w *world) {
	old, _ := w.s.load(w.t.Context())
	w.end(0, false, false)
	w.end(1, false, false)
	w.behind = func(context.Context) ([]resource.Intent, error) { return old, nil }
	w.start(0)
	time.Sleep(time.Duration(1+w.rand.IntN(60)) * time.Second)
	w.start(1)
	time.Sleep(5 * time.Second)
	_, _ = w.alive[0].claims.Revoke(w.t.Context(), loop.Lead+stack, 0)
	w.draw()
	time.Sleep(20 * time.Minute)
	w.end(0, true, false)
	w.behind = nil
}

// deaf lets the first instance notice after half an hour that it does not lead any more.
func deaf(_ *world, i int, _ *ownSky, c engine.Claims) engine.Claims {
	if i > 0 {
		return c
	}
	return faulty{Claims: c, late: 30 * time.Minute}
}

// waitsInSlots commits, and checks the probe, which needs a slot.
func waitsInSlots(w *world) {
	for range 6 {
		w.draw()
		w.probed()
	}
}

// ownSky is the sky as one instance calls it.
type ownSky struct {
	*skies
	running atomic.Int32

	version func() string // of the newest commit
	down    sync.Map      // the version when the instance started to delete a resource, by ref
}

func (s *ownSky) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	s.running.Add(1)
	defer s.running.Add(-1)
	return s.skies.Create(ctx, r)
}

func (s *ownSky) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	s.running.Add(1)
	defer s.running.Add(-1)
	return s.skies.Update(ctx, r)
}

func (s *ownSky) Delete(ctx context.Context, r provider.Request) error {
	s.running.Add(1)
	defer s.running.Add(-1)
	s.down.Store(r.Have.Ref.String(), s.version())
	return s.skies.Delete(ctx, r)
}

// unseen replaces the references of servers to networks that exist by the ids of these networks.
func (w *world) unseen(in []resource.Intent) []resource.Intent {
	out := append([]resource.Intent(nil), in...)
	for i := range out {
		out[i].Resources = append([]resource.Desired(nil), out[i].Resources...)
		for k := range out[i].Resources {
			d := &out[i].Resources[k]
			net, _ := d.Attrs.Get("network")
			to, is := net.(resource.Reference)
			if !is {
				continue
			}
			if o, exists, _ := w.b.cloud.Find(to.Ref); exists {
				d.Attrs = d.Attrs.With("network", resource.String(o.ID))
			}
		}
	}
	return out
}

// faulty are the claims of an instance with a fault.
type faulty struct {
	engine.Claims
	before func(ctx context.Context, ref string) error // Hold; its error is that of Hold
	named  func(ref string) string                     // the claim that is taken instead
	late   time.Duration                               // after which the loss of the lead is noticed
}

func (f faulty) Hold(ctx context.Context, ref string, do func(context.Context, engine.Claim) error) error {
	if f.before != nil {
		if err := f.before(ctx, ref); err != nil {
			return err
		}
	}
	if f.named != nil {
		ref = f.named(ref)
	}
	if f.late > 0 && strings.HasPrefix(ref, loop.Lead) {
		heard := do
		do = func(held context.Context, c engine.Claim) error {
			unheard, end := context.WithCancelCause(context.WithoutCancel(held))
			defer end(nil)
			defer context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })()
			defer context.AfterFunc(held, func() {
				select {
				case <-time.After(f.late):
				case <-unheard.Done():
				}
				end(context.Cause(held))
			})()
			return heard(unheard, c)
		}
	}
	return f.Claims.Hold(ctx, ref, do)
}

// waitsForItsFlights takes the lead only when no call of the instance runs.
func waitsForItsFlights(_ *world, _ int, sky *ownSky, c engine.Claims) engine.Claims {
	return faulty{Claims: c, before: func(ctx context.Context, ref string) error {
		for strings.HasPrefix(ref, loop.Lead) && sky.running.Load() > 0 {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	}}
}

// alone lets each instance take claims with a prefix that do not exclude those of the other.
func alone(prefix string) func(*world, int, *ownSky, engine.Claims) engine.Claims {
	return func(_ *world, i int, _ *ownSky, c engine.Claims) engine.Claims {
		return faulty{Claims: c, named: func(ref string) string {
			if strings.HasPrefix(ref, prefix) {
				return ref + []string{"@0", "@1"}[i]
			}
			return ref
		}}
	}
}

// cutsReplacements lets no create start whose resource was deleted under an older configuration, until the next plan.
func cutsReplacements(w *world, _ int, sky *ownSky, c engine.Claims) engine.Claims {
	return faulty{Claims: c, before: func(_ context.Context, ref string) error {
		if was, is := sky.down.LoadAndDelete(ref); is && was != w.s.mark() {
			return coordinator.ErrLost
		}
		return nil
	}}
}

// cutsChains lets no server start again whose network was replaced under an older configuration, until the next plan.
func cutsChains(w *world, _ int, sky *ownSky, c engine.Claims) engine.Claims {
	return faulty{Claims: c, before: func(_ context.Context, ref string) error {
		if !strings.Contains(ref, "/server/") {
			return nil
		}
		if was, is := sky.down.LoadAndDelete(ref); is && was != w.s.mark() {
			return coordinator.ErrLost
		}
		return nil
	}}
}

// comesBack checks that the create of a network or a server which was deleted to be replaced belongs to the same plan,
// unless another instance starts it or the instance was ended. A plan of which an action failed, was claimed, or turned
// back because another plan has started what excludes it, leaves the rest to the next one.
func (w *world) comesBack() {
	ended := map[string]bool{}
	for _, r := range w.records {
		switch e := r.Event.(type) {
		case event.Finished:
			ended[e.Plan] = ended[e.Plan] || e.Outcome != event.Done
		case event.NotStarted: // by the other instance, which looks and turns back, or by a check of its own
			ended[e.Plan] = ended[e.Plan] || strings.Contains(e.Detail, " is claimed by ")
		}
	}
	for i, r := range w.records {
		e, is := r.Event.(event.Finished)
		if !is || e.Ref.Kind != "network" && e.Ref.Kind != "server" || e.Action != decider.Replace ||
			e.Phase != event.PhaseDelete || e.Outcome != event.Done || r.left {
			continue
		}
		for _, next := range w.records[i+1:] {
			s, is := next.Event.(event.Started)
			if !is || s.Ref != e.Ref {
				continue
			}
			if next.by == r.by && s.Plan != e.Plan && !ended[e.Plan] && !w.takes(r, next) {
				w.say("%s was deleted at %s to be replaced, and the %s at %s belongs to another plan", e.Ref.Short(),
					r.At.Format("15:04:05"), s.Action, next.At.Format("15:04:05"))
			}
			break
		}
	}
}

// takes reports whether an action of another instance on a network or a server ran between two records of an instance, or
// another plan of its own started one on a network. What the plan of the first record had left to do with the same
// network turned back then, which no record says.
func (w *world) takes(from, to entry) bool {
	plan := from.Event.(event.Finished).Plan
	over := func(start entry, key string) bool { // it had ended before; a create that is tried again has the same key
		return slices.ContainsFunc(w.records, func(r entry) bool {
			e, is := r.Event.(event.Finished)
			return is && e.Key == key && r.by == start.by && !r.At.Before(start.At) && r.At.Before(from.At)
		})
	}
	return slices.ContainsFunc(w.records, func(r entry) bool {
		s, is := r.Event.(event.Started)
		if !is || r.At.After(to.At) {
			return false
		}
		others := (s.Ref.Kind == "network" || s.Ref.Kind == "server") && r.by != from.by && !over(r, s.Key)
		return others || s.Ref.Kind == "network" && r.by == from.by && s.Plan != plan && !r.At.Before(from.At)
	})
}

// mostDraws is the number of worlds in which a planted fault must be found.
const mostDraws = 60

// finds draws worlds with a planted fault until each part of a text was found in what happens there.
func (f fault) finds(t *testing.T, parts ...string) {
	found := map[string]bool{}
	for seed := range uint64(mostDraws) {
		var wrong []string
		synctest.Test(t, func(t *testing.T) { wrong = drawnWorld(t, seed, f) })
		for _, text := range wrong {
			for _, part := range parts {
				if strings.Contains(text, part) && !found[part] {
					found[part] = true
					t.Logf("draw %d: %s", seed, text)
				}
			}
		}
		if len(found) == len(parts) {
			return
		}
	}
	t.Errorf("found %v in %d draws, want %q", found, mostDraws, parts)
}

// TestLaw12_DrawnWorldsFindAnUnseenDependence of a create and of a delete in flight.
func TestLaw12_DrawnWorldsFindAnUnseenDependence(t *testing.T) {
	fault{blind: true, script: manyCommits}.finds(t, "is deleted while the create of server/",
		"is deleted while the delete of server/")
}

// TestLaw12_DrawnWorldsFindPlantedFaults: each fault, planted alone around the engine, is found by what it does. The
// same worlds without it are sound.
func TestLaw12_DrawnWorldsFindPlantedFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault fault
		find  string // a part of what is found
	}{
		"a flight canceled by a timeout":      {fault{timeout: 5 * time.Minute}, "is canceled: no result within 5m"},
		"a helper that waits for its flights": {fault{claims: waitsForItsFlights, script: leaderFalls}, "the probe has"},
		"a yield between delete and create":   {fault{claims: cutsReplacements, script: commitsInChains}, "belongs to another plan"},
		"claims of one process alone":         {fault{claims: alone(stack + ":")}, "starts while its"},
		"turns by apply": {
			fault{claims: alone("turn/"), hides: ofMember, script: manyCommits}, "members of the count are down",
		},
		"a fence of one process alone":           {fault{claims: deaf, own: isLed, script: leaderSleeps}, "was loaded"},
		"waits that hold slots":                  {fault{waits: true, busy: true, slots: 2, script: waitsInSlots}, "the probe has"},
		"unseen flights of the other":            {fault{hides: isOpen, script: commitsAndFalls}, "is deleted while the"},
		"an unread source that has no resources": {fault{empty: true}, "the probe is deleted"},
		"a chain of replacements cut in the middle": {
			fault{claims: cutsChains, script: commitsInChains}, "server/",
		},
	} {
		t.Run(name, func(t *testing.T) { c.fault.finds(t, c.find) })
	}
	for name, sound := range map[string]fault{
		"many commits": {script: manyCommits}, "commits in chains": {script: commitsInChains}, "the leader falls": {script: leaderFalls},
		"the leader sleeps": {claims: deaf, script: leaderSleeps}, "commits and falls": {script: commitsAndFalls},
		"waits in slots": {waits: true, slots: 2, script: waitsInSlots},
	} {
		t.Run("no fault: "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, wrong := range drawnWorld(t, 1, sound) {
					t.Error(wrong)
				}
			})
		})
	}
}
