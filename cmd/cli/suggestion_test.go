package cli

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// TestSuggestionsHaveTheirOwnLine: what an error advises is not in its sentence.
func TestSuggestionsHaveTheirOwnLine(t *testing.T) {
	t.Parallel()
	inner := &provider.Error{Op: "ssm.GetParameter", Err: errors.New("denied"), Hint: "allow it"}
	for name, x := range map[string]struct {
		err                 error
		summary, suggestion string
	}{
		"advice":                       {fmt.Errorf("move a: %w", resource.Advise(errors.New("it has that name"), "use another")), "move a: it has that name", "use another"},
		"a provider":                   {fmt.Errorf("plan: %w", inner), "plan: ssm.GetParameter: denied", "allow it"},
		"a provider around another":    {&provider.Error{Err: fmt.Errorf("no image: %w", inner), Hint: "set an image"}, "no image: ssm.GetParameter: denied", "set an image"},
		"a provider without a hint":    {&provider.Error{Err: errors.New("denied")}, "denied", ""},
		"an error without any of them": {errors.New("no"), "no", ""},
	} {
		d := Diagnose(x.err)
		if len(d) != 1 || d[0].Summary != x.summary || d[0].Suggestion != x.suggestion {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
