package fake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Cloud is the provider. Any location exists in it, empty at first. All methods may be called
// from many goroutines.
type Cloud struct {
	name  string
	kinds []resource.Kind

	mu        sync.Mutex
	locations map[resource.Scope]*location
	faults    Faults
	calls     []Call
	count     map[Verb]int
	made      int // for ids
	filters   bool
}

var _ provider.Provider = (*Cloud)(nil)

// New returns an empty cloud with that provider name.
func New(name string) *Cloud {
	return &Cloud{
		name: name, kinds: kinds(name),
		locations: map[resource.Scope]*location{}, count: map[Verb]int{},
	}
}

// Break sets the faults from now on; the zero Faults repairs everything.
func (c *Cloud) Break(f Faults) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = f
}

// Filter makes lists honor the filter of a request from now on.
func (c *Cloud) Filter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.filters = true
}

// Calls lists the calls that came in so far, in order, failed ones too.
func (c *Cloud) Calls() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Call(nil), c.calls...)
}

// Kinds implements provider.Provider.
func (c *Cloud) Kinds() []resource.Kind { return c.kinds }

// Observe implements provider.Provider.
func (c *Cloud) Observe(ctx context.Context, r provider.ObserveRequest) (snap resource.Snapshot, err error) {
	snap = resource.Snapshot{Scope: r.Scope, At: time.Now()}
	c.mu.Lock()
	slow := c.faults.Slow
	c.mu.Unlock()
	if slow != nil {
		return c.observeSlowly(ctx, r, slow)
	}
	err = c.call(ctx, Call{Verb: Observe, Scope: r.Scope}, func() error {
		c.read(&snap, r)
		return nil
	})
	if err != nil {
		return resource.Snapshot{}, err
	}
	return snap, nil
}

// observeSlowly reads the kinds of a scope at the same time. Some of them wait.
func (c *Cloud) observeSlowly(
	ctx context.Context, r provider.ObserveRequest, slow func(context.Context, string) error,
) (resource.Snapshot, error) {
	var kinds []string
	for _, k := range c.kinds {
		if r.Kinds == nil || slices.Contains(r.Kinds, k.Name) {
			kinds = append(kinds, k.Name)
		}
	}
	at := time.Now()
	return provider.SnapshotOf(r.Scope, at, provider.ReadKinds(ctx, r, kinds, time.Now,
		func(ctx context.Context, kind string) (l provider.Listing) {
			if l.Err = slow(ctx, kind); l.Err != nil {
				return l
			}
			one := r
			one.Kinds = []string{kind}
			l.Err = c.call(ctx, Call{Verb: Observe, Scope: r.Scope, Kind: kind}, func() error {
				var snap resource.Snapshot
				c.read(&snap, one)
				l.Resources, l.Filtered = snap.Resources, snap.Filtered != nil
				return snap.Unreachable[kind]
			})
			return l
		}))
}

// read lists what a request asks for, kind by kind where not all of it can be read.
func (c *Cloud) read(snap *resource.Snapshot, r provider.ObserveRequest) {
	snap.Resources = c.location(r.Scope).list(r.Known)
	filter := c.filters && r.Filter != nil
	if r.Kinds == nil && c.faults.List == nil && !filter {
		return
	}
	snap.Complete = []string{}
	for _, k := range c.kinds {
		if r.Kinds != nil && !slices.Contains(r.Kinds, k.Name) {
			continue
		}
		if c.faults.List != nil {
			if err := c.faults.List(k.Name); err != nil {
				if snap.Unreachable == nil {
					snap.Unreachable = map[string]error{}
				}
				snap.Unreachable[k.Name] = err
				continue
			}
		}
		snap.Complete = append(snap.Complete, k.Name)
	}
	slices.Sort(snap.Complete)
	if filter {
		snap.Filtered = snap.Complete
	}
	snap.Resources = slices.DeleteFunc(slices.Clone(snap.Resources), func(o resource.Observed) bool {
		hidden := filter && o.Marks.IsZero() && !slices.Contains(r.Filter.IDs[o.Ref.Kind], o.ID)
		return hidden || !slices.Contains(snap.Complete, o.Ref.Kind)
	})
}

// Create implements provider.Provider.
func (c *Cloud) Create(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	ref := r.Desired.Ref
	err = c.call(ctx, Call{Verb: Create, Scope: ref.Scope(), Ref: ref, Key: r.Key}, func() error {
		out, err = c.create(r)
		return err
	})
	return out, err
}

// Update implements provider.Provider.
func (c *Cloud) Update(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	ref := r.Desired.Ref
	err = c.call(ctx, Call{Verb: Update, Scope: ref.Scope(), Ref: ref, Key: r.Key}, func() error {
		out, err = c.update(r)
		return err
	})
	return out, err
}

