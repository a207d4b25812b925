package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

const stack = "web"

var here = resource.Scope{Provider: "fake", Location: "here"}

func ref(kind, name string) resource.Ref {
	return resource.Ref{Stack: stack, Provider: "fake", Location: "here", Kind: kind, Name: name}
}

func attrs(kv ...any) resource.Attrs {
	var out []resource.Attr
	for i := 0; i < len(kv); i += 2 {
		out = append(out, resource.Attr{Name: kv[i].(string), Value: kv[i+1].(resource.Value)})
	}
	return resource.NewAttrs(out...)
}

func network(name string) resource.Desired {
	return resource.Desired{Ref: ref("network", name), Attrs: attrs("range", resource.String("10.0.0.0/16"))}
}

func server(name, network string) resource.Desired {
	return resource.Desired{
		Ref:  ref("server", name),
		Tags: resource.Tags{{Key: "team", Value: "platform"}},
		Attrs: attrs("network", resource.Reference{Ref: ref("network", network)}, "size", resource.String("small"),
			"root", attrs("size", resource.Int(8)), "running", resource.Bool(true)),
	}
}

func disk(name string, size int64) resource.Desired {
	return resource.Desired{Ref: ref("disk", name), Attrs: attrs("size", resource.Int(size))}
}

// The stack web with these resources.
func wants(resources ...resource.Desired) []resource.Intent {
	in := resource.Intent{Stack: stack, Resources: resources, Scopes: []resource.Scope{here}}
	sortByRef(in.Resources)
	return []resource.Intent{in}
}

// bench is what a test needs: one cloud, one data directory, one engine.
type bench struct {
	t      *testing.T
	dir    string
	disk   vfs.FS // of the log
	store  storage.Store
	cloud  *fake.Cloud
	ledger *ledger.Ledger
	claims *coordinator.Claims
	engine *engine.Engine
}

func blank(t *testing.T) *bench {
	return &bench{t: t, dir: t.TempDir(), disk: vfs.NewMem(1), store: mem.New(), cloud: fake.New("fake")}
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := blank(t)
	b.start()
	t.Cleanup(func() { b.stop() })
	return b
}

// start opens the ledger and makes an engine, as a new process would.
func (b *bench) start() {
	b.t.Helper()
	l, err := ledger.Open(b.t.Context(), ledger.Config{Dir: b.dir, Store: b.store, User: "ann", LogOptions: []wal.Option{wal.WithFS(b.disk)}})
	if err != nil {
		b.t.Fatal(err)
	}
	b.ledger = l
	b.claims = coordinator.New(b.store, coordinator.Identity{Instance: l.Instance(), Host: "host", User: "ann", Run: l.Run(), PID: 1})
	b.engine = engine.New(engine.Config{Providers: provider.Set{"fake": b.cloud}, Ledger: l, Claims: b.claims})
}

func (b *bench) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = b.claims.Close(ctx)
	_ = b.ledger.Close()
}

func (b *bench) plan(intents []resource.Intent) *engine.Planned {
	b.t.Helper()
	p, err := b.engine.Plan(b.t.Context(), intents, engine.PlanOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *bench) apply(intents []resource.Intent) *engine.Result {
	b.t.Helper()
	r, err := b.engine.Apply(b.t.Context(), b.plan(intents), engine.ApplyOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// It fails unless a plan has no changes.
func (b *bench) settled(intents []resource.Intent) {
	b.t.Helper()
	if p := b.plan(intents); !p.Plan.Empty() {
		b.t.Errorf("the second plan is not empty: %v", brief(p))
	}
}

// brief is a plan as a list of words.
func brief(p *engine.Planned) []string {
	var out []string
	for _, d := range p.Plan.Decisions {
		s := string(d.Action) + " " + d.Ref.Kind + "/" + d.Ref.Name
		if d.Action != d.Proposed {
			s += " (" + string(d.Proposed) + " blocked by " + d.Blockers[0].Policy + ")"
		}
		out = append(out, s)
	}
	return out
}

func statuses(r *engine.Result) map[string]engine.Status {
	out := map[string]engine.Status{}
	for _, o := range r.Outcomes {
		out[o.Ref.Kind+"/"+o.Ref.Name] = o.Status
	}
	return out
}

// events lists the records of some types as words.
func (b *bench) events(types ...string) []string {
	b.t.Helper()
	var out []string
	for r, err := range history.New(b.ledger.Reader()).LogRecords(b.t.Context(), history.Filter{Types: types}) {
		if err != nil {
			b.t.Fatal(err)
		}
		s := r.Event.Type()
		if ref := r.Event.About(); !ref.IsZero() {
			s += " " + ref.Kind + "/" + ref.Name
		}
		out = append(out, s)
	}
	return out
}

// calls counts the calls that may change resources.
func (b *bench) calls() int {
	n := 0
	for _, c := range b.cloud.Calls() {
		if c.Verb != fake.Observe {
			n++
		}
	}
	return n
}

func decisionOn(p *engine.Planned, r resource.Ref) (decider.Decision, bool) {
	for _, d := range p.Plan.Decisions {
		if d.Ref == r {
			return d, true
		}
	}
	return decider.Decision{}, false
}
