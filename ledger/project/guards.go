package project

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// ErrRaced is returned where another instance recorded what a batch rests on.
var ErrRaced = errors.New("another instance recorded first")

// rests guards an entry that the projection read. The key also guards an absent entry.
func (p *draft) rests(key string, e storage.Entry) {
	if p.guards != nil {
		p.guards[key] = storage.Guard{Key: key, Created: e.Created, Modified: e.Modified}
	}
}

// guardBulk guards the resources of observations, and finds the resources that another instance
// wrote after the observation was compared with the records. Reading the changes since then costs
// as much as other instances wrote, not as much as the observation has resources.
func (p *draft) guardBulk(since storage.Revision) error {
	if since == storage.Now {
		return nil
	}
	written := map[string]bool{}
	for _, op := range p.ops {
		if _, read := p.guards[op.Key]; !read && strings.HasPrefix(op.Key, rows.KeyResource) {
			written[op.Key] = true
		}
	}
	if len(written) == 0 {
		return nil
	}
	if err := p.versions(written); err != nil {
		return err
	}
	for e, err := range p.store.Changes(p.ctx, rows.KeyResource, since, storage.Now) {
		if err != nil {
			return err
		}
		if written[e.Key] {
			return fmt.Errorf("%w: %s", ErrRaced, e.Key)
		}
	}
	return nil
}

// versions reads the versions of keys, one by one if they are few.
func (p *draft) versions(keys map[string]bool) error {
	if len(keys) <= manyDecisions {
		found, err := storage.Gets(p.ctx, p.store, slices.Collect(maps.Keys(keys)))
		for key := range keys {
			p.rests(key, found[key])
		}
		return err
	}
	// a key that the range does not return is absent, and must still be absent at the commit
	for key := range keys {
		p.rests(key, storage.Entry{})
	}
	entries, _, err := p.store.Range(p.ctx, rows.KeyResource, storage.Now)
	if err != nil {
		return err
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		if keys[e.Key] {
			p.rests(e.Key, e)
		}
	}
	return nil
}

// reads returns the guards of the entries that the projection rests on, in order. The order makes
// two projections of the same records equal, byte by byte.
func (p *draft) reads() []storage.Guard {
	out := make([]storage.Guard, 0, len(p.guards))
	for _, g := range p.guards {
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b storage.Guard) int { return strings.Compare(a.Key, b.Key) })
	return out
}
