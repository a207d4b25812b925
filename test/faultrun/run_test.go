package faultrun

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/test/faultrun/check"
)

const (
	stop = syscall.SIGSTOP
	cont = syscall.SIGCONT
)

// settings are the length, the size and the seed of a run. With OVI_DRAWS=new the seed is a new one.
func settings(t *testing.T) (length time.Duration, resources int, seed uint64) {
	t.Helper()
	length, resources, seed = 30*time.Second, 60, 35
	if os.Getenv("OVI_DRAWS") == "new" {
		seed = uint64(time.Now().UnixNano() % 1_000_000)
	}
	if text := os.Getenv("OVI_FAULTS"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		length, resources = d, 500
	}
	if text := os.Getenv("OVI_FAULTS_THINGS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		resources = n
	}
	if text := os.Getenv("OVI_FAULTS_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	return length, resources, seed
}

// TestFaultRun: five instances, three members of etcd, one sandbox, and all faults between them.
func TestFaultRun(t *testing.T) {
	t.Parallel()
	networked(t, faultRun)
}

func faultRun(t *testing.T, n network) {
	length, resources, seed := settings(t)
	t.Logf("%s, %d resources, seed %d", length, resources, seed)
	s := newSite(t, n, shape{members: 3, instances: 5, loops: 3, resources: resources, ttl: 4 * time.Second, seed: seed})
	c := s.torment(length, seed)
	if !s.converge(max(5*time.Minute, length/4)) {
		t.Error("the instances did not come to rest")
	}
	rounds := 2
	if length >= time.Minute {
		rounds = 10
	}
	successions, drains := s.calm(rounds)
	h := s.finish()
	h.Successions, h.Drains = successions, append(h.Drains, drains...)
	s.report(h, c)
	s.succeeded(h)
	s.judge(h)
}

// judge checks the history, and keeps what is needed to investigate a breach.
func (s *site) judge(h check.History) {
	s.Helper()
	found := check.Check(h)
	for _, b := range found[:min(len(found), 20)] {
		s.Errorf("breach: %s", b)
	}
	if len(found) > 20 {
		s.Errorf("and %d more", len(found)-20)
	}
	s.crashes()
	if s.Failed() {
		s.lastWords()
	}
	if keep := os.Getenv("OVI_FAULTS_KEEP"); keep != "" {
		s.keep(filepath.Join(keep, s.Name()), h)
	}
}

// crashes are errors that no fault explains: such an instance is restarted like any other.
func (s *site) crashes() {
	s.Helper()
	for _, p := range s.instances {
		b, err := os.ReadFile(filepath.Join(s.dir, p.Name+".err"))
		if err != nil {
			s.Error(err)
		}
		for _, what := range []string{"DATA RACE", "panic: ", "fatal error: "} {
			if i := bytes.Index(b, []byte(what)); i >= 0 {
				s.Errorf("%s: %s", p.Name, b[i:min(len(b), i+3000)])
			}
		}
	}
}

// lastWords logs the last output of the instances.
func (s *site) lastWords() {
	s.Helper()
	for _, p := range s.instances {
		if b, err := os.ReadFile(filepath.Join(s.dir, p.Name+".err")); err == nil {
			s.Logf("%s wrote last: %s", p.Name, b[max(0, len(b)-1500):])
		}
	}
}

// keep copies everything that the run recorded.
func (s *site) keep(dir string, h check.History) {
	s.Helper()
	b, err := json.Marshal(h)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "history.json"), b, 0o600)
	}
	if err == nil {
		err = os.CopyFS(filepath.Join(dir, "site"), os.DirFS(s.dir))
	}
	s.Logf("kept in %s: %v", dir, err)
}

// report logs how much there was to check: a run that did nothing proves nothing.
func (s *site) report(h check.History, c *chaos) {
	s.Helper()
	count := map[string]int{}
	for _, call := range h.Calls {
		count["calls"]++
		if call.Lost {
			count["answers lost"]++
		}
		if call.To.Sub(call.From) > s.ttl {
			count["slow"]++
		}
		if !call.Good() {
			count["calls refused"]++
		}
	}
	for _, d := range h.Actions {
		count[string(d.Kind)]++
	}
	starts := 0
	for _, p := range s.instances {
		starts += p.starts
	}
	s.Logf("%d changing calls (%d refused, %d answers lost, %d longer than the TTL); %d started, %d ended, %d uncertain, %d late, %d answered by observing; %d claims, %d attempts on them; %d starts of instances; %d resources exist",
		count["calls"], count["calls refused"], count["answers lost"], count["slow"], count["started"], count["ended"], count["uncertain"], count["late"], count["answered"], len(h.Claims), len(h.Ops), starts, len(h.Live))
	s.shares(h)
	if count["started"] < len(h.Live) || len(h.Live) < len(s.configured.resources)/3 || len(h.Ops) < 2*count["started"] {
		s.Error("the run did too little to prove anything")
	}
	if c != nil {
		s.takeovers(c)
		s.Logf("an instance had the leader claim for %.0f %% of the time of the faults", 100*s.witness.ledFor(c.from, c.until))
	}
}

