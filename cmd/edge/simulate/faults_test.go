package simulate_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/internal/drawn"
)

var seedFlag = flag.Uint64("faults.seed", 0, "the seed of the faults; 0: the same each time, or with OVI_DRAWS=new a new one")

const (
	faultNodes  = 20
	faultsFor   = 10 * time.Minute
	faultsRest  = 10 * time.Minute // in which all comes to rest
	faultsEvery = 4 * time.Second  // at most
)

// fault is one that happens, and then ends.
type fault struct {
	name string
	most time.Duration
	on   func(s *faultSite, i int, d time.Duration)
	off  func(s *faultSite, i int)
}

// faultTable are the faults; i is a node.
func faultTable() []fault {
	never := func(*faultSite, int) {}
	heal := func(s *faultSite, i int) { s.hosts[i].heal() }
	return []fault{
		{"kill a node", 40 * time.Second, func(s *faultSite, i int, _ time.Duration) { s.nodes[i].stop() }, (*faultSite).startNode},
		{"kill the orchestrator", 20 * time.Second, func(s *faultSite, _ int, _ time.Duration) { s.lo.stop() }, func(s *faultSite, _ int) { s.startOrchestrator() }},
		{"kill the central orchestrator", time.Minute, func(s *faultSite, _ int, _ time.Duration) { s.co.stop() }, func(s *faultSite, _ int) { s.startCentral() }},
		{"stop a node", time.Minute, func(s *faultSite, i int, d time.Duration) { s.links[i].stop(d) }, never},
		{"stop all nodes", 45 * time.Second, func(s *faultSite, _ int, d time.Duration) {
			for _, w := range s.links {
				w.stop(d)
			}
		}, never},
		{"cut a link", 45 * time.Second, func(s *faultSite, i int, _ time.Duration) { s.links[i].cut(true) }, func(s *faultSite, i int) { s.links[i].cut(false) }},
		{"cut the link to the central orchestrator", 30 * time.Second, func(s *faultSite, _ int, _ time.Duration) { s.uplink.cut(true) }, func(s *faultSite, _ int) { s.uplink.cut(false) }},
		{"stop the link to the central orchestrator", 30 * time.Second, func(s *faultSite, _ int, d time.Duration) { s.uplink.stop(d) }, never},
		{"step the clock", time.Minute, func(s *faultSite, i int, d time.Duration) { s.skew.Store(int64(time.Duration(i-faultNodes/2) * d)) }, func(s *faultSite, _ int) { s.skew.Store(0) }},
		{"take Git away", time.Minute, func(s *faultSite, _ int, _ time.Duration) { s.gitAway(true) }, func(s *faultSite, _ int) { s.gitAway(false) }},
		{"break a container", 0, func(s *faultSite, i int, _ time.Duration) { s.hosts[i].breaks(false) }, never},
		{"remove a container", 0, func(s *faultSite, i int, _ time.Duration) { s.hosts[i].breaks(true) }, never},
		{"slow a host", 5 * time.Minute, func(s *faultSite, i int, d time.Duration) { s.hosts[i].slows(d) }, heal},
		{"silence a host", 5 * time.Minute, func(s *faultSite, i int, _ time.Duration) { s.hosts[i].silent() }, heal},
	}
}

// suffer lets faults happen, and commits, until all of them have ended.
func (s *faultSite) suffer(chance *rand.Rand, during time.Duration) {
	var ending sync.WaitGroup
	table := faultTable()
	for end, n := time.Now().Add(during), 2; time.Now().Before(end); n++ {
		time.Sleep(time.Duration(1 + chance.Int64N(int64(faultsEvery))))
		f, i := table[chance.IntN(len(table))], chance.IntN(faultNodes)
		d := min(time.Duration(1+chance.Int64N(int64(max(f.most, time.Minute)))), f.most)
		s.faults++
		ending.Go(func() {
			f.on(s, i, d)
			time.Sleep(d)
			f.off(s, i)
		})
		switch chance.IntN(12) {
		case 0:
			s.push("web", fmt.Sprint(n))
		case 1:
			s.push("db", fmt.Sprint(n))
		case 2:
			s.push("db", "")
		}
	}
	ending.Wait()
	for _, f := range table { // of several of one kind, the first to end may have ended the others' too
		for i := range s.nodes {
			f.off(s, i)
		}
	}
}

// faultRun is one run: faults, a last commit, and rest. It gives what the checker found.
func faultRun(t *testing.T, seed uint64, b broken, faults, calm time.Duration) (found []string) {
	t.Logf("seed %d: repeat it with -faults.seed=%d", seed, seed)
	synctest.Test(t, func(t *testing.T) {
		s := newFaultSite(t, faultNodes, seed, b)
		defer s.stop()
		s.startCentral()
		s.startOrchestrator()
		for i := range s.nodes {
			if err := os.MkdirAll(s.nodeDir(i), 0o700); err != nil {
				t.Fatal(err)
			}
			s.startNode(i)
		}
		s.suffer(rand.New(rand.NewPCG(seed, 1)), faults)
		s.push("web", "last")
		s.push("db", "last")
		for end := time.Now().Add(calm); time.Now().Before(end); time.Sleep(5 * time.Second) {
			if len(s.unrest()) == 0 {
				break
			}
		}
		time.Sleep(time.Minute) // nothing more may happen
		found = s.unrest()
		s.stop()
		found = append(found, s.check()...)
	})
	return found
}

func faultSeed(t *testing.T) uint64 {
	if *seedFlag != 0 {
		return *seedFlag
	}
	return drawn.Seed(t)
}

// TestASiteUnderFaults: 20 nodes, their orchestrator and the central one, with kills, stops, cut links, steps of the
// clock, containers that fail, hosts that are slow or silent, and Git away for 10 minutes of virtual time. Every action is done at most once, every
// event comes to the central orchestrator once and in order, and in the end all runs that was committed last.
func TestASiteUnderFaults(t *testing.T) {
	if found := faultRun(t, faultSeed(t), nothing, faultsFor, faultsRest); len(found) > 0 {
		t.Errorf("%d findings:\n%s", len(found), strings.Join(found, "\n"))
	}
}

// TestTheCheckerFindsLostEvents: where the network acknowledges events before the other end has them, some are lost,
// and the checker finds it.
func TestTheCheckerFindsLostEvents(t *testing.T) {
	found := strings.Join(faultRun(t, faultSeed(t), unacknowledged, faultsFor, time.Minute), "\n")
	if !strings.Contains(found, "events are lost") {
		t.Errorf("without acknowledgments the checker found only:\n%s", found)
	}
}

// TestTheCheckerFindsDoubledEvents: what keeps events again that come again is found.
func TestTheCheckerFindsDoubledEvents(t *testing.T) {
	found := strings.Join(faultRun(t, faultSeed(t), doubled, faultsFor, time.Minute), "\n")
	if !strings.Contains(found, "lost or doubled") {
		t.Errorf("with doubled events the checker found only:\n%s", found)
	}
}
