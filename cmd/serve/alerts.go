package serve

import (
	"sync"

	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/resource"
)

// Alerts remembers which alerts were reported, so that each instance reports each once, and, with a
// shared memory, the webhook receives each once, whichever instance leads. An alert that lasts is
// reported again when its entry in the memory expires.
type Alerts struct {
	mu     sync.Mutex
	open   map[string]map[string]entry // by stack, by key
	memory memory                      // nil means this process only
	send   func(n Notice, known bool)  // known: the webhook has it from another instance
}

// NewAlerts reports through notices. What the webhook accepted is remembered in the store.
func NewAlerts(n *Notices, store StoreMemory) *Alerts {
	a := &Alerts{send: n.Send}
	if n.url != "" {
		a.memory, n.delivered = store, a.delivered
	}
	return a
}

// entry is an alert that was reported here, or is known to have been reported.
type entry struct {
	Notice
	kept     bool // it is in the memory
	reported bool // here
}

// Cycle reports what is new in a cycle, and what is resolved. A cycle that failed resolves nothing.
func (b *Alerts) Cycle(c loop.Cycle) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = map[string]map[string]entry{}
	}
	role := c.Stack + "/helper"
	if c.Led {
		role = c.Stack
		b.recall(c.Stack)
	}
	now := map[string]entry{}
	for _, x := range c.Alerts {
		e, known := b.open[role][x.Key()]
		if !known {
			e.Notice = noticeOf(c, x)
		}
		if !e.reported {
			b.send(e.Notice, known || forTheLeader(c, e.Notice))
			e.reported = true
		}
		now[x.Key()] = e
	}
	for key, e := range b.open[role] {
		if _, still := now[key]; still {
			continue
		}
		if c.Err != nil || stillUnreachable(c, e.Notice) {
			now[key] = e
			continue
		}
		e.State, e.At = alertResolved, c.At.UTC()
		b.send(e.Notice, forTheLeader(c, e.Notice))
		if e.kept {
			_ = b.memory.drop(c.Stack, key) // it expires by itself
		}
	}
	b.open[role] = now
}

// recall merges the memory into what is open: what another leader reported is reported, and what
// expired there is reported again. If the memory cannot be read, what is known here stays.
func (b *Alerts) recall(stack string) {
	if b.memory == nil {
		return
	}
	known, err := b.memory.recall(stack)
	if err != nil {
		return
	}
	now := map[string]entry{}
	for key, n := range known {
		now[key] = entry{n, true, b.open[stack][key].reported}
	}
	for key, e := range b.open[stack] {
		if _, has := now[key]; !has && !e.kept {
			now[key] = e // not delivered yet, or not remembered
		}
	}
	b.open[stack] = now
}

// delivered remembers what the webhook accepted: from now on no other instance sends it.
func (b *Alerts) delivered(n Notice) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, open := b.open[n.Stack][n.key]
	if b.memory == nil || n.State != alertNew || !open || e.kept {
		return // of a helper, or resolved meanwhile: nothing to remember
	}
	e.kept = b.memory.keep(n.Stack, n.key, n) == nil
	b.open[n.Stack][n.key] = e
}

// forTheLeader reports whether the leader finds the same as this helper and sends it. What is wrong
// with its own files only the helper knows.
func forTheLeader(c loop.Cycle, n Notice) bool {
	switch loop.AlertType(n.Kind) {
	case loop.ConfigurationMismatch, loop.SourceUnread, loop.PolicyUnread:
		return false
	}
	return !c.Led
}

// stillUnreachable reports whether a scope that another leader called unreachable was unreachable
// in this cycle too: each leader counts its own cycles.
func stillUnreachable(c loop.Cycle, n Notice) bool {
	if n.Kind != string(loop.UnreachableAlert) || c.Planned == nil {
		return false
	}
	for s := range c.Planned.Plan.Unreachable {
		if s.String() == n.Scope {
			return true
		}
	}
	return false
}

func noticeOf(c loop.Cycle, x loop.Alert) Notice {
	n := Notice{
		Type: "alert", State: alertNew, At: c.At.UTC(), Stack: c.Stack, Kind: string(x.Type), Text: x.Text,
		key: x.Key(),
	}
	if !x.Ref.IsZero() {
		n.Ref = x.Ref.String()
	}
	if x.Scope != (resource.Scope{}) {
		n.Scope = x.Scope.String()
	}
	return n
}
