package haproxy

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// quiet is how long no further change may come before HAProxy is reloaded, and quietRounds how often a change
	// that does come lets the reload wait once more.
	quiet       = 150 * time.Millisecond
	quietRounds = 10
)

// Group makes changes that come at a time as one: routes that one run adds or removes cost one reload, not
// one each. A change of addresses alone waits for nothing. The zero value is ready for use.
type Group struct {
	mu sync.Mutex
	// waiting are the changes of a folder that wait to be made, by its path. A folder has an entry, if an empty one,
	// while one of its callers makes them.
	waiting map[string][]*member
}

// member is a change of a group.
type member struct {
	do   func(routes map[string]Route) error
	done chan error
}

// Change is Folder.Change, made together with the others of the group, under the context of the first. An error
// of one is not that of another: what HAProxy refuses together is made one by one, so that do may be called twice.
func (g *Group) Change(ctx context.Context, f Folder, do func(routes map[string]Route) error) error {
	m := &member{do, make(chan error, 1)}
	if g.join(f.Path, m) {
		for batch := g.next(f.Path); len(batch) > 0; batch = g.next(f.Path) {
			g.make(ctx, f, batch)
		}
	}
	return <-m.done
}

// join adds a change, and reports whether its caller makes what waits.
func (g *Group) join(path string, m *member) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting == nil {
		g.waiting = map[string][]*member{}
	}
	before, led := g.waiting[path]
	g.waiting[path] = append(before, m)
	return !led
}

// next takes the changes that wait. If there are none, the next one that joins makes them.
func (g *Group) next(path string) []*member {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := g.waiting[path]
	if len(out) == 0 {
		delete(g.waiting, path)
		return nil
	}
	g.waiting[path] = nil
	return out
}

// more takes the changes that came since.
func (g *Group) more(path string) []*member {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := g.waiting[path]
	g.waiting[path] = nil
	return out
}

// make makes changes, and those that come before HAProxy is reloaded for them.
func (g *Group) make(ctx context.Context, f Folder, batch []*member) {
	made := batch
	err := f.locked(ctx, func(have files) error {
		var routes map[string]Route
		if routes, made = g.gather(ctx, f.Path, have.routes(), batch); len(made) == 0 {
			return nil
		}
		return f.commit(ctx, have, routes)
	})
	for _, m := range made {
		if errors.Is(err, errRefused) && len(made) > 1 {
			m.done <- f.Change(ctx, m.do)
			continue
		}
		m.done <- err
	}
}

// gather makes changes of routes; where that costs a reload, those too that come within a while.
func (g *Group) gather(ctx context.Context, path string, before map[string]Route,
	batch []*member,
) (routes map[string]Route, made []*member) {
	routes, made = fold(before, batch)
	for range quietRounds {
		if sameNames(before, routes) || !wait(ctx, quiet) {
			break
		}
		came := g.more(path)
		if len(came) == 0 {
			break
		}
		var joined []*member
		routes, joined = fold(routes, came)
		made = append(made, joined...)
	}
	return routes, made
}

// fold makes changes of routes, one after the other. One that fails changes nothing, and ends there.
func fold(routes map[string]Route, all []*member) (map[string]Route, []*member) {
	var made []*member
	for _, m := range all {
		next := maps.Clone(routes)
		err := m.do(next)
		if err == nil {
			err = valid(next)
		}
		if err != nil {
			m.done <- err
			continue
		}
		routes, made = next, append(made, m)
	}
	return routes, made
}

// sameNames reports whether no route came or went.
func sameNames(a, b map[string]Route) bool {
	return slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
}

// wait waits, and reports whether the context has not ended.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
