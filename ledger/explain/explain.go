package explain

import (
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/phrase"
)

// Explain explains the resource of a history. The records must be in the order in which they
// reached the store, because each one is explained by the earlier ones.
func (t Explainer) Explain(c history.ResourceHistory) Explanation {
	b := newBuilder(t, c)
	for _, r := range c.Records {
		b.read(r)
	}
	s := t.summary(c, b)
	s.Ref = t.Ref(c.Ref)
	s.Facts = t.present(c, b)
	s.Events = b.groups()
	return s
}

// present returns the facts about the present state of the resource, in the order in which they are
// shown.
func (t Explainer) present(c history.ResourceHistory, b *builder) []Fact {
	out := []Fact{{"live state", t.liveState(c)}}
	if text := t.configured(c, b); text != "" {
		out = append(out, Fact{"configuration", text})
	}
	if c.Blessed != nil {
		out = append(out, Fact{
			"blessed", "by " + c.Blessed.Who + ", " + t.since(c.Blessed.At) + phrase.Because(c.Blessed.Reason),
		})
	} else {
		for _, r := range slices.Backward(c.Records) { // who removed the last blessing
			if e, is := r.Event.(event.Blessed); is {
				text := "removed by " + e.Who + ", " + t.since(r.At) + phrase.Signed(e.SignedBy, e.Reason)
				out = append(out, Fact{"blessing", text})
				break
			}
		}
	}
	for _, d := range c.Dropped {
		if len(c.Records) > 0 && d.At.After(c.Records[0].At) { // it protected the resource for a time
			out = append(out, Fact{"policy", d.Name + " is no longer required: turned off by " + d.Who + ", " + t.since(d.At) +
				phrase.Signed(d.SignedBy, d.Reason)})
		}
	}
	var records []uint64
	whose := ""
	if d := b.lastChange(); d != nil {
		out = append(out, Fact{"approved by", b.approval(d.action)})
		records = d.Records
		if d.Instance != "" {
			whose = " of instance " + d.Instance
		}
	}
	if text := numbers(records); text != "" {
		text += whose
		if c.From > 1 {
			text += "; the audit log begins at record " + number(uint64(c.From))
		}
		out = append(out, Fact{"audit log", text})
	} else if c.From > 1 {
		out = append(out, Fact{"audit log", "begins at record " + number(uint64(c.From))})
	}
	return out
}

// liveState returns the last observation as a sentence, with its time. The time is the last read of
// the resource's kind: an observation of other kinds confirms nothing about the resource. If the
// scope was never read in full, even the absence of the resource is not stated.
func (t Explainer) liveState(c history.ResourceHistory) string {
	text := "does not exist"
	switch {
	case c.Exists == nil:
	case managed(c):
		text = phrase.ID(c.Exists.ID) + ", " + string(c.Exists.Health)
	default:
		text = phrase.ID(c.Exists.ID) + ", " + string(c.Exists.Health) + ", unmanaged"
	}
	switch {
	case c.Scan == nil:
		return text + ", " + t.scope(c.Ref) + " was never observed"
	case !c.Scan.Complete && c.Scan.Confirmed.IsZero():
		return t.scope(c.Ref) + " was never read in full; unreachable " + t.since(c.Scan.At)
	case !c.Scan.Complete:
		return text + ", observed " + t.since(c.Scan.Read(c.Ref.Kind)) + "; unreachable " + t.since(c.Scan.At)
	}
	return text + ", observed " + t.since(c.Scan.Read(c.Ref.Kind))
}

// configured returns the recorded place of the resource in its configuration. It is empty if no
// plan is recorded, or if the source of the plan is not known.
func (t Explainer) configured(c history.ResourceHistory, b *builder) string {
	p, ok := b.lastPlan()
	if !ok {
		return ""
	}
	l, _ := b.load(p)
	source := l.Source
	if w := p.decision; w != nil && w.Desired != nil && w.Desired.At.Inside() {
		source = w.Desired.At.String()
	}
	switch {
	case source == "":
		return ""
	case isUnwanted(p.decision) && p.decision.Reason == decider.ReasonDestroyed && c.Exists == nil:
		return "source " + l.Source + ", stack " + l.Stack + " destroyed"
	case isUnwanted(p.decision) && p.decision.Reason != decider.ReasonDestroyed:
		return "not in " + l.Source + ", stack " + l.Stack
	case l.Stack == "":
		return source
	}
	return source + ", stack " + l.Stack
}
