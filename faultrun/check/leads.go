package check

import (
	"slices"
	"strings"
	"time"
)

// lead is what refs of claims to lead begin with.
const lead = "lead/"

// leads: an instance looks as the one that leads under a claim of its own that stands. Of one
// that ended, the single look that was being begun may still come.
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
			c.breach("one-leads", "%s looked as one that leads under token %d, which it was never given", l.Instance, l.Token)
			continue
		}
		if l.Token < newest || k.Ended != 0 && l.At.After(k.EndSeen) {
			if late[l.Token]++; late[l.Token] == 2 {
				c.breach("one-leads", "%s, token %d, went on to lead: it looked at %s again, its claim ended before %s", l.Instance, l.Token, l.At.Format(time.TimeOnly), k.EndSeen.Format(time.TimeOnly))
			}
		}
		newest = max(newest, l.Token)
	}
}

// succession: when the one that leads is gone, another leads in time; and who was drained
// leaves no claim behind.
func (c *checker) succession() {
	for _, s := range c.Successions {
		if s.Next.IsZero() || s.Next.Sub(s.Gone) > s.Within {
			c.breach("lead-passes-on", "nobody led %s after %s was gone (drained: %v)", s.Within, s.From, s.Drained)
		}
	}
	for _, d := range c.Drains {
		if len(d.Left) > 0 {
			c.breach("drained-gives-back", "%s was drained and left its claims on %s", d.Instance, strings.Join(d.Left, ", "))
		}
	}
}
