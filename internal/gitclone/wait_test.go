package gitclone

import (
	"testing"
	"time"
)

// TestAQuestionEndsBeforeATransfer: what asks a remote for its branches ends within 20 seconds, also where a transfer
// of objects may take longer; a shorter deadline of the clone holds for both.
func TestAQuestionEndsBeforeATransfer(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		wait, asks, moves time.Duration
	}{
		{0, 20 * time.Second, 2 * time.Minute},
		{10 * time.Minute, 20 * time.Second, 10 * time.Minute},
		{time.Second, time.Second, time.Second},
	} {
		c := Clone{Wait: x.wait}
		if asks, moves := c.waitFor("ls-remote"), c.waitFor("fetch"); asks != x.asks || moves != x.moves {
			t.Errorf("Wait %s: a question waits %s and a fetch %s, want %s and %s", x.wait, asks, moves, x.asks, x.moves)
		}
	}
}
