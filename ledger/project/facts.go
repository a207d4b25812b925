package project

import (
	"bytes"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// forget removes what is recorded of a resource that does not exist any more, besides its bindings. A
// new resource with the same ref starts without attempts and without a last good configuration.
func (p *draft) forget(ref resource.Ref) error {
	for _, key := range []string{
		rows.KeyTries, rows.KeyExhausted, rows.KeyRestarts, rows.KeyFights,
		rows.KeyLastGood, rows.KeyApplied, rows.KeyResource, rows.KeyRoom,
	} {
		if err := p.delete(rows.Of(key, ref)); err != nil {
			return err
		}
	}
	return nil
}

// owns records that the stack of a ref has something in its scope. The row lists the scopes in
// which a stack must be observed before it is planned, even if its source no longer names them.
func (p *draft) owns(ref resource.Ref) error {
	s := ref.Scope()
	if ref.Stack == "" {
		return nil
	}
	key := rows.StackOf(ref.Stack, s)
	if b, err := p.get(key); err != nil || b != nil {
		return err
	}
	if err := p.first(s, true); err != nil {
		return err
	}
	return p.set(storage.Op{Key: key, Value: []byte("{}")})
}

// partly notes that what is recorded as applied may have been applied in part: its action created the
// resource, and has no result.
func (p *draft) partly(ref resource.Ref, open rows.OpenAction) error {
	var applied event.Applied
	if !Creates(open.Action, open.Phase, open.Step) {
		return nil
	}
	found, err := p.load(rows.Of(rows.KeyApplied, ref), &applied)
	if err != nil || !found {
		return err
	}
	applied.Recovered = true
	return p.put(rows.Of(rows.KeyApplied, ref), applied)
}

// first guards, in a shared store, that no stack first owns something in the scope between the read
// of which stacks do and the commit: the write that makes it so also writes first/<scope>. Other
// batches rest on keys that they read; the absence of more keys has no key of its own.
func (p *draft) first(s resource.Scope, touch bool) error {
	if p.guards == nil {
		return nil
	}
	key := rows.KeyFirst + s.String()
	if _, err := p.get(key); err != nil || !touch {
		return err
	}
	return p.set(storage.Op{Key: key, Value: []byte("{}")})
}

// content is the canonical form of a resource, in no more memory than it needs. The buffer is
// reused for each resource of an observation; the result is a copy that the caller may keep.
func (p *draft) content(o *resource.Observed) []byte {
	p.buf = o.AppendJSON(p.buf[:0])
	return bytes.Clone(p.buf)
}
