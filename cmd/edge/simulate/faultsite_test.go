package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/central"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/node"
	"github.com/ovi-project/ovi/provider/edge/outbox"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

// process is one that can be killed: nothing but its files outlives it.
type process struct {
	mu   sync.Mutex
	kill func() // nil: it does not run
}

// start starts it, unless it runs.
func (p *process) start(run func(context.Context)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kill != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	p.kill = func() { cancel(); running.Wait() }
}

func (p *process) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kill != nil {
		p.kill()
		p.kill = nil
	}
}

// faultSite is a site, its nodes and the central orchestrator, each with the code that runs in its process. Only the
// containers, the network between them and Git are those of the test.
type faultSite struct {
	t          *testing.T
	dir        string
	hosts      []*host
	nodes      []*process
	links      []*wire // of the nodes
	uplink     *wire
	lo, co     process
	skew       atomic.Int64 // of the clock of the orchestrator
	disk       *vfs.Mem
	store      *mem.Store
	git        sync.Mutex
	commit     int
	noGit      bool
	configured map[string]string // versions, by deployment
	faults     int
	limit      int       // of the events that wait at the orchestrator
	doubles    *doubling // keeps the events instead of a central orchestrator; nil: that does
}

// broken is what does not work in a run, for the checker to find.
type broken int

const (
	nothing        broken = iota
	unacknowledged        // events are given up before the other end has them
	doubled               // events that come again are kept again
)

func nodeName(i int) string { return fmt.Sprintf("n%02d", i+1) }

func newFaultSite(t *testing.T, nodes int, seed uint64, b broken) *faultSite {
	forges := b == unacknowledged
	s := &faultSite{t: t, dir: t.TempDir(), disk: vfs.NewMem(seed), store: mem.New(), uplink: &wire{forges: forges}, configured: map[string]string{"web": "1"}, commit: 1, limit: 200_000}
	for i := range nodes {
		s.hosts, s.nodes, s.links = append(s.hosts, newHost(seed+uint64(i))), append(s.nodes, &process{}), append(s.links, &wire{forges: forges})
	}
	if b == doubled {
		s.doubles = &doubling{}
	}
	return s
}

func insecurely(context.Context) (credentials.TransportCredentials, time.Duration, error) {
	return insecure.NewCredentials(), 0, nil
}

func (s *faultSite) failed(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		s.t.Error(err)
	}
}

func (s *faultSite) startNode(i int) {
	s.nodes[i].start(func(ctx context.Context) {
		s.failed(node.Run(ctx, node.Options{
			Site: "berlin", Node: nodeName(i), Connect: insecurely, Dial: s.links[i].dial, Containers: s.hosts[i], Scope: hostScope,
			Dir: s.nodeDir(i), Beat: 5 * time.Second,
		}))
	})
}

func (s *faultSite) nodeDir(i int) string { return filepath.Join(s.dir, nodeName(i)) }

func (s *faultSite) startCentral() {
	s.co.start(func(ctx context.Context) {
		if s.doubles != nil {
			s.uplink.serves(s.doubles.session)
			<-ctx.Done()
			s.uplink.serves(nil)
			return
		}
		events, err := outbox.Open(s.events("co"), outbox.Options{Keep: 1_000_000})
		if err != nil {
			s.failed(err)
			return
		}
		s.uplink.serves(central.Central{Outbox: events, Gate: edge.Gate{Alarm: func(_, text string) { s.t.Error(text) }}}.Session)
		<-ctx.Done()
		s.uplink.serves(nil)
		s.failed(events.Close())
	})
}

// doubling keeps every event that comes, also one that it has. Some of its acknowledgments are lost.
type doubling struct {
	came   []link.Event
	frames int
}

func (d *doubling) session(_ context.Context, recv func() (link.FromNode, error), send func(link.ToNode) error) error {
	for {
		f, err := recv()
		if err != nil {
			return err
		}
		for _, r := range f.Relayed {
			d.came = append(d.came, r.Event)
		}
		if d.frames++; d.frames%10 == 0 {
			return errCut
		}
		if n := len(f.Relayed); n > 0 {
			if err := send(link.ToNode{Ack: &f.Relayed[n-1].Number}); err != nil {
				return err
			}
		}
	}
}

func (s *faultSite) events(of string) string { return filepath.Join(s.dir, of+"-events") }

// clock is that of the orchestrator.
func (s *faultSite) clock() time.Time { return time.Now().Add(time.Duration(s.skew.Load())) }

