package simulate_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/wal"
)

// recovered is when the result of each deployment's action was recorded, by the name of the deployment.
func (s *faultSite) recovered() map[string]time.Time {
	s.t.Helper()
	l, err := ledger.Open(s.t.Context(), ledger.Config{Dir: filepath.Join(s.dir, "lo"), Store: s.store, User: "ovi", LogOptions: []wal.Option{wal.WithFS(s.disk), wal.WithoutCompression()}})
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	out := map[string]time.Time{}
	for r, err := range history.New(l.Reader()).LogRecords(s.t.Context(), history.Filter{}) {
		if err != nil {
			s.t.Fatal(err)
		}
		if e, is := r.Event.(event.Recovered); is {
			out[e.Ref.Name] = r.At
		}
	}
	return out
}

// TestASlowImageDelaysNoOtherDeployment: while a node pulls the image of one for twenty minutes, the result of another
// one is on record within a minute.
func TestASlowImageDelaysNoOtherDeployment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFaultSite(t, 1, 1, nothing)
		defer s.stop()
		s.configured["slow"] = "1"
		s.hosts[0].slow, s.hosts[0].pull = "ovi-slow", 20*time.Minute
		if err := os.MkdirAll(s.nodeDir(0), 0o700); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		s.startCentral()
		s.startOrchestrator()
		s.startNode(0)
		time.Sleep(25 * time.Minute)
		s.stop()
		found := s.recovered()
		if web := found["web"].Sub(start); web <= 0 || web > time.Minute {
			t.Errorf("the result of web was recorded after %s", web)
		}
		if slow := found["slow"].Sub(start); slow < 20*time.Minute || slow > 21*time.Minute {
			t.Errorf("the result of slow was recorded after %s", slow)
		}
		if wrong := append(s.unrest(), s.check()...); len(wrong) > 0 {
			t.Errorf("%q", wrong)
		}
	})
}
