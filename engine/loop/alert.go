package loop

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/unread"
)

// alerts lists the alerts of a plan. A Blocker that ends at a time, or that is reported elsewhere, is no alert.
func (l *stackLoop) alerts(p *engine.Planned) []Alert {
	var out []Alert
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		switch {
		case d.Difference == comparator.Conflict:
			out = append(out, Alert{Type: ConflictAlert, Ref: d.Ref, Text: d.Message})
		case d.Reason == decider.ReasonBroken:
			out = append(out, Alert{Type: BrokenAlert, Ref: d.Ref, Text: d.Message})
		case d.Stopped(decider.AttemptLimit{}):
			out = append(out, Alert{Type: Exhausted, Ref: d.Ref, Text: fmt.Sprintf("%s blocked: %s", d.Proposed, exhausted(d))})
		case d.Proposed.Executes() && !d.Action.Executes():
			if v, lasts := lasting(d.Blockers); lasts {
				out = append(out, Alert{Type: BlockedAlert, Ref: d.Ref, Text: blockedText(d, v)})
			}
		case d.Action.Executes() && !l.o.Apply:
			out = append(out, Alert{Type: Pending, Ref: d.Ref, Text: fmt.Sprintf("%s: %s", d.Action, d.Message)})
		}
	}
	out = append(out, unreadAlerts(p)...)
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		for _, w := range d.Warnings {
			if w.Policy == decider.Stalled {
				out = append(out, Alert{Type: Stalled, Ref: d.Ref, Text: fmt.Sprintf("%s stalled: %s", d.Proposed, w.Text)})
			}
			if w.Policy == (decider.Fights{}).Name() {
				out = append(out, Alert{
					Type: FightAlert, Ref: d.Ref,
					Text: "something else sets a value, and updates are slowed down: " + w.Text,
				})
			}
		}
	}
	for _, r := range p.Rollouts() {
		if name := r.Kind + "/" + r.Name; r.Halted {
			out = append(out, Alert{
				Type: Halted, About: name,
				Text: fmt.Sprintf("configuration %s of %s halted in wave %d of %d: %s",
					resource.ShortDigest(r.Version), name, r.Reach, r.Of, r.Why),
			})
		}
	}
	for ref, o := range p.OpenActions() {
		// An observation has not found the result, so an operator must resolve it.
		if !o.Checked.IsZero() {
			out = append(out, Alert{
				Type: Unknown, Ref: ref, Text: fmt.Sprintf("the result of the %s of run %s could not be observed", o.Action, o.Run),
			})
		}
	}
	return append(out, l.unreachableSince(p)...)
}

// blockedText returns the text of a blocked decision, with the data that is lost if an operator approves it.
func blockedText(d *decider.Decision, v decider.Blocker) string {
	text := fmt.Sprintf("%s blocked by %s: %s", d.Proposed, v.Policy, v.Reason)
	if d.Proposed.Destroys() && d.DataLoss != "" {
		text += "; it would lose data: " + d.DataLoss
	}
	return text
}

// unreadAlerts lists the parts of sources that could not be read.
func unreadAlerts(p *engine.Planned) []Alert {
	var out []Alert
	for i := range p.Intents {
		in := &p.Intents[i]
		for _, part := range unread.All(in) {
			does := "what was accepted last is healed, and not created, changed or deleted"
			if part.Never {
				does = "it was never read, and nothing in it is created, changed or deleted"
			}
			out = append(out, Alert{Type: SourceUnread, About: part.Name, Text: fmt.Sprintf(
				"%s cannot be read since %s: %s; %s",
				unread.Title(part, in), part.Read.UTC().Format(time.RFC3339), part.Why, does)})
		}
	}
	return out
}

// exhausted says which attempts of a decision are used up.
func exhausted(d *decider.Decision) string {
	for _, v := range d.Blockers {
		if v.Policy == (decider.AttemptLimit{}).Name() {
			return v.Reason
		}
	}
	return ""
}

// lasting returns the first Blocker that does not end at a time. Decisions that the user did not
// select, and those that wait for an observation, are reported elsewhere.
func lasting(blockers []decider.Blocker) (decider.Blocker, bool) {
	for _, v := range blockers {
		switch cmp.Or(v.DueTo, v.Policy) {
		case decider.Targets{}.Name(), decider.Excludes{}.Name(), decider.Unreachable{}.Name(), decider.LastAccepted{}.Name(),
			engine.OpenActionPolicy, engine.RolloutPolicy, engine.BusyPolicy:
			return v, false
		}
		// A Blocker with a time ends without an operator.
		if v.Until == nil {
			return v, true
		}
	}
	return decider.Blocker{}, false
}

