package faultrun

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ovi-project/ovi/engine/loop"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/test/faultrun/check"
)

// calm checks what must hold without other faults: the leader is killed, or drained, and another
// instance leads. It runs after the configuration has converged.
func (s *site) calm(rounds int) (out []check.Succession, drains []check.Drain) {
	s.Helper()
	for _, p := range s.instances {
		p.clock(0, 0)
	}
	for i := range rounds {
		p, token := s.leader()
		if p == nil {
			s.Error("no leader a minute after all faults ended")
			return out, drains
		}
		drained := i%2 == 1
		one := check.Succession{From: p.Name, Drained: drained, Within: s.ttl + 2*time.Minute, Gone: time.Now()}
		if drained {
			drains = append(drains, s.drainNow(p))
		} else {
			p.kill(2 * s.ttl)
		}
		for end := one.Gone.Add(one.Within); one.Next.IsZero() && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			one.Next = s.witness.ledAfter(token)
		}
		out = append(out, one)
	}
	return out, drains
}

// leader waits for a leader and returns it with its token.
func (s *site) leader() (*process, int64) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		pid, token := s.witness.leads()
		i := slices.IndexFunc(s.instances, func(p *process) bool { return p.pid() == pid })
		if token != 0 && i >= 0 {
			return s.instances[i], token
		}
	}
	return nil, 0
}

// drainNow ends an instance in order, after which it is restarted, and returns what it left.
func (s *site) drainNow(p *process) check.Drain {
	s.Helper()
	pid := p.pid()
	p.signal(syscall.SIGTERM)
	for end := time.Now().Add(2 * time.Minute); p.pid() == pid; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.Errorf("%s did not drain in two minutes", p.Name)
			break
		}
	}
	return check.Drain{Instance: p.Name, Left: s.witness.standing(pid)}
}

// leads returns the process and the token of the leader claim, 0 if there is none.
func (w *witness) leads() (pid int, token int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.claims[loop.Lead+"faults"]
	if len(all) == 0 || all[len(all)-1].Ended != 0 {
		return 0, 0
	}
	return all[len(all)-1].pid, all[len(all)-1].Token
}

// ledAfter is when a leader claim with a newer token was observed.
func (w *witness) ledAfter(token int64) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.claims[loop.Lead+"faults"] {
		if c.Token > token {
			return c.startedSeen
		}
	}
	return time.Time{}
}

// standing reads the current claims of a process from the store.
func (w *witness) standing(pid int) (refs []string) {
	w.site.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	all, err := w.client.Get(ctx, w.prefix, clientv3.WithPrefix())
	if err != nil {
		w.site.Fatal(err)
	}
	for _, kv := range all.Kvs {
		var v struct{ PID int }
		if err := json.Unmarshal(kv.Value[4:], &v); err != nil {
			w.site.Fatal(err)
		}
		if v.PID == pid {
			refs = append(refs, strings.TrimPrefix(string(kv.Key), w.prefix))
		}
	}
	return refs
}

// observations are those of the whole sandbox that an instance started.
func (s *site) observations(p *process) (out []check.Look) {
	s.Helper()
	f, err := os.Open(filepath.Join(p.Dir, "looks.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		s.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l look
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			s.Fatalf("%s: %v", p.Name, err)
		}
		out = append(out, check.Look{Instance: p.Name, Token: l.Token, At: l.At})
	}
	return out
}

// ledFor is the part of a time in which the leader claim existed.
func (w *witness) ledFor(from, to time.Time) float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	var sum time.Duration
	for _, c := range w.claims[loop.Lead+"faults"] {
		begin, end := c.startedSeen, c.EndSeen
		if c.Ended == 0 || end.After(to) {
			end = to
		}
		if begin.Before(from) {
			begin = from
		}
		sum += max(0, end.Sub(begin))
	}
	return float64(sum) / float64(to.Sub(from))
}

// succeeded logs how long stacks were without a leader.
func (s *site) succeeded(h check.History) {
	s.Helper()
	for _, drained := range []bool{false, true} {
		var waits []time.Duration
		for _, one := range h.Successions {
			if one.Drained == drained && !one.Next.IsZero() {
				waits = append(waits, one.Next.Sub(one.Gone))
			}
		}
		if slices.Sort(waits); len(waits) > 0 {
			s.Logf("another led after the leader was gone (drained: %v): %d times, after %s (median), %s (worst); TTL %s",
				drained, len(waits), waits[len(waits)/2].Round(time.Millisecond), waits[len(waits)-1].Round(time.Millisecond), s.ttl)
		}
	}
}
