package main

import (
	"sync"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
)

// alertBook remembers which concerns were told, so that each instance says each once, and with a
// memory the webhook hears of each once, whoever leads. A concern that lasts is told again when
// the memory of it ends.
type alertBook struct {
	mu     sync.Mutex
	open   map[string]map[string]entry // by stack, by key
	memory memory                      // nil: none but this
	tell   func(n notice, heard bool)  // heard: another instance tells the webhook
}

// entry is a concern that was told here, or is known to have been told.
type entry struct {
	notice
	kept bool // it stands in the memory
	said bool // here
}

// cycle tells what is new in a cycle, and what is no concern any more. One that came to
// nothing settles nothing.
func (b *alertBook) cycle(c engine.Cycle) {
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
		e, told := b.open[role][x.Key()]
		if !told {
			e.notice = noticeOf(c, x)
		}
		if !e.said {
			b.tell(e.notice, told || forTheLeader(c, e.notice))
			e.said = true
		}
		now[x.Key()] = e
	}
	for key, e := range b.open[role] {
		if _, still := now[key]; still {
			continue
		}
		if c.Err != nil || stillUnreachable(c, e.notice) {
			now[key] = e
			continue
		}
		e.State, e.At = alertResolved, c.At.UTC()
		b.tell(e.notice, forTheLeader(c, e.notice))
		if e.kept {
			_ = b.memory.drop(c.Stack, key) // it ends by itself
		}
	}
	b.open[role] = now
}

// recall brings what is open up to what the memory knows: what another leader told is told,
// and what has ended there is told again. What it cannot be asked stays as it is here.
func (b *alertBook) recall(stack string) {
	if b.memory == nil {
		return
	}
	known, err := b.memory.recall(stack)
	if err != nil {
		return
	}
	now := map[string]entry{}
	for key, n := range known {
		now[key] = entry{n, true, b.open[stack][key].said}
	}
	for key, e := range b.open[stack] {
		if _, has := now[key]; !has && !e.kept {
			now[key] = e // not delivered yet, or not remembered
		}
	}
	b.open[stack] = now
}

// delivered hears that people were told: from now on nobody else needs to.
func (b *alertBook) delivered(n notice) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, open := b.open[n.Stack][n.key]
	if b.memory == nil || n.State != alertNew || !open || e.kept {
		return // of a helper: its own affair; settled meanwhile: nothing to remember
	}
	e.kept = b.memory.keep(n.Stack, n.key, n) == nil
	b.open[n.Stack][n.key] = e
}

// forTheLeader says that a helper found what the leader finds as well, and tells the webhook.
// What is the matter with its own files only the helper knows.
func forTheLeader(c engine.Cycle, n notice) bool {
	switch engine.AlertType(n.Kind) {
	case engine.ConfigurationMismatch, engine.SourceUnread, engine.PolicyUnread:
		return false
	}
	return !c.Led
}

// stillUnreachable says that a scope another leader called blind was not seen in this cycle either:
// the cycles are counted anew by each.
func stillUnreachable(c engine.Cycle, n notice) bool {
	if n.Kind != string(engine.UnreachableAlert) || c.Planned == nil {
		return false
	}
	for s := range c.Planned.Plan.Unreachable {
		if s.String() == n.Scope {
			return true
		}
	}
	return false
}

func noticeOf(c engine.Cycle, x engine.Alert) notice {
	n := notice{Type: "concern", State: alertNew, At: c.At.UTC(), Stack: c.Stack, Kind: string(x.Type), Text: x.Text, key: x.Key()}
	if !x.Ref.IsZero() {
		n.Ref = x.Ref.String()
	}
	if x.Scope != (resource.Scope{}) {
		n.Scope = x.Scope.String()
	}
	return n
}
