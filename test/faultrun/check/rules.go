package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Rules are the names of the promises, in the order of their checks.
func Rules() []string {
	return []string{
		"claims-overlap", "record-under-claim", "call-started", "call-under-claim", "calls-overlap", "call-accounted",
		"created-twice",
		"delete-of-old-plan", "delete-against-newer", "log-verifies", "replay-equals", "claims-linearizable", "one-leads",
		"lead-passes-on", "drained-releases", "converged",
	}
}

// Check applies every rule. A history without a breach proves nothing about other histories.
func Check(h History) []Breach {
	c := newChecker(h)
	for _, rule := range []func(){
		c.overlaps, c.underClaim, c.calls, c.twice, c.oldPlans, c.logs, c.linear, c.leads, c.succession, c.converged,
	} {
		rule()
	}
	return c.found
}

type claimID struct {
	ref   string
	token int64
}

type checker struct {
	History
	claims  map[claimID]Claim
	started map[string]Action // by key and token
	ends    map[string][]Action
	byRef   map[string][]Call
	found   []Breach
}

func newChecker(h History) *checker {
	c := &checker{
		History: h, claims: map[claimID]Claim{}, started: map[string]Action{}, ends: map[string][]Action{},
		byRef: map[string][]Call{},
	}
	for _, k := range h.Claims {
		c.claims[claimID{k.Ref, k.Token}] = k
	}
	for _, d := range h.Actions {
		switch d.Kind {
		case Started:
			c.started[action(d.Key, d.Token)] = d
		case Answered: // names the key only
			c.ends[d.Key] = append(c.ends[d.Key], d)
		default:
			c.ends[action(d.Key, d.Token)] = append(c.ends[action(d.Key, d.Token)], d)
		}
	}
	for _, call := range h.Calls {
		c.byRef[call.Ref] = append(c.byRef[call.Ref], call)
	}
	for _, calls := range c.byRef {
		slices.SortStableFunc(calls, func(a, b Call) int { return a.From.Compare(b.From) })
	}
	return c
}

// action names one start: several of them may have the same key.
func action(key string, token int64) string { return fmt.Sprintf("%s/%d", key, token) }

func (c *checker) breach(rule, format string, args ...any) {
	c.found = append(c.found, Breach{rule, fmt.Sprintf(format, args...)})
}

// overlaps: at most one claim on a ref at any revision, and tokens grow.
func (c *checker) overlaps() {
	all := slices.SortedFunc(slices.Values(c.Claims), func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.Ref, b.Ref), cmp.Compare(a.Token, b.Token))
	})
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		if a.Ref == b.Ref && (a.Ended == 0 || a.Ended > b.Token) {
			c.breach("claims-overlap", "%s: token %d of %s was granted while token %d of %s existed", a.Ref, b.Token, b.Instance,
				a.Token, a.Instance)
		}
	}
}

// underClaim: every start and every accepted end was committed while the claim that it names
// existed.
func (c *checker) underClaim() {
	for _, d := range c.Actions {
		if d.Kind != Started && d.Kind != Ended {
			continue
		}
		k, known := c.claims[claimID{d.Ref, d.Token}]
		switch {
		case !known:
			c.breach("record-under-claim", "%s: %s of %s at revision %d names token %d, which never existed", d.Ref, d.Kind,
				d.Instance, d.Revision, d.Token)
		case d.Revision <= d.Token || k.Ended != 0 && d.Revision >= k.Ended:
			c.breach("record-under-claim", "%s: %s of %s is accepted at revision %d, but its claim lasted from %d to %d", d.Ref,
				d.Kind, d.Instance, d.Revision, d.Token, k.Ended)
		}
	}
}

// calls: each was recorded as started before it was sent, and has an outcome; none was sent under
// an ended claim, unless its end was rejected and it met nothing newer.
func (c *checker) calls() {
	for _, call := range c.Calls {
		name := action(call.Key, call.Token)
		d, known := c.started[name]
		if !known || d.Ref != call.Ref {
			c.breach("call-started", "%s: %s of %s under key %s, token %d, was never recorded as started", call.Ref, call.Action,
				call.Instance, call.Key, call.Token)
			continue
		}
		ends := slices.Concat(c.ends[name], c.ends[call.Key])
		if !slices.ContainsFunc(ends, func(e Action) bool { return e.Kind != Uncertain && e.Revision > d.Revision }) {
			c.breach("call-accounted", "%s: %s of %s under key %s has no end, no answer and no rejection", call.Ref, call.Action,
				call.Instance, call.Key)
		}
		k := c.claims[claimID{call.Ref, call.Token}]
		late := k.Ended != 0 && call.From.After(k.EndSeen)
		if newer, is := c.overtaken(call); is {
			late = true
			if call.Good() && harms(call, newer) {
				c.breach("delete-against-newer", "%s: %s of %s, token %d, arrived after %s of %s, token %d", call.Ref, call.Action,
					call.Instance, call.Token, newer.Action, newer.Instance, newer.Token)
			}
		}
		counts := slices.ContainsFunc(ends, func(e Action) bool { return e.Kind == Ended })
		if other, is := c.during(call); is && counts {
			c.breach("calls-overlap", "%s: %s of %s, token %d, started during %s of %s, token %d, whose end is accepted",
				call.Ref, other.Action, other.Instance, other.Token, call.Action, call.Instance, call.Token)
		}
		if late && counts {
			c.breach("call-under-claim", "%s: %s of %s under token %d came after that claim had ended, and its end is accepted",
				call.Ref, call.Action, call.Instance, call.Token)
		}
	}
}

