package edge

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
	"github.com/ovi-project/ovi/resource"
)

// DefaultLease is how long a report counts.
const DefaultLease = 30 * time.Second

// Options are the settings of a Provider.
type Options struct {
	Clock   func() time.Time
	Changed func(resource.Scope) // asks for an observation of a node that reported; nil means that nothing waits for it
	Lease   time.Duration        // 0: DefaultLease
	// Authority decides who may speak for a node. Nil means that whoever dials may, for tests in one process.
	Authority *identity.Authority
	// Dir is where the desired state of each node is kept, signed by Authority; "" means nowhere.
	Dir string
	// Outbox keeps the events of the nodes; nil means that nodes keep them.
	Outbox *outbox.Outbox
	// Version is what was read of a stack last, a commit; nil means unknown.
	Version func(stack string) string
	// Alarm hears of what only an attack or a mistake explains: a token that is used twice, a node that
	// speaks for another. Nil means that nothing does.
	Alarm func(provider.Alarm)
	// Ordered hears all orders of the central orchestrator, whenever they change. Nil: nothing does.
	Ordered func(site string, o provider.Orders)
}

// Provider runs deployments on nodes that dial in.
type Provider struct {
	opts    Options
	gate    Gate
	nodes   nodes
	kinds   []resource.Kind
	alone   bool // no central orchestrator gets the events
	closers []func()
}

var (
	_ provider.Provider = (*Provider)(nil)
	_ link.Orchestrator = (*Provider)(nil)
)

// New returns a provider that no node has dialed yet.
func New(o Options) *Provider {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Changed == nil {
		o.Changed = func(resource.Scope) {}
	}
	if o.Alarm == nil {
		o.Alarm = func(provider.Alarm) {}
	}
	if o.Version == nil {
		o.Version = func(string) string { return "" }
	}
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	p := &Provider{opts: o, kinds: Kinds(), nodes: nodes{desk: desk{o.Authority, o.Dir}, all: map[resource.Scope]*node{}}}
	p.gate = Gate{o.Authority, p.alarm}
	return p
}

// Session implements link.Orchestrator.
func (p *Provider) Session(ctx context.Context, recv func() (link.FromNode, error),
	send func(link.ToNode) error,
) error {
	first, err := recv()
	if err != nil {
		return err
	}
	if first.Hello == nil || !segment(first.Hello.Site) || !segment(first.Hello.Node) {
		return errors.New("the first frame names no site and node")
	}
	scope := resource.Scope{Provider: Name, Location: first.Hello.Site + "/" + first.Hello.Node}
	if err := p.gate.Admit(ctx, scope.Location); err != nil {
		return err
	}
	link.Proven(ctx, scope.Location)
	t := &talk{p: p, scope: scope, hello: first.Hello, send: inTurn(send)}
	return t.serve(ctx, recv)
}

// Enroll implements link.Orchestrator.
func (p *Provider) Enroll(ctx context.Context, r link.EnrollRequest) (link.EnrollReply, error) {
	return p.gate.Enroll(ctx, r)
}

// Kinds implements provider.Provider.
func (p *Provider) Kinds() []resource.Kind { return p.kinds }

// Describe implements provider.Describer.
func (p *Provider) Describe(location string) string { return "node " + location }

// Observe implements provider.Provider: the newest report of the node.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return resource.Snapshot{}, err
	}
	return p.nodes.snapshot(r.Scope, p.opts.Clock(), p.opts.Lease)
}

// Create implements provider.Provider. It returns when the node has the request.
func (p *Provider) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	ref := r.Desired.Ref
	owner := r.Owner
	if r.Desired.Owner != "" {
		owner = r.Desired.Owner
	}
	marks := link.Marks{Ref: ref.Bare().String(), Stack: ref.Stack, Owner: owner, Key: r.Key, Blessed: r.Desired.Blessed}
	d := link.Deployment{
		Name: ref.Name, Instance: r.Key, Marks: marks, Spec: specOf(r.Desired.Attrs),
		Stopped: r.Desired.State == resource.StateStopped, After: after(&r.Desired, nil),
	}
	q := link.Request{ID: r.Key, Verb: link.Install, Name: d.Name}
	if err := p.ask(ctx, ref, q, change{instance: r.Key, put: &d}); err != nil {
		return resource.Observed{}, err
	}
	return observed(ref.Scope(), &link.Item{
		Name: d.Name, Instance: d.Instance, Marks: marks, Spec: d.Spec,
		Phase: link.Pending, Health: resource.Pending,
	}), nil
}

// Update implements provider.Provider. It returns when the node has the request. A deployment keeps the name that it
// has on its node.
func (p *Provider) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	q := link.Request{ID: r.Key, Verb: link.Restart, Name: r.Have.NaturalRef().Name}
	for _, c := range r.Changes {
		if c.On == resource.OnAttribute {
			q.Verb = link.Update
		}
	}
	d := link.Deployment{
		Name: q.Name, Instance: r.Have.ID, Marks: marksOf(r.Have), Spec: specOf(r.Desired.Attrs),
		Stopped: r.Desired.State == resource.StateStopped, After: after(&r.Desired, nil),
	}
	if err := p.ask(ctx, r.Have.Ref, q, change{instance: r.Have.ID, put: &d}); err != nil {
		return resource.Observed{}, err
	}
	out := r.Have
	out.Attrs, out.Health, out.Message = r.Desired.Attrs, resource.Pending, ""
	return out, nil
}

// Delete implements provider.Provider. It returns when the node has the request.
func (p *Provider) Delete(ctx context.Context, r provider.Request) error {
	q := link.Request{ID: r.Key, Verb: link.Delete, Name: r.Have.NaturalRef().Name}
	if err := p.ask(ctx, r.Have.Ref, q, change{instance: r.Have.ID}); err != nil {
		return err
	}
	return provider.ErrAccepted
}

// after are the deployments of the same node that one depends on. called are those that have another name on the node:
// where they are not known, the next cycle corrects the order.
func after(d *resource.Desired, called map[resource.Ref]string) (names []string) {
	for _, r := range d.Refs() {
		if r.Scope() == d.Ref.Scope() && r.Kind == d.Ref.Kind {
			names = append(names, cmp.Or(called[r], r.Name))
		}
	}
	return names
}

// ask tells a node what it is to run from now on, with a request.
func (p *Provider) ask(ctx context.Context, ref resource.Ref, q link.Request, c change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.name, c.commit, c.installs = q.Name, p.opts.Version(ref.Stack), q.Verb == link.Install
	return p.nodes.ask(ref.Scope(), q, c, p.opts.Clock(), p.opts.Lease)
}

func marksOf(o resource.Observed) link.Marks {
	return link.Marks{
		Ref: o.Marks.Ref.Bare().String(), Stack: o.Marks.Ref.Stack, Owner: o.Marks.Owner, Key: o.Marks.Key,
		Blessed: o.Marks.Blessed,
	}
}

// Close ends what Open started.
func (p *Provider) Close() error {
	for _, end := range p.closers {
		end()
	}
	p.closers = nil
	return nil
}
