package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/provider/edge"
)

var faultSeed = flag.Uint64("edge.faults.seed", 0, "the seed of the faults of a site; 0: the same each time, or with OVI_DRAWS=new a new one")

// siteFault is one that happens, and then ends.
type siteFault struct {
	name string
	most time.Duration
	on   func(s *faultySite, i int, d time.Duration)
	off  func(s *faultySite, i int)
	busy bool // a commit gives the nodes work meanwhile
}

// siteFaults are the faults; i is a node.
func siteFaults() []siteFault {
	stops := func(d func(s *faultySite, i int) *daemon, name string, most time.Duration) siteFault {
		on := func(s *faultySite, i int, _ time.Duration) { d(s, i).signal(syscall.SIGSTOP) }
		return siteFault{"stop " + name, most, on, func(s *faultySite, i int) { d(s, i).signal(syscall.SIGCONT) }, false}
	}
	kills := func(d func(s *faultySite, i int) *daemon, name string, most time.Duration) siteFault {
		on := func(s *faultySite, i int, _ time.Duration) { d(s, i).kill() }
		return siteFault{"kill " + name, most, on, func(s *faultySite, i int) { d(s, i).start() }, false}
	}
	wires := func(w func(s *faultySite, i int) *wireOf, name string, most time.Duration) []siteFault {
		return []siteFault{
			{"cut " + name, most, func(s *faultySite, i int, _ time.Duration) { w(s, i).cut(true) }, func(s *faultySite, i int) { w(s, i).cut(false) }, false},
			{"hold " + name, most, func(s *faultySite, i int, _ time.Duration) { w(s, i).hold(true) }, func(s *faultySite, i int) { w(s, i).hold(false) }, false},
		}
	}
	node := func(s *faultySite, i int) *daemon { return s.nodes[i] }
	lo := func(s *faultySite, _ int) *daemon { return s.lo }
	co := func(s *faultySite, _ int) *daemon { return s.co }
	never := func(*faultySite, int) {}
	heal := func(s *faultySite, i int) { s.several(i, (*podmanOf).heal) }
	out := []siteFault{
		kills(node, "a node", 40*time.Second), kills(lo, "the orchestrator", 20*time.Second), kills(co, "the central orchestrator", time.Minute),
		stops(node, "a node", time.Minute), stops(lo, "the orchestrator", 20*time.Second), stops(co, "the central orchestrator", 45*time.Second),
		{"step the clock", time.Minute, func(s *faultySite, i int, d time.Duration) { s.clock(time.Duration(2*i-len(s.nodes)) * d / 2) }, func(s *faultySite, _ int) { s.clock(0) }, false},
		{"take Git away", time.Minute, func(s *faultySite, _ int, _ time.Duration) { s.gitAway(true) }, func(s *faultySite, _ int) { s.gitAway(false) }, false},
		{"break a container", 0, func(s *faultySite, i int, _ time.Duration) { s.hosts[i].breaks(false) }, never, false},
		{"remove a container", 0, func(s *faultySite, i int, _ time.Duration) { s.hosts[i].breaks(true) }, never, false},
		{"slow the Podman of several nodes", time.Minute, func(s *faultySite, i int, d time.Duration) { s.several(i, func(p *podmanOf) { p.slow(d) }) }, heal, true},
		{"silence the Podman of several nodes", time.Minute, func(s *faultySite, i int, _ time.Duration) { s.several(i, (*podmanOf).silent) }, heal, true},
	}
	out = append(out, wires(func(s *faultySite, i int) *wireOf { return s.wires[i] }, "the link of a node", 45*time.Second)...)
	return append(out, wires(func(s *faultySite, _ int) *wireOf { return s.uplink }, "the link to the central orchestrator", 30*time.Second)...)
}

// several does something with the Podman of a node and with those of the next quarter of all nodes.
func (s *faultySite) several(i int, do func(*podmanOf)) {
	for k := range 1 + len(s.hosts)/4 {
		do(s.hosts[(i+k)%len(s.hosts)])
	}
}

