package etcd

import (
	"cmp"
	"slices"
	"sync"
)

// spans are the large commits that a handle has read. They never change and are never deleted:
// what they wrote has the revision that ended them. Every request needs them, so only those that
// are still unknown are requested.
type spans struct {
	mu   sync.Mutex
	upTo int64  // the etcd revision up to which all are known
	list []span // by Last; they do not overlap. Appended to, never changed in place
}

// learn adds what was read at a revision, and returns all.
func (p *spans) learn(fresh []span, at int64) []span {
	slices.SortFunc(fresh, func(a, b span) int { return cmp.Compare(a.Last, b.Last) })
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, sp := range fresh {
		if sp.Last > p.upTo { // another request may have added it
			p.list = append(p.list, sp)
		}
	}
	p.upTo = max(p.upTo, at)
	return p.list
}
