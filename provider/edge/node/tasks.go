package node

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// accept queues a request. The tasks of one deployment are done one after the other, those of others at the
// same time.
func (a *agent) accept(ctx context.Context, q link.Request) {
	t, err := a.holder.task(q)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = q.Seq
	defer signal(a.changed)
	if err == nil && q.Verb != link.Delete && !t.to.Stopped {
		if err = a.Bounds.refuse(t.to.Spec); err != nil {
			a.ended(t, link.Item{}, err)
		}
	}
	if err != nil {
		a.Log.Error("a request is refused", "request", q.Verb, "deployment", q.Name, "error", err)
		a.last[q.Name] = resultOf(q, err)
		return
	}
	if slices.ContainsFunc(a.queue, func(x task) bool { return x.ID == q.ID }) {
		return
	}
	a.queue = append(a.queue, t)
	a.last[q.Name] = resource.Request{Key: q.ID, State: resource.RequestAccepted, At: now()}
	a.accepted(t)
	if !a.busy[t.Name] {
		a.busy[t.Name] = true
		a.doing.Go(func() { a.perform(ctx, t.Name) })
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// perform does the tasks of a deployment, one after the other, until there are none.
func (a *agent) perform(ctx context.Context, name string) {
	for t, ok := a.first(name); ok && ctx.Err() == nil; t, ok = a.first(name) {
		if a.awaitPorts(ctx, t); ctx.Err() != nil {
			return
		}
		a.Log.Info("started", "request", t.Verb, "deployment", name, "version", t.to.Spec.Version)
		a.started(t)
		err := a.runtime.do(ctx, t)
		if ctx.Err() != nil && err != nil {
			return // the node ends, not the task
		}
		item, undone := a.runtime.result(ctx, t)
		if err == nil {
			err = undone
		}
		a.ended(t, item, err)
		a.show(name, &item)
		a.finished(t, err)
		if err != nil {
			a.keepLoud(t, err)
			a.Log.Warn("failed", "request", t.Verb, "deployment", name, "error", err)
		}
		signal(a.changed)
	}
}

// awaitPorts returns once no earlier request has a container that publishes a host port of this one. An update reports
// its new version from the moment that its container exists, so the orchestrator may ask for a port that the container
// of the old version still holds. Only earlier requests are waited for: no two wait for each other.
func (a *agent) awaitPorts(ctx context.Context, t task) {
	if t.Verb == link.Delete || t.to.Stopped || len(t.to.Spec.Ports) == 0 {
		return
	}
	for ctx.Err() == nil {
		before := a.before(t)
		if len(before) == 0 {
			return
		}
		all, err := a.runtime.containers(ctx)
		i := slices.IndexFunc(all, func(c container) bool {
			return before[c.item.Name] != nil && samePort(c.item.Spec, t.to.Spec)
		})
		if err != nil || i < 0 { // an error ends the request itself too
			return
		}
		select {
		case <-before[all[i].item.Name]:
		case <-ctx.Done():
		}
	}
}

// before returns, by deployment, the channel that closes at the end of the first request before this one.
func (a *agent) before(t task) map[string]chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := map[string]chan struct{}{}
	for _, x := range a.queue {
		if x.ID == t.ID {
			break
		}
		if x.Name != t.Name && out[x.Name] == nil {
			out[x.Name] = x.done
		}
	}
	return out
}

// samePort reports whether two deployments publish one host port.
func samePort(a, b link.Spec) bool {
	return slices.ContainsFunc(a.Ports, func(p link.Port) bool {
		return slices.ContainsFunc(b.Ports, func(q link.Port) bool { return p.Host == q.Host })
	})
}

// first is the next task of a deployment. If there is none, nothing does its tasks any more.
func (a *agent) first(name string) (task, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.queue, func(t task) bool { return t.Name == name })
	if i < 0 {
		delete(a.busy, name)
		return task{}, false
	}
	return a.queue[i], true
}

func (a *agent) finished(t task, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = slices.DeleteFunc(a.queue, func(x task) bool { return x.ID == t.ID })
	close(t.done)
	if !slices.ContainsFunc(a.queue, func(x task) bool { return x.Name == t.Name }) { // else a later one is the last
		a.last[t.Name] = resultOf(t.Request, err)
	}
}

// resultOf returns a request with its result. A request is one fact, and what runs is another: an update that failed
// leaves the version before it in service.
func resultOf(q link.Request, err error) resource.Request {
	if err == nil {
		return resource.Request{Key: q.ID, State: resource.RequestDone, At: now()}
	}
	return resource.Request{
		Key: q.ID, State: resource.RequestFailed, Cause: string(causeOf(err)), Text: err.Error(), At: now(),
	}
}

func now() time.Time { return time.Now().UTC() }

// report is what runs now. What was seen and open is noted before anything is observed.
func (a *agent) report(ctx context.Context) link.Report {
	a.mu.Lock()
	r := link.Report{Seen: a.seen}
	queue, busy := slices.Clone(a.queue), maps.Clone(a.busy)
	r.Last = maps.Clone(a.last)
	a.mu.Unlock()
	for _, q := range queue {
		r.Open = append(r.Open, q.ID)
	}
	items, err := a.runtime.items(ctx)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	a.noticed(items, busy)
	r.Items = overlay(items, queue)
	return r
}

// overlay adds tasks in progress, which the containers do not show.
func overlay(items []link.Item, queue []task) []link.Item {
	find := func(t task) int {
		return slices.IndexFunc(items, func(x link.Item) bool { return x.Name == t.Name })
	}
	at := func(t task) *link.Item {
		i := find(t)
		if i < 0 {
			i, items = len(items), append(items, link.Item{
				Name: t.Name, Instance: t.to.Instance, Marks: t.to.Marks,
				Spec: t.to.Spec,
			})
		}
		return &items[i]
	}
	first := map[string]bool{}
	for _, t := range queue {
		if t.Verb == link.Delete && find(t) < 0 {
			continue // it is gone
		}
		x := at(t)
		if x.Phase, x.Health = link.Pending, resource.Pending; !first[t.Name] && t.Verb != link.Delete {
			x.Phase = link.Installing
		}
		first[t.Name] = true
	}
	return items
}