// Mark implements provider.Marker.
func (c *Cloud) Mark(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	ref := r.Desired.Ref
	err = c.call(ctx, Call{Verb: Mark, Scope: ref.Scope(), Ref: ref, Key: r.Key}, func() error {
		p := c.location(ref.Scope())
		o, ok := p.byID(r.Have.ID)
		if !ok {
			return missing("%s does not exist", r.Have.ID)
		}
		o.Marks, o.Attested = marksOf(r), o.Attested && r.MarkKey == o.Marks.Key
		o.Marks.Key = r.MarkKey
		p.put(o, 0)
		out = o
		return nil
	})
	return out, err
}

// Delete implements provider.Provider.
func (c *Cloud) Delete(ctx context.Context, r provider.Request) error {
	ref := r.Have.Ref
	return c.call(ctx, Call{Verb: Delete, Scope: ref.Scope(), Ref: ref, Key: r.Key}, func() error {
		p := c.location(ref.Scope())
		if o, ok := p.byID(r.Have.ID); ok {
			if user, used := c.user(p, o); used {
				return refuse(provider.InUse, "%s is in use by %s", o.ID, user)
			}
			p.remove(o.ID)
		}
		return nil
	})
}

// call counts a call and acts between the faults. Only acting holds the lock.
func (c *Cloud) call(ctx context.Context, call Call, act func() error) error {
	c.mu.Lock()
	c.count[call.Verb]++
	call.N = c.count[call.Verb]
	c.calls = append(c.calls, call)
	faults := c.faults
	c.mu.Unlock()
	if err := pause(ctx, faults.Delay); err != nil {
		return err
	}
	if faults.Before != nil {
		if err := faults.Before(ctx, call); err != nil {
			return err
		}
	}
	c.mu.Lock()
	err := act()
	c.mu.Unlock()
	if err == nil && faults.After != nil {
		err = faults.After(ctx, call)
	}
	return err
}

func (c *Cloud) create(r provider.Request) (resource.Observed, error) {
	ref := r.Desired.Ref
	kind, ok := c.kind(ref)
	if !ok {
		return resource.Observed{}, refuse(provider.Configuration, "unknown kind %s", ref.Kind)
	}
	p := c.location(ref.Scope())
	if o, ok := p.byKey(r.Key); ok {
		return o, nil
	}
	attrs, err := c.shape(p, kind, kind.ForCreate(r.Desired.Attrs))
	if err != nil {
		return resource.Observed{}, err
	}
	c.made++
	o := resource.Observed{
		Ref: ref.Bare(), ID: fmt.Sprintf("%s-%d", ref.Kind, c.made), Health: resource.Healthy,
		Marks: marksOf(r), Attested: true,
		Attrs: attrs, Tags: r.Desired.Tags,
	}
	if ref.Kind == "server" {
		o.Attrs = o.Attrs.With("address", resource.String(fmt.Sprintf("10.0.%d.%d", c.made/250, c.made%250)))
	}
	p.put(o, c.faults.Lag)
	return o, nil
}

func (c *Cloud) update(r provider.Request) (resource.Observed, error) {
	ref := r.Desired.Ref
	kind, ok := c.kind(ref)
	p := c.location(ref.Scope())
	o, there := p.byID(r.Have.ID)
	if !ok || !there {
		return resource.Observed{}, missing("%s does not exist", r.Have.ID)
	}
	for _, change := range r.Changes {
		if change.Effect == resource.Replace {
			return resource.Observed{}, fmt.Errorf("fake: %s of %s: %w", change.Path, ref, provider.ErrReplace)
		}
		o = apply(o, change, kind)
	}
	attrs, err := c.shape(p, kind, o.Attrs)
	if err != nil {
		return resource.Observed{}, err
	}
	o.Attrs, o.Health = attrs, resource.Healthy
	p.put(o, 0)
	return o, nil
}

// marksOf are the marks that a request puts on a resource.
func marksOf(r provider.Request) resource.Marks {
	return resource.Marks{Ref: r.Desired.Ref, Owner: r.Owner, Key: r.Key, Blessed: r.Desired.Blessed}
}

func (c *Cloud) kind(ref resource.Ref) (resource.Kind, bool) {
	for _, k := range c.kinds {
		if k.Name == ref.Kind && ref.Provider == c.name {
			return k, true
		}
	}
	return resource.Kind{}, false
}

func (c *Cloud) location(s resource.Scope) *location {
	p := c.locations[s]
	if p == nil {
		p = &location{}
		c.locations[s] = p
	}
	return p
}

func missing(format string, args ...any) error {
	return &provider.Error{
		Cause: provider.Configuration, Absent: true, Op: "fake", Code: "Refused", Err: fmt.Errorf(format, args...),
	}
}

func refuse(cause provider.Cause, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &provider.Error{Cause: cause, Op: "fake", Code: "Refused", Err: errors.New(err.Error())}
}
