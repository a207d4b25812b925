package project

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// projection turns the records of one batch into one transaction. It reads the store only through
// get, which includes what earlier records of the batch wrote, so the same store and the same
// records give the same transaction.
type projection struct {
	ctx    context.Context
	store  storage.Store
	ops    []storage.Op
	wrote  map[string]int // index into ops, without the resources of observations
	acts   map[resource.Ref][]json.RawMessage
	buf    []byte
	early  map[string]storage.Entry    // what was read ahead; absent keys as the zero Entry
	owners map[resource.Scope][]string // the keys of the stacks in scopes, read ahead
	// lookup reads instead of the store; nil: the store is read.
	lookup func(key string) []byte
	// others: other instances write the store too, and lookup has only what this one recorded.
	others bool
	// guards are the entries that the projection rests on, in a shared store; nil in one that only
	// the process with the append lock writes.
	guards map[string]storage.Guard
}

// Batch returns the transaction that the records of one batch mean. It refuses what the store would refuse,
// so that nothing is appended to the log that cannot be projected. In a shared store the transaction has
// guards on what it rests on, and since is the revision from which the records were made (Now: they rest on
// nothing else).
func Batch(ctx context.Context, store storage.Store, records []event.Record, since storage.Revision, shared bool) (storage.Tx, error) {
	p := &projection{ctx: ctx, store: store, wrote: map[string]int{}, acts: map[resource.Ref][]json.RawMessage{}}
	if shared {
		p.guards = map[string]storage.Guard{}
	}
	if err := p.readAhead(records); err != nil {
		return storage.Tx{}, fmt.Errorf("ledger: project: %w", err)
	}
	for _, r := range records {
		if err := p.apply(r); err != nil {
			return storage.Tx{}, fmt.Errorf("ledger: project %s: %w", r.Event.Type(), err)
		}
	}
	if err := p.finishActs(); err != nil {
		return storage.Tx{}, err
	}
	tx := storage.Tx{Ops: p.tidy()}
	if shared {
		if err := p.guardBulk(since); err != nil {
			return storage.Tx{}, err
		}
		tx.Guards = p.reads()
	}
	_, err := tx.Sorted()
	return tx, err
}

// Onto returns what records change, with lookup in the place of the store: the operations in the order of their
// keys. With others, other instances write the store too, and lookup has only what this one recorded.
func Onto(ctx context.Context, records []event.Record, lookup func(key string) []byte, others bool) ([]storage.Op, error) {
	p := &projection{ctx: ctx, wrote: map[string]int{}, others: others, lookup: lookup}
	for _, r := range records {
		if err := p.write(r); err != nil {
			return nil, fmt.Errorf("record %d: %w", r.Seq, err)
		}
	}
	return p.tidy(), nil
}

// apply writes what an event means to the store.
func (p *projection) apply(r event.Record) error {
	if err := p.remember(r); err != nil {
		return err
	}
	return p.write(r)
}

// write writes everything but the history of the resource.
func (p *projection) write(r event.Record) error {
	switch e := r.Event.(type) {
	case event.Loaded:
		return p.loaded(e)
	case event.Observed:
		return p.observed(r, e)
	case event.Planned:
		return p.planned(r, e)
	case event.Baseline:
		return p.carried(e)
	}
	for _, part := range []func(event.Record) (bool, error){p.action, p.rollout, p.ownership, p.trust, p.act} {
		if done, err := part(r); done || err != nil {
			return err
		}
	}
	return nil
}

// tidy sorts the operations and keeps the last one of each key.
func (p *projection) tidy() []storage.Op {
	slices.SortStableFunc(p.ops, ByKey)
	out := p.ops[:0]
	for _, op := range p.ops {
		if n := len(out); n > 0 && out[n-1].Key == op.Key {
			out[n-1] = op
			continue
		}
		out = append(out, op)
	}
	return out
}

func ByKey(a, b storage.Op) int { return strings.Compare(a.Key, b.Key) }

// put writes a value as JSON.
func (p *projection) put(key string, v any) error {
	b, err := event.Marshal(v)
	if err != nil {
		return err
	}
	return p.set(storage.Op{Key: key, Value: b})
}

func (p *projection) delete(key string) error { return p.set(storage.Op{Key: key, Delete: true}) }

func (p *projection) set(op storage.Op) error {
	p.wrote[op.Key] = len(p.ops) // the last of several stands, see tidy
	p.ops = append(p.ops, op)
	return nil
}

// bulk writes without an index: for the many resources of an observation, which no earlier record of
// the batch has.
func (p *projection) bulk(op storage.Op) { p.ops = append(p.ops, op) }

// get reads a key as the records before left it; nil if it is absent.
func (p *projection) get(key string) ([]byte, error) {
	if i, ok := p.wrote[key]; ok {
		return p.ops[i].Value, nil
	}
	e, err := p.read(key)
	if err == nil {
		p.rests(key, e)
	}
	return e.Value, err
}

// load is get and decode; false if the key is absent.
func (p *projection) load(key string, v any) (bool, error) {
	b, err := p.get(key)
	if err != nil || b == nil {
		return false, err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return false, fmt.Errorf("%s: %w", key, err)
	}
	return true, nil
}