// shares logs how much each instance did.
func (s *site) shares(h check.History) {
	s.Helper()
	calls, led, other := map[string]int{}, map[string]int{}, map[string]int{}
	for _, c := range h.Calls {
		calls[c.Instance]++
	}
	for _, l := range h.Observations {
		if l.Token != 0 {
			led[l.Instance]++
		} else {
			other[l.Instance]++
		}
	}
	for _, p := range s.instances {
		s.Logf("%s (loop: %v): %d changing calls, %d observations as the leader, %d others, %d starts", p.Name, p.Interval > 0, calls[p.Name], led[p.Name], other[p.Name], p.starts)
	}
}

// takeovers logs how long the claims of killed instances lasted.
func (s *site) takeovers(c *chaos) {
	var waits []time.Duration
	for _, k := range c.kills {
		var worst time.Duration
		for _, list := range s.witness.claims {
			for _, claim := range list {
				if claim.pid == k.pid && claim.startedSeen.Before(k.at) && claim.EndSeen.After(k.at) {
					worst = max(worst, claim.EndSeen.Sub(k.at))
				}
			}
		}
		if worst > 0 {
			waits = append(waits, worst)
		}
	}
	if len(waits) > 0 {
		slices.Sort(waits)
		s.Logf("claims of %d killed instances were free after %s (median), %s (worst); TTL %s", len(waits), waits[len(waits)/2].Round(time.Millisecond), waits[len(waits)-1].Round(time.Millisecond), s.ttl)
	}
}

// TestFencingSwitchedOffIsFound: the same stops and the same checker, on instances that fence and
// on instances that do not. Stopped for longer than the TTL during their calls, the latter continue
// as before, and the checker must find that; otherwise finding nothing in the former would prove
// nothing.
func TestFencingSwitchedOffIsFound(t *testing.T) {
	t.Parallel()
	t.Run("with fencing", func(t *testing.T) {
		t.Parallel()
		s := stoppedInCalls(t, false)
		if !s.converge(5 * time.Minute) {
			t.Error("the instances did not come to rest")
		}
		h := s.finish()
		s.report(h, nil)
		s.judge(h)
	})
	t.Run("without fencing", func(t *testing.T) {
		t.Parallel()
		found := check.Check(stoppedInCalls(t, true).finish())
		rules := map[string]int{}
		for _, b := range found {
			rules[b.Rule]++
		}
		t.Log(fmt.Sprint("found: ", rules))
		if rules["record-under-claim"] == 0 {
			t.Error("instances that do not fence passed the check: the check cannot fail")
		}
	})
}

// stoppedInCalls stops each of two instances twice while the sandbox works on their requests.
func stoppedInCalls(t *testing.T, unfenced bool) *site {
	const ttl = 3 * time.Second // the least that etcd can keep with this election timeout
	s := newSite(t, newProxies(t), shape{members: 1, instances: 2, resources: 30, ttl: ttl, seed: 7, unfenced: unfenced})
	s.cloud.setLuck(0, 400*time.Millisecond)
	for i := range 4 {
		s.configured.relabel()
		s.configured.write(t)
		p := s.instances[i%2]
		for end := time.Now().Add(time.Minute); s.cloud.under(p.Name, 0) == 0 && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		p.signal(stop)
		time.Sleep(ttl + 2*time.Second)
		p.signal(cont)
	}
	s.heal()
	time.Sleep(time.Second)
	return s
}

// finish drains the instances and reads their records.
func (s *site) finish() check.History {
	s.Helper()
	var drains []check.Drain
	for _, p := range s.instances {
		pid := p.pid()
		p.drain()
		if pid != 0 {
			drains = append(drains, check.Drain{Instance: p.Name, Left: s.witness.standing(pid)})
		}
	}
	h := s.gather()
	h.Drains = drains
	return h
}
