package faultrun

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/ovi-project/ovi/internal/etcdtest"
)

const prefix = "faults"

// site is one run: members, sandbox, instances, and the network between them.
type site struct {
	testing.TB
	dir        string
	ttl        time.Duration
	net        network
	members    []*etcdtest.Server
	cloud      *cloud
	configured *configured
	instances  []*process
	witness    *witness
}

// shape is how large a site is.
type shape struct {
	members, instances, loops, resources int
	ttl                                  time.Duration
	seed                                 uint64
	unfenced                             bool
}

func newSite(t testing.TB, n network, w shape) *site {
	t.Helper()
	s := &site{TB: t, dir: t.TempDir(), ttl: w.ttl, net: n, cloud: newCloud(t, n.listen(), w.seed)}
	s.members = etcdtest.ClusterOn(t, n.hosts(w.members), "--heartbeat-interval", "100", "--election-timeout", "1000")
	s.nameMembers()
	s.witness = newWitness(s)
	s.configured = newConfigured(filepath.Join(s.dir, "faults.yaml"), w.resources, w.seed)
	s.configured.write(t)
	for i := range w.instances {
		p := &process{site: s, n: i, orders: orders{
			Name: fmt.Sprintf("i%d", i), Dir: filepath.Join(s.dir, fmt.Sprintf("i%d", i)), Prefix: prefix, Endpoints: n.endpoints(i, s.members),
			Cloud: s.cloud.url, Desired: s.configured.file, TTL: w.ttl, Unfenced: w.unfenced,
		}}
		if i < w.loops {
			p.Interval = loopInterval
		}
		if err := os.MkdirAll(p.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s.instances = append(s.instances, p)
	}
	for _, p := range s.instances { // the network is up now
		p.run()
		t.Cleanup(p.end)
	}
	return s
}

// client speaks to the members directly.
func (s *site) client() *clientv3.Client {
	s.Helper()
	var endpoints []string
	for _, m := range s.members {
		endpoints = append(endpoints, m.Endpoint)
	}
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, DialTimeout: 20 * time.Second, DialKeepAliveTime: 2 * time.Second, DialKeepAliveTimeout: 2 * time.Second, Logger: zap.NewNop()})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { c.Close() })
	return c
}

func (s *site) nameMembers() {
	ctx, cancel := context.WithTimeout(s.Context(), 2*time.Minute)
	defer cancel()
	list, err := s.client().MemberList(ctx)
	if err != nil {
		s.Fatal(err)
	}
	ids := make([]string, len(s.members))
	for _, m := range list.Members {
		var i int
		if _, err := fmt.Sscanf(m.Name, "m%d", &i); err != nil {
			s.Fatal(err)
		}
		ids[i] = fmt.Sprintf("%x", m.ID)
	}
	s.net.named(ids)
}

// process is one instance and its supervisor, which restarts it.
type process struct {
	orders
	site *site
	n    int // among the instances

	mu     sync.Mutex
	cmd    *exec.Cmd
	over   bool
	pause  time.Duration // before the next start
	starts int
	done   chan struct{}
}

// run starts the instance, and restarts it whenever it ends.
func (p *process) run() {
	p.done = make(chan struct{})
	text, err := json.Marshal(p.orders)
	if err != nil {
		p.site.Fatal(err)
	}
	out, err := os.OpenFile(filepath.Join(p.site.dir, p.Name+".err"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		p.site.Fatal(err)
	}
	go func() {
		defer close(p.done)
		defer out.Close()
		for {
			cmd := p.site.net.command(p.n, os.Args[0])
			cmd.Env = append(os.Environ(), workerEnv+"="+string(text))
			cmd.Stdout, cmd.Stderr = out, out
			p.mu.Lock()
			if p.over {
				p.mu.Unlock()
				return
			}
			if err := cmd.Start(); err != nil {
				p.mu.Unlock()
				fmt.Fprintln(out, err)
				return
			}
			p.cmd, p.starts = cmd, p.starts+1
			p.mu.Unlock()
			_ = cmd.Wait()
			p.mu.Lock()
			pause := max(p.pause, 300*time.Millisecond)
			p.pause, p.cmd = 0, nil
			p.mu.Unlock()
			time.Sleep(pause)
		}
	}()
}

func (p *process) signal(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(sig)
	}
}

// pid is that of the running process, 0 between two.
func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// kill ends it at once; it is restarted after a pause.
func (p *process) kill(pause time.Duration) {
	p.mu.Lock()
	p.pause = pause
	p.mu.Unlock()
	p.signal(syscall.SIGKILL)
}

// drain ends it in order; it is not restarted.
func (p *process) drain() {
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(2 * time.Minute):
		p.site.Errorf("%s did not drain in two minutes", p.Name)
		p.end()
	}
}

func (p *process) end() {
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.signal(syscall.SIGCONT)
	p.signal(syscall.SIGKILL)
	<-p.done
}

// cut drops what it sends to the store (there), and what the store sends to it (back).
func (p *process) cut(there, back bool) { p.site.net.cut(p.n, there, back) }

// clock steps its clocks.
func (p *process) clock(wall, boot time.Duration) {
	if err := replace(filepath.Join(p.Dir, "clock"), fmt.Appendf(nil, "%d %d\n", wall, boot)); err != nil {
		p.site.Error(err)
	}
}

func (p *process) progress() (out progress) {
	b, _ := os.ReadFile(filepath.Join(p.Dir, "progress"))
	_ = json.Unmarshal(b, &out)
	return out
}

// heal ends every fault.
func (s *site) heal() {
	for i := range s.members {
		s.net.isolate(i, false, false)
	}
	s.cloud.heal()
	s.cloud.ClearFaults()
	for _, p := range s.instances {
		p.signal(syscall.SIGCONT)
		p.cut(false, false)
	}
}

// converge waits until the last configuration is applied: every instance that runs single cycles has
// observed that, and so has one loop; no loop has anything left to do.
func (s *site) converge(limit time.Duration) bool {
	s.configured.write(s)
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(300 * time.Millisecond) {
		if s.converged() {
			return true
		}
	}
	for _, p := range s.instances {
		s.Logf("%s: %+v, want version %d", p.Name, p.progress(), s.configured.version)
	}
	return false
}

func (s *site) converged() bool {
	loops, led, want := 0, 0, fmt.Sprint(s.configured.version)
	for _, p := range s.instances {
		g := p.progress()
		done := g.Version == want && g.Left == 0
		if p.Interval > 0 {
			loops++
			if g.Led && done {
				led++
			}
		}
		if !done {
			return false
		}
	}
	return loops == 0 || led > 0
}
