package engine

import (
	"context"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// TestALateClusterIsNotWaitedForAgain: the call is not repeated, which one that was interrupted is.
func TestALateClusterIsNotWaitedForAgain(t *testing.T) {
	f := &found{name: "dev"}
	o := resource.Observed{Health: resource.Failing, Message: "its API server is not ready: EOF"}
	late := f.late(o, resource.StateRunning, errSlow)
	if provider.Passes(late) ||
		late.Error() != "it is failing (its API server is not ready: EOF): it did not get there in 2m0s" {
		t.Errorf("%v", late)
	}
	if stopped := f.late(o, resource.StateRunning, context.Canceled); provider.CauseOf(stopped) != provider.UnknownResult {
		t.Errorf("%v", stopped)
	}
}
