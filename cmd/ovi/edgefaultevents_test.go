package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/cmd/edge/simulate/check"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

// burst is the origin of the events that wait from the start.
var burst = link.Origin{Site: "berlin", Node: "burst", Incarnation: "1"}

// wait puts events into the outbox of the orchestrator, which does not run.
func (s *faultySite) wait(count int) {
	s.t.Helper()
	b, err := outbox.Open(s.eventsOf("lo"), outbox.Options{Limit: 200_000, Keep: 200_000})
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	var events []link.Event
	for n := range count {
		events = append(events, link.Event{Site: burst.Site, Node: burst.Node, Incarnation: burst.Incarnation, Seq: uint64(n) + 1, Deployment: fmt.Sprint("d", n%100), To: link.StatusInstalled, Message: fmt.Sprint(n)})
	}
	if err := b.Accept(events...); err != nil {
		s.t.Fatal(err)
	}
}

// size is that of the file of what came.
func (s *faultySite) size() int64 {
	info, err := os.Stat(s.eventsOf("co"))
	if err != nil {
		s.t.Fatal(err)
	}
	return info.Size()
}

// lacks is how many of the events that waited have not come.
func (s *faultySite) lacks(count int) int {
	events, err := s.came()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range events {
		if e.Origin() == burst {
			count--
		}
	}
	return count
}

// linkRate lets a frame of events take a good part of a second, so that kills come in the middle of them.
const linkRate = 200 << 10

// TestEventsSurviveKillsOfBothEnds: events wait at the orchestrator of a site, and that and the central one are killed
// again and again while it sends them, as soon as some more have come. In the end each came once and in order. 1,000
// events; OVI_EDGE_EVENTS says how many else.
func TestEventsSurviveKillsOfBothEnds(t *testing.T) {
	t.Parallel()
	count := 1000
	if text := os.Getenv("OVI_EDGE_EVENTS"); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	s := newFaultySite(t, 1, 1)
	if found := s.rest(2 * time.Minute); len(found) > 0 {
		t.Fatalf("before anything is killed:\n%s", strings.Join(found, "\n"))
	}
	s.lo.kill()
	s.wait(count)
	s.uplink.limit(linkRate)
	start := time.Now()
	s.lo.start()
	ends := []*daemon{s.lo, s.co}
	n := 0                                                          // kills
	for before := s.size(); s.lacks(count) > 0; before = s.size() { // more come, as before was read first
		eventually(t, "more events have come", func() bool { return s.size() > before })
		time.Sleep(rand.N(500 * time.Millisecond))
		ends[n%2].kill()
		ends[n%2].start()
		n++
	}
	t.Logf("%d events came in %s, with %d kills of the orchestrator and %d of the central one", count, time.Since(start).Round(time.Second), (n+1)/2, n/2)
	s.uplink.limit(0)
	found := append(s.rest(time.Minute), s.check()...)
	events, err := s.came()
	if err != nil {
		t.Fatal(err)
	}
	if found = append(found, check.Made(events, burst, uint64(count))...); len(found) > 0 { //nolint:gosec // above 0
		t.Errorf("%d findings:\n%s", len(found), strings.Join(found, "\n"))
	}
}
