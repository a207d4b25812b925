package project

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Batch returns the transaction that the records of one batch mean. It refuses what the store would
// refuse, so that nothing is appended to the log that cannot be projected. In a shared store the
// transaction has guards on the entries that it rests on, and since is the revision from which the
// records were made (Now means that they rest on no earlier revision). Batch does not write. An
// error means that nothing may be appended; ErrRaced means that the records must be made again.
// Without shared, the caller must hold the append lock of the log until the transaction is
// committed.
func Batch(
	ctx context.Context, store storage.Store, records []event.Record, since storage.Revision, shared bool,
) (storage.Tx, error) {
	p := &projection{&draft{ctx: ctx, store: store, wrote: map[string]int{}}, map[resource.Ref][]json.RawMessage{}}
	if shared {
		p.guards = map[string]storage.Guard{}
	}
	if err := p.readAhead(records); err != nil {
		return storage.Tx{}, fmt.Errorf("ledger: project: %w", err)
	}
	for _, r := range records {
		err := p.remember(r)
		if err == nil {
			err = p.write(r)
		}
		if err != nil {
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

// Onto returns what records change, with lookup in the place of the store: the operations in the
// order of their keys. With others, other instances write the store too, and lookup has only what
// this one recorded. The history of resources is not part of the result. The caller of lookup must
// return the value as of before the records.
func Onto(
	ctx context.Context, records []event.Record, lookup func(key string) []byte, others bool,
) ([]storage.Op, error) {
	p := &projection{draft: &draft{ctx: ctx, wrote: map[string]int{}, others: others, lookup: lookup}}
	for _, r := range records {
		if err := p.write(r); err != nil {
			return nil, fmt.Errorf("record %d: %w", r.Seq, err)
		}
	}
	return p.tidy(), nil
}

// write writes everything but the history of the resource. An event without a case or a part
// changes no row but the history of its resource.
func (p *projection) write(r event.Record) error {
	switch e := r.Event.(type) {
	case event.Loaded:
		return p.loaded(e)
	case event.Led:
		return p.led(e)
	case event.SourceAccepted:
		return p.accept(r, e)
	case event.Observed:
		return p.observed(r, e)
	case event.Planned:
		return p.planned(r, e)
	case event.Baseline:
		return p.carried(e)
	}
	for _, part := range []func(event.Record) (bool, error){p.action, p.rollout, p.publish, p.ownership, p.trust, p.act} {
		if done, err := part(r); done || err != nil {
			return err
		}
	}
	return nil
}
