package node

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// failure is a task that failed, until another one for the same deployment.
type failure struct {
	task  task
	text  string
	cause resource.Cause
}

// accept queues a request. The tasks of one deployment are done one after the other, those of others at the
// same time.
func (a *agent) accept(ctx context.Context, q link.Request) {
	t, err := a.holder.task(q)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = q.Seq
	defer signal(a.changed)
	if err != nil {
		a.Log.Error("a request is refused", "request", q.Verb, "deployment", q.Name, "error", err)
		a.failed[q.Name] = failure{t, err.Error(), causeOf(err)}
		return
	}
	if slices.ContainsFunc(a.queue, func(x task) bool { return x.ID == q.ID }) {
		return
	}
	a.queue = append(a.queue, t)
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
		a.finished(t, err)
		if err != nil {
			a.Log.Warn("failed", "request", t.Verb, "deployment", name, "error", err)
		}
		signal(a.changed)
	}
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
	delete(a.failed, t.Name)
	if err != nil {
		a.failed[t.Name] = failure{t, err.Error(), causeOf(err)}
	}
}

// report is what runs now. What was seen and open is noted before anything is observed.
func (a *agent) report(ctx context.Context) link.Report {
	a.mu.Lock()
	r := link.Report{Seen: a.seen}
	queue := slices.Clone(a.queue)
	failed := make(map[string]failure, len(a.failed))
	for name, f := range a.failed {
		failed[name] = f
	}
	a.mu.Unlock()
	for _, q := range queue {
		r.Open = append(r.Open, q.ID)
	}
	items, err := a.runtime.items(ctx)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	a.noticed(items)
	r.Items = overlay(items, queue, failed)
	return r
}

// overlay adds what the containers do not show: tasks in progress, and those that failed.
func overlay(items []link.Item, queue []task, failed map[string]failure) []link.Item {
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
	for _, f := range failed {
		if f.task.to.Instance == "" && find(f.task) < 0 {
			continue // a delete, or one that was refused
		}
		x := at(f.task)
		x.Phase, x.Health, x.Cause = link.Failed, resource.Failing, f.cause
		x.Message = fmt.Sprintf("%s of version %s failed: %s", f.task.Verb, cmp.Or(f.task.to.Spec.Version, x.Spec.Version),
			f.text)
	}
	first := map[string]bool{}
	for _, t := range queue {
		if t.Verb == link.Delete && find(t) < 0 {
			continue // it is gone
		}
		x := at(t)
		if x.Phase, x.Health, x.Cause = link.Pending, resource.Pending, ""; !first[t.Name] && t.Verb != link.Delete {
			x.Phase = link.Installing
		}
		first[t.Name] = true
	}
	return items
}
