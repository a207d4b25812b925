package check

import (
	"slices"
	"strings"
	"time"
)

// lead is the prefix of the refs of leader claims.
const lead = "lead/"

// leads: an instance observes as the leader under a current claim of its own. After the claim
// ended, only the one observation that was starting may follow.
func (c *checker) leads() {
	byToken := map[int64]Claim{}
	for _, k := range c.Claims {
		if strings.HasPrefix(k.Ref, lead) {
			byToken[k.Token] = k
		}
	}
	var newest int64
	late := map[int64]int{}
	for _, l := range slices.SortedFunc(slices.Values(c.Observations), func(a, b Look) int { return a.At.Compare(b.At) }) {
		if l.Token == 0 {
			continue
		}
		k, known := byToken[l.Token]
		if !known || k.Instance != l.Instance {
			c.breach("one-leads", "%s observed as the leader under token %d, which it never got", l.Instance, l.Token)
			continue
		}
		if l.Token < newest || k.Ended != 0 && l.At.After(k.EndSeen) {
			if late[l.Token]++; late[l.Token] == 2 {
				c.breach("one-leads", "%s, token %d, continued to lead: it observed again at %s, its claim ended before %s",
					l.Instance, l.Token, l.At.Format(time.TimeOnly), k.EndSeen.Format(time.TimeOnly))
			}
		}
		newest = max(newest, l.Token)
	}
}

// succession: after a leader ends another one leads in time, and a drained instance leaves no
// claim.
func (c *checker) succession() {
	for _, s := range c.Successions {
		if s.Next.IsZero() || s.Next.Sub(s.Gone) > s.Within {
			c.breach("lead-passes-on", "no leader %s after %s ended (drained: %v)", s.Within, s.From, s.Drained)
		}
	}
	for _, d := range c.Drains {
		if len(d.Left) > 0 {
			c.breach("drained-releases", "%s was drained and left its claims on %s", d.Instance, strings.Join(d.Left, ", "))
		}
	}
}
