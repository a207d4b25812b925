package follow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/rollout"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage"
)

// A stack whose rules have Updates is compared twice where a resource stays behind: first with the loaded
// configuration, which shows how far each resource has got, and then with the configuration that each
// follows. Other stacks are compared once and need no reads for this.

// Facts holds the record of the rollouts of a plan.
type Facts struct {
	good   map[resource.Ref]event.LastGood
	waves  map[rolloutName]event.Wave
	orders []event.Ordered
	open   map[resource.Ref]ledger.OpenAction
}

// Under returns the facts with the last good configurations of renamed resources under their new names.
func (f *Facts) Under(renames []comparator.Rename) *Facts {
	out := *f
	out.good = maps.Clone(f.good)
	// All names go before any is set, because two resources may have exchanged theirs.
	for _, r := range renames {
		delete(out.good, r.From)
		delete(out.good, r.To)
	}
	for _, r := range renames {
		if good, known := f.good[r.From]; known {
			good.Ref = r.To
			out.good[r.To] = good
		}
	}
	return &out
}

// rolloutName names what is rolled out together.
type rolloutName struct{ stack, kind, name string }

// Load reads what is recorded of rollouts, if the intents ask for any; else it returns nil.
//
// A stack without rules of updates needs the record too if attempts failed: what is left of an
// earlier configuration is healed meanwhile. Open actions are the present ones, whatever the
// revision: a step that runs counts as pending.
func Load(
	ctx context.Context, r *ledger.Reader, intents []resource.Intent, at storage.Revision, failed bool,
) (*Facts, error) {
	orders, err := r.Orders(ctx)
	if err != nil {
		return nil, err
	}
	if len(orders) == 0 && !failed &&
		!slices.ContainsFunc(intents, func(in resource.Intent) bool { return len(in.Rules.Updates) > 0 }) {
		return nil, nil
	}
	f := &Facts{orders: orders, waves: map[rolloutName]event.Wave{}, open: map[resource.Ref]ledger.OpenAction{}}
	if f.good, err = r.LastGood(ctx, at); err != nil {
		return nil, fmt.Errorf("read the last good configurations: %w", err)
	}
	waves, err := r.Waves(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("read the waves: %w", err)
	}
	for _, w := range waves {
		f.waves[rolloutName{w.Stack, w.Kind, w.Name}] = w
	}
	opens, err := r.OpenActions(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the open actions: %w", err)
	}
	for _, o := range opens {
		f.open[o.Ref] = o
	}
	return f, nil
}

// Rollout is the progress of the newest configuration of the resources of one kind and name.
type Rollout struct {
	event.Wave
	isNew    bool // nothing is recorded of this version
	complete bool // all have it, and are healthy
	gate     gate
}

// Input holds the knowledge of a plan about its resources.
type Input struct {
	At        time.Time
	Intents   []resource.Intent
	Live      resource.LiveState
	Providers provider.Set
	Applied   func(resource.Ref) (event.Applied, bool)
	Tries     map[resource.Ref]ledger.ResourceTries
	Down      map[resource.Ref]rows.Down // what is not healthy, since when
	Loaded    comparator.Result          // the comparison with the configurations that are loaded
	BackOff   *decider.BackOff           // of attempts; nil if they do not wait
	Bound     func(resource.Ref) bool    // it is proven to exist, unless it was deleted outside ovi
}

// rolling decides the rollouts of one plan.
type rolling struct {
	*Facts
	Input
	found  map[resource.Ref]*comparator.Difference // from the loaded configuration
	have   map[resource.Ref]*resource.Observed
	follow *Following
}

