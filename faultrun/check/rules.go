package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Rules are the promises, by name, in the order they are checked.
func Rules() []string {
	return []string{
		"claims-overlap", "record-under-claim", "call-began", "call-under-claim", "calls-overlap", "call-accounted", "made-twice",
		"delete-of-old-plan", "delete-against-newer", "log-verifies", "replay-equals", "claims-linearizable", "one-leads", "lead-passes-on", "drained-gives-back", "settled",
	}
}

// Check applies every rule. No breach is proof for this history, and for no other.
func Check(h History) []Breach {
	c := newChecker(h)
	for _, rule := range []func(){
		c.overlaps, c.underClaim, c.calls, c.twice, c.oldPlans, c.logs, c.linear, c.leads, c.succession, c.settled,
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
	c := &checker{History: h, claims: map[claimID]Claim{}, started: map[string]Action{}, ends: map[string][]Action{}, byRef: map[string][]Call{}}
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

// action names one beginning: a key may be kept over several of them.
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
			c.breach("claims-overlap", "%s: token %d of %s was given while token %d of %s stood", a.Ref, b.Token, b.Instance, a.Token, a.Instance)
		}
	}
}

// underClaim: every beginning and every end that counts was committed while the very claim
// that it names stood.
func (c *checker) underClaim() {
	for _, d := range c.Actions {
		if d.Kind != Started && d.Kind != Ended {
			continue
		}
		k, known := c.claims[claimID{d.Ref, d.Token}]
		switch {
		case !known:
			c.breach("record-under-claim", "%s: %s of %s at revision %d names token %d, which never was", d.Ref, d.Kind, d.Instance, d.Revision, d.Token)
		case d.Revision <= d.Token || k.Ended != 0 && d.Revision >= k.Ended:
			c.breach("record-under-claim", "%s: %s of %s counts at revision %d, but its claim stood from %d to %d", d.Ref, d.Kind, d.Instance, d.Revision, d.Token, k.Ended)
		}
	}
}

// calls: each was begun before it was made and accounted for after; none was made under a
// claim that had ended, unless its end was refused and it met nothing newer.
func (c *checker) calls() {
	for _, call := range c.Calls {
		name := action(call.Key, call.Token)
		d, known := c.started[name]
		if !known || d.Ref != call.Ref {
			c.breach("call-began", "%s: %s of %s under key %s, token %d, which never began", call.Ref, call.Action, call.Instance, call.Key, call.Token)
			continue
		}
		ends := slices.Concat(c.ends[name], c.ends[call.Key])
		if !slices.ContainsFunc(ends, func(e Action) bool { return e.Kind != Uncertain && e.Revision > d.Revision }) {
			c.breach("call-accounted", "%s: %s of %s under key %s has neither an end nor an answer nor a refusal", call.Ref, call.Action, call.Instance, call.Key)
		}
		k := c.claims[claimID{call.Ref, call.Token}]
		late := k.Ended != 0 && call.From.After(k.EndSeen)
		if newer, is := c.overtaken(call); is {
			late = true
			if call.Good() && harms(call, newer) {
				c.breach("delete-against-newer", "%s: %s of %s, token %d, arrived after %s of %s, token %d", call.Ref, call.Action, call.Instance, call.Token, newer.Action, newer.Instance, newer.Token)
			}
		}
		counts := slices.ContainsFunc(ends, func(e Action) bool { return e.Kind == Ended })
		if other, is := c.during(call); is && counts {
			c.breach("calls-overlap", "%s: %s of %s, token %d, began while %s of %s, token %d, went on, and the end of that counts", call.Ref, other.Action, other.Instance, other.Token, call.Action, call.Instance, call.Token)
		}
		if late && counts {
			c.breach("call-under-claim", "%s: %s of %s under token %d came after that claim had ended, and its end counts", call.Ref, call.Action, call.Instance, call.Token)
		}
	}
}

// during finds a call under another claim that arrived while this one went on.
func (c *checker) during(call Call) (Call, bool) {
	for _, other := range c.byRef[call.Ref] {
		if other.Token != call.Token && !other.From.Before(call.From) && other.From.Before(call.To) {
			return other, true
		}
	}
	return Call{}, false
}

// harms says that a late delete took away what the newer call had made or kept.
func harms(late, newer Call) bool {
	if len(late.Ended) == 0 || slices.ContainsFunc(newer.Ended, func(id string) bool { return slices.Contains(late.Ended, id) }) {
		return false
	}
	return len(newer.Made) == 0 || slices.ContainsFunc(newer.Made, func(id string) bool { return slices.Contains(late.Ended, id) })
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

// life is one thing in the cloud.
type life struct {
	id         string
	made, gone Call
	ended      bool
}

// twice: no two things of one ref lived at the same time, then or now.
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
					c.breach("made-twice", "%s: %s made %s (key %s) while %s (key %s, of %s) lived", ref, b.made.Instance, b.id, b.made.Key, a.id, a.made.Key, a.made.Instance)
				}
			}
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(c.Live)) {
		if ids := c.Live[ref]; len(ids) > 1 {
			c.breach("made-twice", "%s: %v all live at the end", ref, ids)
		}
	}
}

// oldPlans: nothing is deleted by a plan that had not seen what somebody else did since.
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
				c.breach("delete-of-old-plan", "%s: the delete of %s at revision %d rests on a plan of revision %d, but %s acted on it at %d", d.Ref, d.Instance, d.Revision, d.Saw, other.Instance, other.Revision)
			}
		}
	}
}

// logs: each log verifies, and all of them together give the store.
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

// settled: in the end there is what is wanted, and no action without an end.
func (c *checker) settled() {
	for _, ref := range c.Open {
		c.breach("settled", "%s: an action is still open", ref)
	}
	if c.Desired == nil {
		return
	}
	for _, ref := range slices.Sorted(maps.Keys(c.Desired)) {
		if len(c.Live[ref]) == 0 {
			c.breach("settled", "%s: wanted and not there", ref)
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(c.Live)) {
		if len(c.Live[ref]) > 0 && !c.Desired[ref] {
			c.breach("settled", "%s: there and not wanted", ref)
		}
	}
}
