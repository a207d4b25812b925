package simulate_test

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

// TestDefect5_AnActionThatDidNothingIsNoSuccess: what a node reports is what runs on it. Where the container program
// does nothing and reports success, the node and the record have a failure, and its attempts are used up. The defect is one of
// those in engine/sitedefects_test.go.
func TestDefect5_AnActionThatDidNothingIsNoSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFaultSite(t, 1, 1, nothing)
		defer s.stop()
		s.hosts[0].idle = true
		if err := os.MkdirAll(s.nodeDir(0), 0o700); err != nil {
			t.Fatal(err)
		}
		s.startCentral()
		s.startOrchestrator()
		s.startNode(0)
		time.Sleep(time.Hour)
		s.stop()
		events, err := outbox.Read(s.events("co"))
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		for _, e := range events {
			if e.To == link.StatusInstalled || e.To == link.StatusRestarted {
				t.Errorf("the node reports a success: %+v", e)
			}
			if e.To == link.StatusFailed {
				failed++
			}
		}
		if n := len(s.hosts[0].created); failed != 3 || n != 3 {
			t.Errorf("%d failures are reported, and it was asked %d times; want 3", failed, n)
		}
		if found := s.check(); len(found) > 0 {
			t.Errorf("%q", found)
		}
	})
}