// Follow decides which configuration each resource follows now. It reads nothing and has no other
// effect than its result.
func (f *Facts) Follow(in Input) *Following {
	r := &rolling{
		Facts: f, Input: in, found: map[resource.Ref]*comparator.Difference{},
		have: map[resource.Ref]*resource.Observed{}, follow: &Following{
			Orders: f.orders, providers: in.Providers,
			instead: map[resource.Ref]*resource.Desired{}, blockers: map[resource.Ref]decider.Blocker{},
			Why: map[resource.Ref]decider.Follows{}, back: map[resource.Ref]event.Exhausted{},
		},
	}
	for i := range in.Loaded.Differences {
		if d := &in.Loaded.Differences[i]; d.Desired != nil {
			r.found[d.Ref] = d
		}
	}
	for _, s := range in.Live.Scopes {
		for i := range s.Resources {
			if o := &s.Resources[i]; o.Managed() {
				r.have[o.Ref] = o
			}
		}
	}
	for i := range in.Intents {
		r.stack(&in.Intents[i])
	}
	return r.follow
}

// stack decides the rollouts of one stack.
func (r *rolling) stack(in *resource.Intent) {
	byName := map[rolloutName][]*resource.Desired{}
	for i := range in.Resources {
		d := &in.Resources[i]
		if k, _ := r.Providers.Kind(d.Ref.Provider, d.Ref.Kind); k.Async || k.State != "" { // others do not fail later
			n := rolloutName{in.Stack, d.Ref.Kind, d.Ref.Name}
			byName[n] = append(byName[n], d)
		}
	}
	for _, u := range in.Rules.Updates {
		if all := byName[rolloutName{in.Stack, u.Kind, u.Name}]; len(all) > 0 {
			r.one(in.Rules, u, all)
		}
	}
	gated := r.gated(in.Stack)
	for n, all := range byName {
		if !gated && !slices.ContainsFunc(all, func(d *resource.Desired) bool { return len(r.Tries[d.Ref]) > 0 }) {
			continue
		}
		// Names with a rule are decided above.
		if u := in.Rules.UpdateOf(n.kind, n.name); u.Name == "" {
			r.one(in.Rules, u, all)
		}
	}
}

// one decides one rollout. The state of a rollout is recorded only if it differs from the recorded
// one, so that a plan without news adds no event.
func (r *rolling) one(limits rules.Rules, u rules.Update, all []*resource.Desired) {
	ref := all[0].Ref
	now := Rollout{
		Wave: event.Wave{Stack: ref.Stack, Kind: ref.Kind, Name: ref.Name, Version: versionOf(all)}, complete: true,
	}
	was := r.waves[rolloutName{ref.Stack, ref.Kind, ref.Name}]
	if now.isNew = was.Version != now.Version; now.isNew {
		was = event.Wave{}
	}
	had := map[resource.Ref]bool{}
	for _, x := range was.Had {
		had[x] = true
	}
	now.gate = r.gateOf(u, now.Version, all)
	allowed := decider.AttemptsAllowed(limits, ref)
	if allowed.Count == 0 {
		allowed.Count = decider.DefaultAttempts
	}
	o := rollout.Rollout{
		Version: now.Version, Waves: u.Waves, MaxUnavailable: u.MaxUnavailable, MaxFailed: u.MaxFailed,
		Attempts: allowed.Count, Rollback: u.Rollback, Reach: was.Reach, Halted: was.Halted,
		Frozen: now.gate.frozen != nil, Promote: u.Promote, Promoted: now.gate.wave,
	}
	states := make([]rollout.Progressing, len(all))
	var failed []string
	for i, d := range all {
		x := r.progress(d)
		tries := r.Tries[d.Ref].Of(x.Desired).Attempts
		x.Spent, _ = tries.UsedUp(allowed)
		if r.BackOff != nil {
			_, x.Deferred = r.BackOff.Until(tries, r.At)
		}
		x.Locked = now.gate.locked[x.Ref] != nil
		// It had the configuration before the rollout, in which it takes no part. The wave records that, because later
		// plans cannot tell.
		if x.Unchanged = had[x.Ref]; now.isNew && u.Staged() && x.Has == x.Desired {
			x.Unchanged = true
			now.Had = append(now.Had, x.Ref)
		}
		done := x.Has == x.Desired && x.Health == resource.Healthy
		if now.complete = now.complete && done; x.Spent && !done {
			failed = append(failed, x.Ref.Location)
		}
		states[i] = x
	}
	targets, halted, reach := rollout.Decide(o, states)
	if now.Reach, now.Of, now.Halted = reach, o.Total(), halted; halted {
		now.Why = failedOn(failed)
	}
	for i, d := range all {
		if targets[d.Ref].Reason == rollout.Promotion {
			now.Awaits = "promotion"
		}
		r.follow.decide(d, &states[i], targets[d.Ref], &now, r.good[d.Ref].Applied, u)
		r.follow.spent(d.Ref, r.Tries[d.Ref].Of(states[i].Desired).Attempts, allowed)
	}
	if u.Staged() {
		r.follow.Rollouts = append(r.follow.Rollouts, now)
		if (now.isNew && !now.complete || !now.isNew) &&
			(was.Version != now.Version || was.Reach != reach || was.Halted != halted || was.Awaits != now.Awaits) {
			r.follow.Waves = append(r.follow.Waves, now.Wave)
		}
	}
}

