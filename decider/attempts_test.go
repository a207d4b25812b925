package decider_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

func TestAttemptLimit(t *testing.T) {
	t.Parallel()
	s := sceneOf(configured{desired("a/disk/d", "size 1")}, ours("a/disk/gone", "g-1", ""))
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	proposed := s.plan(t, decider.Facts{}).Decisions
	for _, c := range []struct {
		name             string
		attempts         decider.Attempts
		allowed          int // 0: the default
		desired          string
		blocked, stalled bool
	}{
		{"never failed", decider.Attempts{}, 0, "", false, false},
		{"one is left", decider.Attempts{Failures: 7}, 0, "", false, false},
		{"used up", decider.Attempts{Failures: 8}, 0, "", true, false},
		{"failed, and the run was ended a few times", decider.Attempts{Failures: 7, Lost: 3}, 0, "", false, false},
		{"used up, with those that a crash ended", decider.Attempts{Failures: 7, Lost: 4}, 0, "", true, false},
		{"the run was ended 20 times", decider.Attempts{Lost: 20}, 0, "", false, false},
		{"each run ends with it", decider.Attempts{Lost: 32}, 0, "", true, false},
		{"each run ends with it, by the rules", decider.Attempts{Lost: 12}, 3, "", true, false},
		{"used up, by the rules", decider.Attempts{Failures: 3}, 3, "", true, false},
		{"more are allowed by the rules", decider.Attempts{Failures: 8}, 9, "", false, false},
		{"of another configuration", decider.Attempts{Failures: 8}, 0, "other", false, false},
		{"unreachable", decider.Attempts{Other: 100, Cause: provider.Unreachable, Since: now.Add(-time.Minute)}, 0, "", false, false},
		{"unreachable for long", decider.Attempts{Other: 2, Cause: provider.Unreachable, Since: now.Add(-10 * time.Minute)}, 0, "", false, true},
		{"a quota", decider.Attempts{Other: 100, Cause: provider.Quota, Since: now.Add(-59 * time.Second)}, 0, "", false, false},
		{"a quota for a minute", decider.Attempts{Other: 2, Cause: provider.Quota, Since: now.Add(-time.Minute)}, 0, "", false, true},
		{"AWS releases it for half an hour", decider.Attempts{Other: 9, Cause: provider.InUseByService, Since: now.Add(-30 * time.Minute)}, 0, "", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := decider.Facts{Now: now, Rules: map[string]rules.Rules{}, Attempts: func(r resource.Ref, digest string) (decider.Attempts, bool) {
				for i := range proposed {
					if proposed[i].Ref == r {
						a := c.attempts
						if a.Desired, a.Error = c.desired, "no room"; a.Desired == "" {
							a.Desired = proposed[i].DesiredDigest()
						}
						return a, a.Desired == digest
					}
				}
				return decider.Attempts{}, false
			}}
			for i := range proposed {
				f.Rules[proposed[i].Ref.Stack] = rules.Rules{Attempts: rules.Attempts{Count: c.allowed}}
			}
			for _, d := range s.plan(t, f, decider.AttemptLimit{}).Decisions {
				if blocked := len(d.Blockers) > 0; blocked != c.blocked {
					t.Errorf("%s: blocked %v, want %v: %v", d.Ref, blocked, c.blocked, d.Blockers)
				}
				of := "to delete it"
				if d.Desired != nil {
					of = "of " + d.Desired.Digest()[:6]
				}
				if c.blocked && (!strings.Contains(d.Blockers[0].Reason, "attempts "+of+" failed; last error: no room") || d.Blockers[0].Until != nil ||
					!strings.Contains(d.Blockers[0].Suggestion, "`ovi retry disk/"+d.Ref.Name+"`")) {
					t.Errorf("%s: %+v", d.Ref, d.Blockers[0])
				}
				if stalled := len(d.Warnings) > 0; stalled != c.stalled || stalled && d.Warnings[0].Policy != decider.Stalled {
					t.Errorf("%s: warnings %+v", d.Ref, d.Warnings)
				}
			}
		})
	}
}
