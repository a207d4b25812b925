package trust

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Proof returns the live binding of a resource if it is proven now: by the log of this instance
// or, in a store that instances share, by the signature of a trusted one. A row of the store
// alone proves nothing. Else the error wraps ErrUnproven.
func (p *Proofs) Proof(ctx context.Context, ref resource.Ref, id string) (resource.Binding, error) {
	b, err := p.proof(ctx, ref, id)
	return b.Binding, err
}

// proof returns the row of a live binding, and an error if it is not proven. The row only decides
// which proof is needed: the log of this instance, or the signature of the instance that the row
// names.
func (p *Proofs) proof(ctx context.Context, ref resource.Ref, id string) (rows.Binding, error) {
	e, err := p.Get(ctx, rows.BindingOf(ref, id), storage.Now)
	b := rows.NewBinding(ref, id)
	if err != nil {
		return b, err
	}
	if e.Value == nil || json.Unmarshal(e.Value, &b) != nil || !b.Live() {
		return b, unproven("no binding of %s to %s is recorded", ref, id)
	}
	if err := p.newest(ctx, b.Binding); err != nil {
		return b, err
	}
	if b.Instance == p.Instance() {
		return b, p.provenHere(ctx, e, b.Binding)
	}
	if !ofBinding(b.Binding).verify(b.Signature) {
		return b, unproven("instance %s did not sign that %s is bound to %s", b.Instance, b.ID, b.Ref)
	}
	// A pinned key is enough to show that ovi manages the resource; Confirmed demands more.
	return b, p.trusts(ctx, b.Instance, b.Signature.Key, true)
}

// Confirmed fails if a binding is not proven, or if only a pinned key signed it.
func (p *Proofs) Confirmed(ctx context.Context, ref resource.Ref, id string) error {
	b, err := p.proof(ctx, ref, id)
	if err != nil || b.Instance == p.Instance() {
		return err
	}
	return p.confirms(ctx, b.Instance, b.Signature)
}

// newest rejects a binding after which another binding of its ref started or ended, except during a
// replacement in progress. Without this check, a signed row that was put back would prove a binding
// that has ended since. During a replacement two bindings of the ref are live, and the old one has
// the lower generation.
func (p *Proofs) newest(ctx context.Context, b resource.Binding) error {
	if b.Role != "" {
		return nil
	}
	var all rows.Bound
	if _, err := p.Load(ctx, rows.BoundOf(b.Ref), storage.Now, &all); err != nil {
		return err
	}
	newest := all.Generation
	err := p.Entries(ctx, rows.BindingsOf(b.Ref), storage.Now, func(e storage.Entry) error {
		var x rows.Binding
		err := json.Unmarshal(e.Value, &x)
		newest = max(newest, x.Generation)
		return err
	})
	if err == nil && b.Generation < newest {
		err = unproven("the binding of %s to %s has generation %d, and the newest is %d", b.Ref, b.ID, b.Generation,
			newest)
	}
	return err
}

// provenHere holds a row of the store against the log of this instance. In a shared store the row
// may have changes that another instance recorded, such as a role, so only the signed fields and
// the number of the record are compared.
func (p *Proofs) provenHere(ctx context.Context, e storage.Entry, b resource.Binding) error {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if err := p.table.follow(ctx, p); err != nil {
		return err
	}
	value := p.table.get(e.Key)
	if p.shared {
		own := rows.NewBinding(b.Ref, b.ID)
		if value == nil || json.Unmarshal(value, &own) != nil || !own.Live() || own.Seq != b.Seq ||
			ofBinding(own.Binding) != ofBinding(b) {
			return unproven("the store says that ovi manages %s, and the audit log does not", b.ID).differs()
		}
	} else if !bytes.Equal(value, e.Value) {
		return unproven("the store says that ovi manages %s, and the audit log does not", b.ID).differs()
	}
	return p.startedBy(b)
}

// startedBy checks the record that a binding names. The baseline has trimmed records. If the record
// was trimmed, the comparison of the caller is the proof, because the table has the binding from
// the baseline.
func (p *Proofs) startedBy(b resource.Binding) error {
	picker := p.log.RandomReader()
	defer func() { _ = picker.Close() }()
	batch, err := picker.Batch(wal.Seq(b.Seq))
	switch {
	case errors.Is(err, wal.ErrTrimmed):
		return nil
	case err != nil:
		return fmt.Errorf("ledger: record %d, which proves %s: %w", b.Seq, b.ID, err)
	}
	r, err := event.DecodeRecord(batch.Records[wal.Seq(b.Seq)-batch.First])
	if err != nil {
		return err
	}
	if !starts(r.Event, b) {
		return unproven("record %d does not say that %s was created or adopted as %s", b.Seq, b.ID, b.Ref).differs()
	}
	return nil
}

// starts reports whether an event starts the binding. A recovery does not name its action, so each
// one that found the action done fits: the caller has compared the row with the table, which has
// the binding only if the action created the resource.
func starts(e event.Event, b resource.Binding) bool {
	switch e := e.(type) {
	case event.Finished:
		return e.Ref == b.Ref && e.ID == b.ID && (e.Outcome == event.Done || e.Outcome == event.Accepted) &&
			project.Creates(e.Action, e.Phase, e.Step)
	case event.Recovered:
		return e.Ref == b.Ref && e.ID == b.ID && e.Finding == event.FoundDone
	case event.Adopted:
		return e.Ref == b.Ref && e.ID == b.ID
	case event.Moved:
		return slices.ContainsFunc(e.Halves(), func(m event.Moved) bool { return m.Ref == b.Ref && m.ID == b.ID })
	case event.ReplaceFinished:
		return e.Ref == b.Ref && e.ID == b.ID
	}
	return false
}
