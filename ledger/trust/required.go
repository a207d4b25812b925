package trust

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// RequiredPolicies are the policies that every run on this store needs, sorted by name. With an error
// the list is empty, which does not mean that no policy is required.
func (p *Proofs) RequiredPolicies(ctx context.Context) ([]event.PolicyRequired, error) {
	found, err := acts[event.PolicyRequired](ctx, p, rows.KeyRequirement, true, func(string, error) {})
	var out []event.PolicyRequired
	for _, a := range found {
		if a.Event.On && a.Event.Rules != nil {
			out = append(out, a.Event)
		}
	}
	slices.SortFunc(out, func(a, b event.PolicyRequired) int { return strings.Compare(a.Name, b.Name) })
	return out, err
}

// SavedPlan is the record of the file that a plan was saved to. The error wraps ErrUnproven where there
// is none: in the log of this instance or, in a store that instances share, signed by a confirmed key.
func (p *Proofs) SavedPlan(ctx context.Context, plan string) (event.PlanSaved, error) {
	key := rows.SavedOf(plan)
	e, err := p.Get(ctx, key, storage.Now)
	if err != nil {
		return event.PlanSaved{}, err
	}
	var a rows.Act[event.PlanSaved]
	switch {
	case e.Value == nil:
		return a.Event, unproven("no plan %s is recorded as saved", plan)
	case json.Unmarshal(e.Value, &a) != nil || a.Event.Plan != plan:
		return a.Event, unproven("the record of the saved plan %s cannot be read", plan).differs()
	case a.Instance == p.Instance():
		return a.Event, p.recordedAct(key, e.Value, a.Seq)
	}
	if err := actThere(ctx, p, key, a, true); err != nil {
		return a.Event, err
	}
	return a.Event, p.confirms(ctx, a.Instance, a.Event.Signature) // else it could omit what a policy blocks
}

// recordedAct holds a row of the store against the record of this log that it names. Whoever writes the
// store can make the row name any record, so the record is projected again and must give exactly this
// row. A row whose record was trimmed is not proven.
func (p *Proofs) recordedAct(key string, value []byte, seq wal.Seq) error {
	picker := p.log.RandomReader()
	defer func() { _ = picker.Close() }()
	b, err := picker.Batch(seq)
	if errors.Is(err, wal.ErrTrimmed) {
		return unproven("record %d of the audit log, which has it, was trimmed", seq)
	}
	if err != nil {
		return unproven("the audit log has no record %d: %v", seq, err).differs()
	}
	r, err := event.DecodeRecord(b.Records[seq-b.First])
	if err != nil {
		return fmt.Errorf("ledger: record %d: %w", seq, err)
	}
	saved, ok := r.Event.(event.PlanSaved)
	if r.Seq = seq; !ok || rows.SavedOf(saved.Plan) != key {
		return unproven("record %d of the audit log is another", seq).differs()
	}
	if again, err := event.Marshal(rows.ActOf(r, saved)); err != nil || !bytes.Equal(again, value) {
		return unproven("record %d of the audit log says something else", seq).differs()
	}
	return nil
}