func (s *faultSite) startOrchestrator() {
	s.lo.start(func(ctx context.Context) {
		events, err := outbox.Open(s.events("lo"), outbox.Options{Limit: s.limit, Keep: 1_000_000})
		if err == nil {
			err = s.orchestrate(ctx, events)
			err = errors.Join(err, events.Close())
		}
		s.failed(err)
	})
}

// orchestrate is what `ovi edge lo` does.
func (s *faultSite) orchestrate(ctx context.Context, events *outbox.Outbox) error {
	l, err := ledger.Open(context.WithoutCancel(ctx), ledger.Config{Dir: filepath.Join(s.dir, "lo"), Store: s.store, User: "ovi", Clock: s.clock, LogOptions: []wal.Option{wal.WithFS(s.disk), wal.WithoutCompression()}})
	if err != nil {
		return err
	}
	var wakes loop.Wakes
	p := edge.New(edge.Options{Clock: s.clock, Changed: wakes.Changed, Dir: filepath.Join(s.dir, "lo"), Outbox: events, Version: func(string) string { return s.version() }})
	for _, w := range s.links {
		w.serves(p.Session)
	}
	relay := edge.Relay{Site: "berlin", Connect: insecurely, Dial: s.uplink.dial, Outbox: events, Log: hclog.NewNullLogger()}
	var running sync.WaitGroup
	running.Go(func() { relay.Run(ctx) })
	claims := coordinator.New(s.store, coordinator.Identity{Instance: l.Instance(), Run: l.Run()}, coordinator.WithTTL(10*time.Second))
	e := engine.New(engine.Config{Providers: provider.Set{edge.Name: p}, Ledger: l, Claims: claims, Clock: s.clock})
	err = loop.Run(ctx, e, []loop.Stack{{Name: "berlin", Load: s.load, Mark: s.version}}, loop.RunOptions{
		Interval: 10 * time.Second, Patience: 30 * time.Second, Apply: true, Wakes: &wakes, Do: engine.ApplyOptions{Hard: ctx},
	})
	for _, w := range s.links {
		w.serves(nil)
	}
	running.Wait()
	return errors.Join(err, claims.Close(context.WithoutCancel(ctx)), l.Close())
}

func (s *faultSite) version() string {
	s.git.Lock()
	defer s.git.Unlock()
	return fmt.Sprint("commit ", s.commit, s.noGit)
}

var errGit = errors.New("git: could not read from the repository")

// load reads what is configured for all nodes.
func (s *faultSite) load(context.Context) ([]resource.Intent, error) {
	s.git.Lock()
	defer s.git.Unlock()
	if s.noGit {
		return nil, errGit
	}
	in := resource.Intent{Stack: "berlin", Version: fmt.Sprint(s.commit), Rules: rules.Rules{Attempts: rules.Attempts{Count: 3, Configuration: 1}, DestroyAuto: true, MaxDestroy: rules.Budget{Set: true, Count: 1000}}}
	for i := range s.hosts {
		in.Scopes = append(in.Scopes, resource.Scope{Provider: edge.Name, Location: "berlin/" + nodeName(i)})
		for name, version := range s.configured {
			in.Resources = append(in.Resources, resource.Desired{
				Ref:   resource.Ref{Stack: "berlin", Provider: edge.Name, Location: "berlin/" + nodeName(i), Kind: edge.Kind, Name: name},
				Attrs: resource.NewAttrs(resource.Attr{Name: "version", Value: resource.String(version)}, resource.Attr{Name: "image", Value: resource.String(name + ":" + version)}),
				State: resource.StateRunning,
			})
		}
	}
	slices.SortFunc(in.Resources, func(a, b resource.Desired) int { return a.Ref.Compare(b.Ref) })
	return []resource.Intent{in}, nil
}

// push changes the configuration; version "" removes a deployment.
func (s *faultSite) push(name, version string) {
	s.git.Lock()
	defer s.git.Unlock()
	s.commit++
	if s.configured[name] = version; version == "" {
		delete(s.configured, name)
	}
}

func (s *faultSite) gitAway(away bool) {
	s.git.Lock()
	defer s.git.Unlock()
	s.noGit = away
}

// stop ends all processes.
func (s *faultSite) stop() {
	for _, p := range s.nodes {
		p.stop()
	}
	s.lo.stop()
	s.co.stop()
}
