package reconcile

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestAnInterruptShortensTheLastReport: a source that never answers keeps a command 10 s, and 2 s once it was
// interrupted.
func TestAnInterruptShortensTheLastReport(t *testing.T) {
	for _, c := range []struct{ interrupted, ends time.Duration }{
		{-1, interruptedWait},
		{3 * time.Second, 3*time.Second + interruptedWait},
		{9 * time.Second, reportWait},
		{time.Minute, reportWait},
	} {
		synctest.Test(t, func(t *testing.T) {
			command, interrupt := context.WithCancel(t.Context())
			start := time.Now()
			if c.interrupted < 0 {
				interrupt()
			} else {
				time.AfterFunc(c.interrupted, interrupt)
			}
			ctx, cancel := lastReport(command)
			defer cancel()
			<-ctx.Done()
			if took := time.Since(start); took != c.ends {
				t.Errorf("interrupted after %s: it ended after %s, want %s", c.interrupted, took, c.ends)
			}
			time.Sleep(time.Minute) // until the timers have ended
		})
	}
}
