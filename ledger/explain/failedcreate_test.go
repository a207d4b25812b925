package explain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/resource"
)

// TestACreateThatFailedHasAResult: why reports its error as the history does; only what it may have left is open.
func TestACreateThatFailedHasAResult(t *testing.T) {
	explainer := explain.Explainer{Now: start.Add(time.Hour), Value: func(resource.Value) string { return "x" }, Ref: resource.Ref.String}
	c := histories()["open"]
	c.Open = &ledger.OpenAction{Started: c.Open.Started, At: c.Open.At, User: "ada", Uncertain: true, Failed: true, Error: "exited with 3"}
	c.Open.Action = decider.Create
	s := explainer.Explain(c)
	got := s.Headline + " " + s.Cause + " " + s.Suggestion
	for _, want := range []string{"ec2/web does not exist: create failed 51m ago by ada: exited with 3.", "Whether it left something has not been observed yet.", "run `ovi plan`"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Contains(got, "no result recorded") {
		t.Error(got)
	}
}
