package ledger

import (
	"context"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/ledger/record"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/ledger/trust"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// Ledger is an open ledger. Its methods may be called from many goroutines; several processes may
// have the same directory open.
type Ledger struct{ *writer }

// writer is embedded under this name, so that it cannot be replaced from outside.
type writer = record.Writer

// Open opens the log, brings the store up to it (a lost store is rebuilt), and takes the identity of the
// log as the identity of the instance. If the disk is full, the store may stay behind the log: then the
// ledger can be read, and Broken returns why.
func Open(ctx context.Context, cfg record.Config) (*Ledger, error) {
	w, err := record.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Ledger{w}, nil
}

// Reopen opens a broken ledger again in place: see record.Reopen.
func (l *Ledger) Reopen(ctx context.Context) error { return record.Reopen(ctx, l.writer) }

// Reader is the read-only view of the ledger.
func (l *Ledger) Reader() *query.Reader { return l.writer.Reader }

// LedVersion is the version of a stack that its leading loop has loaded.
func (l *Ledger) LedVersion(ctx context.Context, stack string) (string, error) {
	return query.LedVersion(ctx, l.Reader(), stack)
}

// Key is the public key with which this instance signs, in hex.
func (l *Ledger) Key() string { return l.Proofs().Key() }

// Pins lists the pinned keys that no operator has decided about, for all instances of the store. Each is
// listed once, sorted by instance, then key.
func (l *Ledger) Pins(ctx context.Context) ([]trust.Pin, error) { return l.Proofs().Pins(ctx) }

// Roster are the people and their public keys whose signatures count, sorted.
func (l *Ledger) Roster(ctx context.Context) ([]event.Signer, error) { return l.Proofs().Roster(ctx) }

// Recovery returns the recovery of the roster that stands and has not changed it yet; nil if there is none. It records
// when this instance finds a recovery of another one first, unless the ledger is only read.
func (l *Ledger) Recovery(ctx context.Context) (*trust.Recovery, error) {
	return trust.RecoveryOf(ctx, l.Proofs(), true)
}

// Guards are the people without whose signature no act that may lower a protection counts. If there are
// none, no signature is needed.
func (l *Ledger) Guards(ctx context.Context) ([]event.Signer, error) { return l.Proofs().Guards(ctx) }

// Cosigned makes wal.Verify require what the other instances saw of the log of this one.
func (l *Ledger) Cosigned(ctx context.Context) ([]wal.Option, error) { return l.Proofs().Cosigned(ctx) }

// RequiredPolicies are the policies that every run on this store needs, sorted by name.
func (l *Ledger) RequiredPolicies(ctx context.Context) ([]event.PolicyRequired, error) {
	return l.Proofs().RequiredPolicies(ctx)
}

// SavedPlan is the record of the file that a plan was saved to. The error wraps ErrUnproven where there
// is none.
func (l *Ledger) SavedPlan(ctx context.Context, plan string) (event.PlanSaved, error) {
	return l.Proofs().SavedPlan(ctx, plan)
}

// Proof returns the live binding of a resource if it is proven now, else an error that wraps ErrUnproven.
func (l *Ledger) Proof(ctx context.Context, ref resource.Ref, id string) (resource.Binding, error) {
	return l.Proofs().Proof(ctx, ref, id)
}

// Confirmed fails if a binding may not be ended: it is not proven, or only a pinned key signed it. The error wraps
// ErrUnproven.
func (l *Ledger) Confirmed(ctx context.Context, ref resource.Ref, id string) error {
	return l.Proofs().Confirmed(ctx, ref, id)
}

// OpenActions are the actions without a recorded result, the oldest first. A row of the store that no record has is
// not among them: Contradictions lists it.
func (l *Ledger) OpenActions(ctx context.Context) ([]rows.OpenAction, error) {
	all, err := l.Reader().OpenActions(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return trust.ProvenOpen(ctx, l.Proofs(), all)
}

// LateCreates are the creates that an observation found not done and whose requests may still arrive, the oldest first:
// those that were recorded, as for OpenActions.
func (l *Ledger) LateCreates(ctx context.Context) ([]rows.OpenAction, error) {
	all, err := query.LateCreates(ctx, l.Reader())
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return trust.ProvenOpen(ctx, l.Proofs(), all)
}

// OpenOn is the action on a resource without a recorded result; false if there is none.
func (l *Ledger) OpenOn(ctx context.Context, ref resource.Ref) (rows.OpenAction, bool, error) {
	o, is, err := l.Reader().OpenOn(ctx, ref)
	if err != nil || !is {
		return o, is, err
	}
	all, err := trust.ProvenOpen(ctx, l.Proofs(), []rows.OpenAction{o})
	return o, len(all) > 0, err
}

// Recoverable fails if this instance may not record the result of an open action, because only a pinned key signed
// that it started. The error wraps ErrUnproven.
func (l *Ledger) Recoverable(ctx context.Context, o rows.OpenAction) error {
	return trust.Recoverable(ctx, l.Proofs(), o)
}

// Contradictions lists what the store says of operators' acts and the audit log does not, sorted.
func (l *Ledger) Contradictions(ctx context.Context) ([]trust.Contradiction, error) {
	return l.Proofs().Contradictions(ctx)
}

// Approvals are the approvals of the proposals with a digest, expired and used ones too, the oldest first.
func (l *Ledger) Approvals(ctx context.Context, digest string) ([]trust.Approval, error) {
	return l.Proofs().Approvals(ctx, digest)
}

// Blessings are the protected resources, sorted by ref.
func (l *Ledger) Blessings(ctx context.Context) ([]query.Blessing, error) {
	return l.Proofs().Blessings(ctx)
}

// Acknowledged is the newest acknowledgment of each resource, expired ones too, sorted by ref.
func (l *Ledger) Acknowledged(ctx context.Context) ([]trust.Acknowledgment, error) {
	return l.Proofs().Acknowledged(ctx)
}
