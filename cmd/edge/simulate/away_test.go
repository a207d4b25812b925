package simulate_test

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

// awayCommits are made in the hour in which the central orchestrator is away, one every three minutes.
const awayCommits = 20

// away runs a site whose central orchestrator is away for an hour, and whose own orchestrator is killed four times
// in it. It gives what came then, how many events waited when it came back, and the most
// that waited before.
func away(t *testing.T, s *faultSite) (came []link.Event, waited, most int) {
	t.Helper()
	s.startCentral()
	s.startOrchestrator()
	for i := range s.nodes {
		if err := os.MkdirAll(s.nodeDir(i), 0o700); err != nil {
			t.Fatal(err)
		}
		s.startNode(i)
	}
	time.Sleep(time.Minute)
	s.co.stop()
	restart := func() {
		s.lo.stop()
		waited = s.waiting()
		most = max(most, waited)
		s.startOrchestrator()
	}
	for n := range awayCommits {
		s.push("web", fmt.Sprint(n+2))
		time.Sleep(90 * time.Second)
		if n%5 == 2 {
			restart()
		}
		time.Sleep(90 * time.Second)
	}
	restart()
	s.startCentral()
	time.Sleep(3 * time.Minute)
	if found := s.unrest(); len(found) > 0 {
		t.Errorf("%q", found)
	}
	s.stop()
	if left := s.waiting(); left != 0 {
		t.Errorf("%d events still wait for the central orchestrator", left)
	}
	came, err := s.came()
	if err != nil {
		t.Fatal(err)
	}
	return came, waited, most
}

// waiting is how many events wait at the orchestrator, which does not run, for the central one.
func (s *faultSite) waiting() int {
	b, err := outbox.Open(s.events("lo"), outbox.Options{Limit: s.limit, Keep: 1_000_000})
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	return len(b.After(0, 1_000_000))
}

// TestNoEventOfAnHourIsLost: the central orchestrator is away for an hour in which each node gets 20 versions, and the
// orchestrator of the site is killed four times. Every event waits in its outbox, and comes once and in order.
func TestNoEventOfAnHourIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFaultSite(t, 2, 1, nothing)
		defer s.stop()
		came, waited, _ := away(t, s)
		installed := map[string]int{}
		for _, e := range came {
			if e.To == link.StatusInstalled {
				installed[e.Node+" "+e.Version]++
			}
		}
		for i := range s.nodes {
			for version := 1; version <= awayCommits+1; version++ {
				if of := fmt.Sprint(nodeName(i), " ", version); installed[of] != 1 {
					t.Errorf("%s is installed in %d events", of, installed[of])
				}
			}
		}
		if least := 2 * len(s.nodes) * awayCommits; waited < least {
			t.Errorf("%d events waited after the hour, want at least %d", waited, least)
		}
		if found := s.check(); len(found) > 0 {
			t.Errorf("%q", found)
		}
	})
}

// TestAnHourOfMoreEventsThanAreKept: where fewer events may wait than an hour has, no more than these wait, the newest
// arrive, and each one that is lost is in a gap on record.
func TestAnHourOfMoreEventsThanAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFaultSite(t, 1, 1, nothing)
		s.limit = 16
		defer s.stop()
		came, _, most := away(t, s)
		if most > s.limit || most < s.limit/2 {
			t.Errorf("%d events waited, want at most %d and at least half of that", most, s.limit)
		}
		next, lost := map[link.Origin]uint64{}, uint64(0)
		for _, e := range came {
			if e.First() != next[e.Origin()]+1 {
				t.Errorf("%s: event %d to %d came after %d", e.Node, e.First(), e.Seq, next[e.Origin()])
			}
			if next[e.Origin()] = e.Seq; e.Gap > 0 {
				lost += e.Seq - e.Gap + 1
			}
		}
		for i := range s.nodes {
			own, err := outbox.Read(s.nodeDir(i) + "/events")
			if err != nil || len(own) == 0 {
				t.Fatalf("%s has %d events, %v", nodeName(i), len(own), err)
			}
			last := own[len(own)-1]
			if next[last.Origin()] != last.Seq {
				t.Errorf("%s: event %d came last, it made %d", nodeName(i), next[last.Origin()], last.Seq)
			}
		}
		if least := uint64(2*awayCommits - s.limit); lost < least {
			t.Errorf("%d events are on record as lost, want at least %d", lost, least)
		}
	})
}
