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

// draft is the transaction that the records of one batch become. It reads the store only through get, which
// includes what earlier records of the batch wrote, so the same store and the same records give the same
// transaction.
type draft struct {
	ctx    context.Context
	store  storage.Store
	ops    []storage.Op
	wrote  map[string]int // index into ops, without the resources of observations
	buf    []byte
	early  map[string]storage.Entry    // what was read ahead; absent keys as the zero Entry
	owners map[resource.Scope][]string // the keys of the stacks in scopes, read ahead
	// lookup reads instead of the store. If nil, the store is read.
	lookup func(key string) []byte
	// others: other instances write the store too, and lookup has only what this one recorded.
	others bool
	// guards are the entries that the projection rests on, in a shared store; nil in one that only
	// the process with the append lock writes.
	guards map[string]storage.Guard
}

// projection applies the records of one batch to a draft.
type projection struct {
	*draft
	acts map[resource.Ref][]json.RawMessage // the records about each resource
}

// tidy sorts the operations and keeps the last one of each key. A store refuses two operations on
// one key, and the order of the keys makes the transaction the same in each replay.
func (p *draft) tidy() []storage.Op {
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

// ByKey compares operations by their keys.
func ByKey(a, b storage.Op) int { return strings.Compare(a.Key, b.Key) }

// put writes a value as JSON.
func (p *draft) put(key string, v any) error {
	b, err := event.Marshal(v)
	if err != nil {
		return err
	}
	return p.set(storage.Op{Key: key, Value: b})
}

func (p *draft) delete(key string) error { return p.set(storage.Op{Key: key, Delete: true}) }

func (p *draft) set(op storage.Op) error {
	p.wrote[op.Key] = len(p.ops) // the last of several stands, see tidy
	p.ops = append(p.ops, op)
	return nil
}

// bulk writes without an index: for the many resources of an observation, which no earlier record
// of the batch has. A bulk operation is not visible to get. It is tidied with the others, so the
// last one of a key counts.
func (p *draft) bulk(op storage.Op) { p.ops = append(p.ops, op) }

// get reads a key as the records before left it; nil if it is absent. In a shared store the entry
// becomes a guard of the transaction: the commit fails if another instance changes it first.
func (p *draft) get(key string) ([]byte, error) {
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
func (p *draft) load(key string, v any) (bool, error) {
	b, err := p.get(key)
	if err != nil || b == nil {
		return false, err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return false, fmt.Errorf("%s: %w", key, err)
	}
	return true, nil
}