// suffer lets faults happen, and commits, until all of them have ended. No two faults are further apart than every.
func (s *faultySite) suffer(chance *rand.Rand, during, every time.Duration) {
	var ending sync.WaitGroup
	table := siteFaults()
	for end, n := time.Now().Add(during), 2; time.Now().Before(end); n++ {
		time.Sleep(time.Duration(1 + chance.Int64N(int64(every))))
		f, i := table[chance.IntN(len(table))], chance.IntN(len(s.nodes))
		d := min(time.Duration(1+chance.Int64N(int64(time.Minute))), f.most, during/2)
		s.faults++
		ending.Go(func() {
			f.on(s, i, d)
			time.Sleep(d)
			f.off(s, i)
		})
		switch what := chance.IntN(9); {
		case what < 2 || f.busy:
			s.push("web", fmt.Sprint(n))
		case what == 4:
			s.rename("web")
		case what < 7: // two commits at once
			s.rename("web")
			s.push("web", fmt.Sprint(n))
		case what == 7:
			s.rename("db")
			s.push("db", "")
		case what == 2:
			s.push("db", fmt.Sprint(n))
		case what == 3:
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

// rest waits until all is as it was committed last, every event has come and every action has a result, and gives what is
// not so.
func (s *faultySite) rest(limit time.Duration) (found []string) {
	for end := time.Now().Add(limit); ; time.Sleep(200 * time.Millisecond) {
		if found = s.unrest(); len(found) == 0 {
			found = s.inProgress()
		}
		if len(found) == 0 || time.Now().After(end) {
			return found
		}
	}
}

// quietFor is how long nothing more may happen, once all is at rest.
const quietFor = 5 * time.Second

// TestSiteProcessesUnderFaults: the processes of a site, its nodes and the central orchestrator are killed and stopped,
// links are cut, the clock is stepped, containers fail, Podman is slow or silent, and Git is away, while deployments are
// updated, renamed, removed and come back. Every action is done at most once, every event
// comes to the central orchestrator once and in order, and in the end all runs that was committed last. Four nodes for
// 12 seconds; with OVI_EDGE_FAULTS=10m, 20 nodes for as long as that says.
func TestSiteProcessesUnderFaults(t *testing.T) {
	t.Parallel()
	nodes, during, every := 4, 12*time.Second, time.Second
	if text := os.Getenv("OVI_EDGE_FAULTS"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		nodes, during, every = 20, d, 4*time.Second
	}
	seed := *faultSeed
	if seed == 0 {
		seed = drawn.Seed(t)
	}
	t.Logf("seed %d: repeat it with -edge.faults.seed=%d", seed, seed)
	s := newFaultySite(t, nodes, seed)
	s.suffer(rand.New(rand.NewPCG(seed, 1)), during, every)
	s.push("web", "last")
	s.push("db", "last")
	calmed := time.Now()
	found := s.rest(5 * time.Minute)
	t.Logf("at rest after %s", time.Since(calmed).Round(time.Millisecond))
	time.Sleep(quietFor)
	if len(found) == 0 {
		found = s.unrest()
	}
	if found = append(found, s.check()...); len(found) > 0 {
		t.Errorf("%d findings:\n%s", len(found), strings.Join(found, "\n"))
	}
}

// TestTheCheckerFindsEventsLostByProcesses: where events are acknowledged before the central orchestrator has them,
// those of the time in which it is away are lost, and the checker finds that.
func TestTheCheckerFindsEventsLostByProcesses(t *testing.T) {
	t.Parallel()
	s := newFaultySite(t, 2, 1)
	if found := s.rest(2 * time.Minute); len(found) > 0 {
		t.Fatalf("before anything is forged:\n%s", strings.Join(found, "\n"))
	}
	folder := func(name string) string { return filepath.Join(s.folder(name), "edge") }
	var lost atomic.Int64
	s.uplink.to(newForger(t, forger{s.central, edge.CentralIdentity(folder("lo"), time.Now), &lost}, folder("co")))
	s.co.kill()
	s.push("web", "2")
	eventually(t, "events are acknowledged and lost", func() bool { return lost.Load() > 0 })
	s.co.start()
	s.listens(s.central)
	s.push("web", "3")
	found := strings.Join(append(s.rest(10*time.Second), s.check()...), "\n")
	if !strings.Contains(found, "events are lost") {
		t.Errorf("without acknowledgments the checker found only:\n%s", found)
	}
}
