package faultrun

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/ovi-project/ovi/internal/etcdtest"
)

const prefix = "faults"

// site is everything of one run: members, cloud, instances, and the proxies between them.
type site struct {
	testing.TB
	dir       string
	ttl       time.Duration
	members   []*etcdtest.Server
	peers     []*proxy // before each member, for the other members
	ids       []string // of the members, as they name themselves to each other
	cloud     *cloud
	wishes    *wishes
	instances []*process
	witness   *witness
}

func newSite(t testing.TB, members, instances, things int, ttl time.Duration, seed uint64, unfenced bool) *site {
	t.Helper()
	s := &site{TB: t, dir: t.TempDir(), ttl: ttl, cloud: newCloud(t, seed)}
	via := func(peer string) string {
		p := newProxy(t, peer)
		s.peers = append(s.peers, p)
		return p.addr
	}
	s.members = etcdtest.ClusterVia(t, members, via, "--heartbeat-interval", "100", "--election-timeout", "1000")
	s.nameMembers()
	s.witness = newWitness(s)
	s.wishes = newWishes(filepath.Join(s.dir, "wish.yaml"), things, seed)
	s.wishes.write(t)
	for i := range instances {
		p := &process{site: s, orders: orders{
			Name: fmt.Sprintf("i%d", i), Dir: filepath.Join(s.dir, fmt.Sprintf("i%d", i)), Prefix: prefix,
			Cloud: s.cloud.url, Wish: s.wishes.file, TTL: ttl, Unfenced: unfenced,
		}}
		for _, m := range s.members {
			via := newProxy(t, m.Endpoint)
			p.proxies = append(p.proxies, via)
			p.Endpoints = append(p.Endpoints, via.addr)
		}
		if err := os.MkdirAll(p.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s.instances = append(s.instances, p)
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
	ctx, cancel := context.WithTimeout(s.Context(), 30*time.Second)
	defer cancel()
	list, err := s.client().MemberList(ctx)
	if err != nil {
		s.Fatal(err)
	}
	s.ids = make([]string, len(s.members))
	for _, m := range list.Members {
		var i int
		if _, err := fmt.Sscanf(m.Name, "m%d", &i); err != nil {
			s.Fatal(err)
		}
		s.ids[i] = fmt.Sprintf("%x", m.ID)
	}
}

// isolate cuts a member off from the other members, both ways; -1 heals.
func (s *site) isolate(member int) {
	for i, p := range s.peers {
		switch {
		case member < 0:
			p.set(never, never)
		case i == member:
			p.set(always, always)
		default:
			from := func(id string) bool { return id == s.ids[member] }
			p.set(from, from)
		}
	}
}

// process is one instance and whoever starts it again when it ends.
type process struct {
	orders
	site    *site
	proxies []*proxy

	mu     sync.Mutex
	cmd    *exec.Cmd
	over   bool
	pause  time.Duration // before the next start
	starts int
	done   chan struct{}
}

// run starts the instance, and starts it again whenever it ends.
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
			cmd := exec.Command(os.Args[0])
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

// kill ends it at once; it comes back after a pause.
func (p *process) kill(pause time.Duration) {
	p.mu.Lock()
	p.pause = pause
	p.mu.Unlock()
	p.signal(syscall.SIGKILL)
}

// drain ends it in order, for good.
func (p *process) drain() {
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(30 * time.Second):
		p.site.Errorf("%s did not drain in 30 s", p.Name)
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

// cut holds back what goes between the instance and the store: there, back or both ways.
func (p *process) cut(there, back bool) {
	rule := func(on bool) func(string) bool {
		if on {
			return always
		}
		return never
	}
	for _, via := range p.proxies {
		via.set(rule(there), rule(back))
	}
}

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

// heal takes every fault back.
func (s *site) heal() {
	s.isolate(-1)
	s.cloud.setLuck(0, 0)
	s.cloud.ClearFaults()
	for _, p := range s.instances {
		p.signal(syscall.SIGCONT)
		p.cut(false, false)
	}
}

// settle waits until every instance has seen the last wish done.
func (s *site) settle(limit time.Duration) bool {
	s.wishes.write(s)
	want := fmt.Sprint(s.wishes.version)
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(300 * time.Millisecond) {
		if !slices.ContainsFunc(s.instances, func(p *process) bool { g := p.progress(); return g.Version != want || g.Left > 0 }) {
			return true
		}
	}
	for _, p := range s.instances {
		s.Logf("%s: %+v, want wish %s", p.Name, p.progress(), want)
	}
	return false
}
