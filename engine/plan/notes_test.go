package plan

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
)

// TestAnActionThatMayHaveFailedIsNotTheCauseOfALaterChange: an observation after it had the configured value.
func TestAnActionThatMayHaveFailedIsNotTheCauseOfALaterChange(t *testing.T) {
	small := resource.Observed{ID: "i-1", Attrs: resource.Attrs{{Name: "size", Value: resource.String("small")}}}
	large := resource.Observed{ID: "i-1", Attrs: resource.Attrs{{Name: "size", Value: resource.String("large")}}}
	c := resource.Change{Path: "size", From: resource.String("large"), To: resource.String("small")}
	for name, x := range map[string]struct {
		since []resource.Observed
		want  bool
	}{
		"created in part":              {[]resource.Observed{large}, false},
		"created whole, changed later": {[]resource.Observed{small, large}, true},
		"never observed since":         {nil, false},
		"it could not be read":         {[]resource.Observed{{Condition: resource.Unreadable, Attrs: small.Attrs}}, false},
	} {
		if got := seenAsConfigured(x.since, c); got != x.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