// unreadable is a scope, or one kind of it, that cannot be read.
type unreadable struct {
	scope resource.Scope
	kind  string // empty means the whole scope
}

// unreachableSince counts, for each scope and kind, the consecutive cycles that could not read it.
func (l *stackLoop) unreachableSince(p *engine.Planned) []Alert {
	now := map[unreadable]string{}
	for s, why := range p.Plan.Unreachable {
		// An offline scope reports again without a request.
		if _, offline := p.Plan.Offline[s]; !offline && !p.Plan.InFlight[s] {
			now[unreadable{s, ""}] = why
		}
	}
	for s, kinds := range p.Plan.UnreachableKinds {
		for kind, why := range kinds {
			now[unreadable{s, kind}] = why
		}
	}
	// A scope or kind that was read starts from zero again.
	maps.DeleteFunc(l.unreachable, func(u unreadable, _ int) bool { _, still := now[u]; return !still })
	var out []Alert
	for u, why := range now {
		if l.unreachable[u]++; l.unreachable[u] >= l.o.UnreachableAfter {
			out = append(out, Alert{
				Type: UnreachableAlert, Scope: u.scope, About: u.kind,
				Text: fmt.Sprintf("unreachable for %d cycles: %s", l.unreachable[u], why),
			})
		}
	}
	slices.SortFunc(out, func(a, b Alert) int { return cmp.Compare(a.Key(), b.Key()) })
	return out
}

// keyPinnedFor is the time that a pinned key is an alert, unless an operator decides about it before.
const keyPinnedFor = 24 * time.Hour

// maxPinAlerts limits the alerts about pinned keys: who writes the store can add any number of rows.
const maxPinAlerts = 20

// pins lists the keys that were pinned lately, by any instance of the store.
func (l *stackLoop) pins(ctx context.Context) ([]Alert, error) {
	pins, err := l.engine.Ledger().Pins(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the pinned keys: %w", err)
	}
	return pinAlerts(pins, l.engine.Clock()), nil
}

func pinAlerts(pins []ledger.Pin, now time.Time) (out []Alert) {
	for _, p := range pins {
		// An older pin is no alert, so that a new one is noticed.
		if now.Sub(p.At) < keyPinnedFor {
			out = append(out, Alert{Type: KeyPinned, About: p.Key, Text: fmt.Sprintf(
				"the key of instance %s was pinned at its first use; "+
					"confirm it with `ovi store trust %s`, or refuse it with --revoke", p.Instance, p.Key)})
		}
	}
	if more := len(out) - maxPinAlerts; more > 0 {
		out = append(out[:maxPinAlerts], Alert{Type: KeyPinned, About: "more", Text: fmt.Sprintf(
			"%d more keys were pinned: end this with `ovi store trust --required`", more)})
	}
	return out
}

// recovery is the recovery of the roster that stands.
func (l *stackLoop) recovery(ctx context.Context) ([]Alert, error) {
	r, err := l.engine.Ledger().Recovery(ctx)
	if err != nil || r == nil {
		return nil, err
	}
	return []Alert{{
		Type: RosterRecovery, About: string(r.Key),
		Text: phrase.Recovery(*r) + ": if you do not know why, cancel it with `ovi signer recover --cancel --sign KEYFILE`",
	}}, nil
}

// alarms lists what providers alarmed about lately.
func (l *stackLoop) alarms(context.Context) ([]Alert, error) {
	if l.o.Alarms == nil {
		return nil, nil
	}
	var out []Alert
	for _, a := range l.o.Alarms() {
		out = append(out, Alert{Type: Alarmed, Scope: a.Scope, About: a.Text, Text: a.Text})
	}
	return out, nil
}

// contradictions lists what the store says of operators' acts and the audit log does not.
func (l *stackLoop) contradictions(ctx context.Context) ([]Alert, error) {
	found, err := l.engine.Ledger().Contradictions(ctx)
	if err != nil {
		return nil, fmt.Errorf("compare the store with the audit log: %w", err)
	}
	var out []Alert
	for _, x := range found {
		if x.Log != "" {
			out = append(out, Alert{Type: StoreDiffers, About: x.Key, Text: x.Text})
			continue
		}
		out = append(out, Alert{
			Type: StoreDiffers, About: x.Key,
			Text: "the store says what the audit log does not, so it does not count: " + x.Text,
		})
	}
	return out, nil
}
