package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman"
	"github.com/ovi-project/ovi/resource"
)

// hostScope is where all containers are: each host is its own Podman.
var hostScope = resource.Scope{Provider: podman.Name, Location: "host"}

// host is the containers of one node. They outlive the processes of the node.
type host struct {
	mu       sync.Mutex
	chance   *rand.Rand
	all      map[string]*resource.Observed // by name
	created  map[string]int                // how often, by the key of the request
	made     int
	idle     bool          // it says that it did what it was asked, and does nothing
	slow     string        // a container whose creation takes longer
	pull     time.Duration // than others, by this
	long     time.Duration // half of the changes take up to so much longer
	hangs    bool          // nothing is answered
	heals    chan struct{} // closed when it is healed
	late     int           // calls that took longer, or hung
	restarts int
}

func newHost(seed uint64) *host {
	return &host{chance: rand.New(rand.NewPCG(seed, 3)), all: map[string]*resource.Observed{}, created: map[string]int{}, heals: make(chan struct{})}
}

func (*host) Kinds() []resource.Kind { return podman.Kinds() }

func (h *host) Observe(ctx context.Context, _ provider.ObserveRequest) (resource.Snapshot, error) {
	h.mu.Lock()
	if heals := h.heals; h.hangs {
		h.late++
		h.mu.Unlock()
		if err := restOr(ctx, time.Hour, heals); err != nil {
			return resource.Snapshot{}, err
		}
		h.mu.Lock()
	}
	defer h.mu.Unlock()
	s := resource.Snapshot{Scope: hostScope, At: time.Now()}
	for _, o := range h.all {
		s.Resources = append(s.Resources, *o)
	}
	slices.SortFunc(s.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return s, ctx.Err()
}

// takes lets time pass before an effect, or after it: a process that ends meanwhile has had it, or not.
func (h *host) takes(ctx context.Context, do func() error) error {
	before, after, heals := h.luck()
	if err := restOr(ctx, before, heals); err != nil {
		return err
	}
	h.mu.Lock()
	err := do()
	h.mu.Unlock()
	return errors.Join(err, restOr(ctx, after, heals))
}

// luck draws how long a change takes before its effect and after it, unless the host is healed before.
func (h *host) luck() (before, after time.Duration, heals <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before, after = time.Duration(h.chance.IntN(2000))*time.Millisecond, time.Duration(h.chance.IntN(1000))*time.Millisecond
	longer := time.Duration(0)
	switch {
	case h.hangs:
		longer = time.Hour
	case h.long > 0 && h.chance.IntN(2) == 0:
		longer = time.Duration(h.chance.Int64N(int64(h.long)))
	}
	if longer > 0 {
		h.late++
	}
	if h.chance.IntN(2) == 0 {
		return before + longer, after, h.heals
	}
	return before, after + longer, h.heals
}

// slows lets half of the changes take up to so much longer.
func (h *host) slows(long time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.long = long
}

// silent lets nothing have an answer: of a change, the effect or the answer waits.
func (h *host) silent() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hangs = true
}

// heal answers everything that is slow or hangs, and whatever comes, at once.
func (h *host) heal() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.long, h.hangs = 0, false
	close(h.heals)
	h.heals = make(chan struct{})
}

// rest waits, unless the process ends.
func rest(ctx context.Context, d time.Duration) error { return restOr(ctx, d, nil) }

// restOr waits, or until a channel is closed, unless the process ends.
func restOr(ctx context.Context, d time.Duration, or <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	case <-or:
		return nil
	}
}

func (h *host) Create(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	if r.Desired.Ref.Name == h.slow {
		if err := rest(ctx, h.pull); err != nil {
			return out, err
		}
	}
	err = h.takes(ctx, func() error {
		ref := r.Desired.Ref
		if h.all[ref.Name] != nil {
			return fmt.Errorf("the name %s is in use", ref.Name)
		}
		h.made++
		h.created[r.Key]++
		if h.idle {
			out = resource.Observed{Ref: ref, ID: "none", Health: resource.Healthy}
			return nil
		}
		o := &resource.Observed{Ref: ref, ID: fmt.Sprintf("c%d", h.made), Attrs: r.Desired.Attrs.With("image_id", resource.String("sha256:1")), Health: resource.Healthy, Since: time.Now()}
		if r.Beside != nil {
			o.Health = resource.Stopped
		}
		h.all[ref.Name], out = o, *o
		return nil
	})
	return out, err
}

// change changes a container that exists.
func (h *host) change(ctx context.Context, id string, do func(*resource.Observed)) (out resource.Observed, err error) {
	err = h.takes(ctx, func() error {
		for _, o := range h.all {
			if o.ID == id {
				do(o)
				out = *o
				return nil
			}
		}
		return fmt.Errorf("no container %s", id)
	})
	return out, err
}

func (h *host) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return h.change(ctx, r.Have.ID, func(o *resource.Observed) {
		h.restarts++
		o.Health = resource.Healthy
		if r.Desired.State == resource.StateStopped {
			o.Health = resource.Stopped
		}
	})
}

func (h *host) Delete(ctx context.Context, r provider.Request) error {
	return h.takes(ctx, func() error { h.remove(r.Have.ID); return nil })
}

func (h *host) remove(id string) {
	for name, o := range h.all {
		if o.ID == id {
			delete(h.all, name)
		}
	}
}

func (h *host) rename(o *resource.Observed, name string) {
	delete(h.all, o.Ref.Name)
	o.Ref.Name = name
	h.all[name] = o
}

func (h *host) SetAside(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return h.change(ctx, r.Have.ID, func(o *resource.Observed) { h.rename(o, r.Desired.Ref.Name+"-old") })
}

func (h *host) Switch(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if _, err := h.change(ctx, r.Beside.ID, func(o *resource.Observed) { o.Health = resource.Stopped }); err != nil {
		return resource.Observed{}, err
	}
	return h.change(ctx, r.Have.ID, func(o *resource.Observed) { o.Health = resource.Healthy })
}

func (h *host) Restore(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return h.change(ctx, r.Have.ID, func(o *resource.Observed) {
		h.rename(o, r.Desired.Ref.Name)
		o.Health = resource.Healthy
	})
}

// breaks lets a container fail, or removes it, as what happens outside ovi.
func (h *host) breaks(gone bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, o := range h.all {
		if gone {
			delete(h.all, name)
		} else {
			o.Health = resource.Failing
		}
		return
	}
}
