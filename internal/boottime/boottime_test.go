package boottime_test

import (
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/boottime"
)

func TestTheHostsClockRunsForward(t *testing.T) {
	clock := boottime.Host()
	boot, begun := clock()
	time.Sleep(2 * time.Millisecond)
	again, now := clock()
	if boot != again {
		t.Errorf("the boot was %q and is %q", boot, again)
	}
	if d := now - begun; d < 2*time.Millisecond || d > time.Minute {
		t.Errorf("2 ms took %s", d)
	}
}