// versionOf returns a digest of the configurations of all resources of a rollout, in every location. The order of the
// resources does not change it.
func versionOf(all []*resource.Desired) string {
	var digests []string
	for _, d := range all {
		digests = append(digests, d.Digest())
	}
	slices.Sort(digests)
	if digests = slices.Compact(digests); len(digests) == 1 {
		return digests[0]
	}
	sum := sha256.Sum256([]byte(strings.Join(digests, " ")))
	return hex.EncodeToString(sum[:])
}

// failedOn says where a rollout failed.
func failedOn(locations []string) string {
	const shown = 3
	text := strings.Join(locations[:min(shown, len(locations))], ", ")
	if more := len(locations) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return "it failed on " + text
}

// progress returns the progress of a resource towards the configuration that is loaded. A resource
// that cannot be observed keeps its last known health and counts as offline: it is neither a
// success nor a failure of the configuration.
func (r *rolling) progress(d *resource.Desired) rollout.Progressing {
	x := rollout.Progressing{Ref: d.Ref, Desired: d.Digest()}
	if good, known := r.good[d.Ref]; known {
		x.LastGood = good.Desired
		_, whole := returnTo(d, good.Applied)
		x.Sealed = !whole
	}
	tries := r.Tries[d.Ref]
	x.Attempts, x.Returns = tries.Of(x.Desired).Used(), tries.Of(x.LastGood).Used()
	applied, _ := r.Applied(d.Ref)
	diff, o := r.found[d.Ref], r.have[d.Ref]
	// A resource with an open action counts as pending, with the configuration of that action.
	if open, is := r.open[d.Ref]; is {
		x.Has, x.Health = open.Desired, resource.Pending
		x.Offline = r.Live.Covers(d.Ref) != nil
		return x
	}
	switch {
	case diff == nil || diff.Type == comparator.Drifted && sameAttrs(diff.Changes):
		x.Has = x.Desired
	case diff.Type == comparator.Unreachable || diff.Type == comparator.Conflict: // nothing can be done there
		x.Offline, x.Has, x.Health = true, applied.Desired, resource.Healthy
		if down, is := r.Down[d.Ref]; is {
			x.Health = down.Health
		}
		return x
	case diff.Type == comparator.Missing && r.Bound != nil && r.Bound(d.Ref):
		x.Had = applied.Desired
	case diff.Type == comparator.Drifted && applied.Desired != x.Desired:
		x.Has = applied.Desired
	// No digest equals this text, so the resource does not count as one with the new configuration.
	case diff.Type == comparator.Drifted:
		x.Has = "changed outside ovi"
	}
	if o != nil {
		x.Health = o.Health
	}
	if d.State == resource.StateStopped && x.Health == resource.Stopped {
		x.Health = resource.Healthy
	}
	return x
}

// sameAttrs reports whether changes are about the state or the marks alone.
func sameAttrs(changes []resource.Change) bool {
	return !slices.ContainsFunc(changes, func(c resource.Change) bool {
		return c.On == resource.OnAttribute || c.On == resource.OnTag
	})
}
