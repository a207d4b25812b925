package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/shelf"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/offline"
	"github.com/ovi-project/ovi/resource/rules"
)

// nodes is a provider whose nodes act as those of a site: an action is accepted and ends later; an update that
// fails leaves the version before running, and healthy: only the result of the request says that it failed.
type nodes struct {
	shelf.Shelf
	bad     func(node, version string) bool
	cause   map[string]provider.Cause // of the failures of a node
	stays   bool                      // a version that fails stays, and keeps failing
	keeps   bool                      // deletes fail
	lies    bool                      // deletes do nothing, and are done
	silent  bool                      // what is accepted is not done yet
	offline map[string]time.Time      // node: since when
	asked   []string                  // "node version", in order
	pending map[string]pending        // by id
}

type pending struct {
	key     string
	first   bool   // a create
	version string // "": a restart
	leaves  bool   // a delete
	until   time.Time
}

// takes is how long an action takes.
const takes = 5 * time.Second

// leave is what a node is asked for with a delete.
const leave = "(delete)"

func newNodes(t *testing.T) (*yard, *nodes) {
	n := &nodes{offline: map[string]time.Time{}, pending: map[string]pending{}, bad: func(_, version string) bool { return version == "bad" }}
	return newYard(t, provider.Set{"site": n}), n
}

func nodeRef(node string) resource.Ref {
	return resource.Ref{Stack: stack, Provider: "site", Location: node, Kind: "app", Name: "web"}
}

// appOn is the configuration of an app on nodes.
func appOn(version string, u rules.Update, on ...string) []resource.Intent {
	u.Kind, u.Name = "app", "web"
	in := resource.Intent{Stack: stack, Rules: rules.Rules{Attempts: rules.Attempts{Count: 3, Configuration: 1}, DestroyAuto: true, Updates: []rules.Update{u}}}
	for _, node := range on {
		in.Scopes = append(in.Scopes, nodeRef(node).Scope())
		in.Resources = append(in.Resources, resource.Desired{Ref: nodeRef(node), Attrs: attrs("version", resource.String(version)), State: resource.StateRunning})
	}
	return []resource.Intent{in}
}

func (n *nodes) Kinds() []resource.Kind {
	return []resource.Kind{{
		Provider: "site", Name: "app", Doc: "An app on a node.", NoTags: true, Carrier: resource.AtCreate, Exact: true,
		Async: true, Supersede: true, State: resource.StateRunning, Grace: 5 * time.Minute,
		Attrs: []resource.Attribute{{Name: "version", Type: resource.TString, Required: true, Effect: resource.Restart, Doc: "What runs.", Example: "1"}},
	}}
}

func (n *nodes) Observe(ctx context.Context, r provider.ObserveRequest) (s resource.Snapshot, err error) {
	s = resource.Snapshot{Scope: r.Scope, At: time.Now()}
	err = n.Do(ctx, func() error {
		if since, off := n.offline[r.Scope.Location]; off {
			return &offline.Error{Since: since}
		}
		for _, o := range n.List(r.Scope) {
			n.progress(n.ByID(o.Ref, o.ID))
		}
		s.Resources = n.List(r.Scope)
		return nil
	})
	return s, err
}

func (n *nodes) progress(o *resource.Observed) {
	p, busy := n.pending[o.ID]
	if !busy || n.silent || time.Now().Before(p.until) {
		return
	}
	delete(n.pending, o.ID)
	o.Health, o.Last = resource.Healthy, &resource.Request{Key: p.key, State: resource.RequestDone, At: time.Now()}
	failed := func(text string) {
		o.Last.State, o.Last.Cause, o.Last.Text = resource.RequestFailed, string(n.cause[o.Ref.Location]), text
	}
	if p.leaves && n.keeps {
		failed("it cannot be deleted: the disk is read-only")
		return
	}
	if p.leaves && !n.lies {
		n.Remove(o.Ref, o.ID)
		return
	}
	was := shelf.Text(o.Attrs, "version")
	if p.version != "" && !p.first && n.bad(o.Ref.Location, p.version) && !n.stays {
		failed(fmt.Sprintf("version %s failed; version %s runs", p.version, was))
		return
	}
	if p.version != "" {
		o.Attrs = o.Attrs.With("version", resource.String(p.version))
	}
	if o.Message = ""; n.bad(o.Ref.Location, shelf.Text(o.Attrs, "version")) {
		o.Health, o.Message = resource.Failing, "it fails"
		failed(o.Message)
	}
}

func (n *nodes) ask(node string, o *resource.Observed, key, version string, first bool) error {
	if _, off := n.offline[node]; off {
		return shelf.Fail(provider.Unreachable, "node %s is offline", node)
	}
	n.asked = append(n.asked, node+" "+version)
	n.pending[o.ID] = pending{key, first, version, version == leave, time.Now().Add(takes)}
	o.Health, o.Message, o.Last = resource.Pending, "", &resource.Request{Key: key, State: resource.RequestAccepted, At: time.Now()}
	return nil
}

func (n *nodes) Create(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	err = n.Do(ctx, func() error {
		x := n.ByKey(r.Key)
		if x == nil {
			o := resource.Observed{Ref: r.Desired.Ref, ID: fmt.Sprintf("app-%d", n.Next()), Marks: shelf.Marks(r), Attrs: r.Desired.Attrs}
			if err := n.ask(o.Ref.Location, &o, r.Key, shelf.Text(o.Attrs, "version"), true); err != nil {
				return err
			}
			n.Put(o)
			x = n.ByKey(r.Key)
		}
		out = *x
		return nil
	})
	return out, err
}

func (n *nodes) Update(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	err = n.Do(ctx, func() error {
		x := n.ByID(r.Have.Ref, r.Have.ID)
		version := ""
		for _, c := range r.Changes {
			if c.On == resource.OnAttribute {
				version = shelf.Text(r.Desired.Attrs, "version")
			}
		}
		err := n.ask(r.Have.Ref.Location, x, r.Key, version, false)
		out = *x
		return err
	})
	return out, err
}

func (n *nodes) Delete(ctx context.Context, r provider.Request) error {
	err := n.Do(ctx, func() error {
		x := n.ByID(r.Have.Ref, r.Have.ID)
		if x == nil {
			return nil
		}
		return n.ask(r.Have.Ref.Location, x, r.Key, leave, false)
	})
	return cmp.Or(err, provider.ErrAccepted)
}

// look calls see with the nodes locked, as a test must while a loop runs.
func (n *nodes) look(see func()) {
	_ = n.Do(context.Background(), func() error { see(); return nil })
}

// version is what runs on a node, with its health unless that is healthy.
func (n *nodes) version(node string) string {
	x := n.ByName(nodeRef(node))
	if x == nil {
		return ""
	}
	text := shelf.Text(x.Attrs, "version")
	if x.Health != resource.Healthy {
		text += " " + string(x.Health)
	}
	return text
}

// times is how often a node was asked for a version.
func (n *nodes) times(node, version string) (times int) {
	for _, x := range n.asked {
		if x == node+" "+version {
			times++
		}
	}
	return times
}

// rounds plans and applies, as a loop does, with a pause after each.
func (y *yard) rounds(in []resource.Intent, n int, pause time.Duration) (last *engine.Planned) {
	y.t.Helper()
	for range n {
		last = y.round(in)
		time.Sleep(pause)
	}
	return last
}
