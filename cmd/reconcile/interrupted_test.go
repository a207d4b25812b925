package reconcile

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/engine"
)

// TestAnInterruptAfterTheLastActionLeavesNothing: only where something is left does the command
// suggest to continue.
func TestAnInterruptAfterTheLastActionLeavesNothing(t *testing.T) {
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(cli.ErrInterrupted)
	for name, x := range map[string]struct {
		status    engine.Status
		continues bool
	}{
		"all done":      {engine.Done, false},
		"one failed":    {engine.Failed, false},
		"one is left":   {engine.Interrupted, true},
		"one waits":     {engine.WaitingFor, true},
		"one is opened": {engine.Uncertain, true},
	} {
		var errs bytes.Buffer
		c := &command.Call{Process: &command.Process{}, Context: ended, Out: &cli.Output{W: &errs, ErrW: &errs}}
		explainResult(c, &engine.Result{Outcomes: []engine.Outcome{{Status: engine.Done}, {Status: x.status}}})
		got := errs.String()
		if !strings.Contains(got, "interrupted") || strings.Contains(got, "run the same command again") != x.continues {
			t.Errorf("%s: %s", name, got)
		}
	}
}