// during finds a call under another claim that arrived during this one.
func (c *checker) during(call Call) (Call, bool) {
	for _, other := range c.byRef[call.Ref] {
		if other.Token != call.Token && !other.From.Before(call.From) && other.From.Before(call.To) {
			return other, true
		}
	}
	return Call{}, false
}

// harms reports that a late delete removed what the newer call had created or kept.
func harms(late, newer Call) bool {
	if len(late.Ended) == 0 || slices.ContainsFunc(newer.Ended,
		func(id string) bool { return slices.Contains(late.Ended, id) }) {
		return false
	}
	return len(newer.Made) == 0 || slices.ContainsFunc(newer.Made,
		func(id string) bool { return slices.Contains(late.Ended, id) })
}

// overtaken finds a call under a newer claim that arrived before this one did.
func (c *checker) overtaken(call Call) (Call, bool) {
	for _, other := range c.byRef[call.Ref] {
		if !other.From.Before(call.From) {
			break
		}
		if other.Token > call.Token {
			return other, true
		}
	}
	return Call{}, false
}

// life is one resource in the cloud.
type life struct {
	id         string
	made, gone Call
	ended      bool
}

// twice: no two resources of one ref existed at the same time.
func (c *checker) twice() {
	for ref, calls := range c.byRef {
		lives := map[string]*life{}
		var order []*life
		for _, call := range calls {
			if !call.Good() {
				continue
			}
			for _, id := range call.Made {
				if lives[id] == nil {
					lives[id] = &life{id: id, made: call}
					order = append(order, lives[id])
				}
			}
			for _, id := range call.Ended {
				if l := lives[id]; l != nil && !l.ended {
					l.gone, l.ended = call, true
				}
			}
		}
		for i, a := range order {
			for _, b := range order[i+1:] {
				if !a.ended || b.made.To.Before(a.gone.From) {
					c.breach("created-twice", "%s: %s created %s (key %s) while %s (key %s, of %s) existed", ref, b.made.Instance,
						b.id, b.made.Key, a.id, a.made.Key, a.made.Instance)
				}
			}
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(c.Live)) {
		if ids := c.Live[ref]; len(ids) > 1 {
			c.breach("created-twice", "%s: %v all exist at the end", ref, ids)
		}
	}
}

// oldPlans: nothing is deleted by a plan that is older than an action of another instance on it.
func (c *checker) oldPlans() {
	byRef := map[string][]Action{}
	for _, d := range c.Actions {
		byRef[d.Ref] = append(byRef[d.Ref], d)
	}
	for _, d := range c.Actions {
		if d.Kind != Started || !d.Deletes {
			continue
		}
		for _, other := range byRef[d.Ref] {
			if other.Kind == Started && other.Plan != d.Plan && other.Revision > d.Saw && other.Revision < d.Revision {
				c.breach("delete-of-old-plan", "%s: the delete of %s at revision %d rests on a plan of revision %d, but %s acted "+
					"on it at %d", d.Ref, d.Instance, d.Revision, d.Saw, other.Instance, other.Revision)
			}
		}
	}
}

// logs: each log verifies, and their merge equals the store.
func (c *checker) logs() {
	for _, name := range slices.Sorted(maps.Keys(c.Logs)) {
		if err := c.Logs[name]; err != nil {
			c.breach("log-verifies", "%s: %v", name, err)
		}
	}
	if c.Content != c.Replayed {
		c.breach("replay-equals", "the store's content is %.12s, that of the merged replay %.12s", c.Content, c.Replayed)
	}
}

// converged: at the end live state equals the configuration, and no action is open.
func (c *checker) converged() {
	for _, ref := range c.Open {
		c.breach("converged", "%s: an action is still open", ref)
	}
	if c.Desired == nil {
		return
	}
	for _, ref := range slices.Sorted(maps.Keys(c.Desired)) {
		if len(c.Live[ref]) == 0 {
			c.breach("converged", "%s: configured, but missing", ref)
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(c.Live)) {
		if len(c.Live[ref]) > 0 && !c.Desired[ref] {
			c.breach("converged", "%s: exists, but is not configured", ref)
		}
	}
}
