package trust

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// An operator's action counts only if the audit log has it, because it lifts or gives protection: a row of
// the store alone blesses, approves and acknowledges nothing.

// Approval is one user's approval of a plan's proposals.
type Approval struct {
	event.Approved
	At     time.Time
	Record event.Approver // names it
	Used   string         // the plan that used it; "" if none has
	// Signed: a key that is on the roster now under its user's name signed it.
	Signed bool
}

// ApprovalOf returns the approval of a record. The record alone does not show whether the approval was
// used.
func ApprovalOf(a rows.Act[event.Approved]) Approval {
	return Approval{
		Approved: a.Event, At: a.At, Record: event.Approver{Who: a.Event.Who, Seq: a.Seq, Instance: a.Instance},
	}
}

// Holds reports whether the approval can be used by a plan: it has not expired, and no other plan used it.
func (c Approval) Holds(now time.Time) bool { return c.Until.IsZero() || now.Before(c.Until) }

// Approvals are the approvals of the proposals with a digest: the last one of each user, expired
// and used ones too, the oldest first.
func (p *Proofs) Approvals(ctx context.Context, digest string) ([]Approval, error) {
	found, err := acts[event.Approved](ctx, p, rows.ApprovalOf(digest, ""), true, func(string, error) {})
	if err != nil {
		return nil, err
	}
	var roster []event.Signer
	if len(found) > 0 {
		if roster, err = p.Roster(ctx); err != nil {
			return nil, err
		}
	}
	var out []Approval
	for _, a := range found {
		x := ApprovalOf(a)
		by, failed := event.Verify(x.Statement(a.Instance), x.SignedBy)
		x.Signed = failed == nil && slices.Contains(roster, event.Signer{Name: x.Who, Key: by})
		if x.Used, err = p.usedBy(ctx, digest, x.Record); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b Approval) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return strings.Compare(a.Who, b.Who)
	})
	return out, nil
}

// usedBy is the plan that used an approval, as this log or the store says: a use that is only in the
// store can but withhold an approval.
func (p *Proofs) usedBy(ctx context.Context, digest string, a event.Approver) (string, error) {
	proven, err := p.provenActs(ctx)
	if err != nil {
		return "", err
	}
	key := rows.UsedOf(digest, a.Who)
	e, err := p.Get(ctx, key, storage.Now)
	if err != nil {
		return "", err
	}
	for _, value := range [][]byte{proven[key], e.Value} {
		var u rows.Used
		if value != nil && json.Unmarshal(value, &u) == nil && u.Seq == a.Seq && u.Instance == a.Instance {
			return u.Plan, nil
		}
	}
	return "", nil
}

// ErrUsed is returned where an action needs an approval that an earlier plan used.
var ErrUsed = errors.New("the approval was used by an earlier plan")

// unused refuses an action with an approval that another plan used. The plan that used an approval may
// start its other actions with it.
func (p *Proofs) unused(ctx context.Context, e event.Started) error {
	if e.Approval == nil {
		return nil
	}
	for _, by := range e.Approval.By {
		plan, err := p.usedBy(ctx, e.Approval.Digest, by)
		if err != nil {
			return err
		}
		if plan != "" && plan != e.Plan {
			return fmt.Errorf("%w: %s by plan %s: approve the plan again", ErrUsed, by.Who, plan)
		}
	}
	return nil
}

// Blessings are the protected resources, sorted by ref.
func (p *Proofs) Blessings(ctx context.Context) ([]query.Blessing, error) {
	found, err := acts[event.Blessed](ctx, p, rows.KeyBlessed, true, func(string, error) {})
	if err != nil {
		return nil, err
	}
	// Blessings of this instance that were recorded before its store became a shared one have no signature. They are
	// recorded again: other instances count only signed ones.
	var unsigned []event.Event
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if e := found[key].Event; p.shared && found[key].Instance == p.Instance() && e.On && e.Signature == nil {
			unsigned = append(unsigned, e)
		}
	}
	if len(unsigned) > 0 {
		if err := p.record(ctx, unsigned...); err != nil {
			return nil, err
		}
	}
	var out []query.Blessing
	for _, a := range found {
		out = query.AppendBlessing(out, a)
	}
	slices.SortFunc(out, func(a, b query.Blessing) int { return a.Ref.Compare(b.Ref) })
	return out, nil
}

// Acknowledgment is a drift that an operator accepts until a time.
type Acknowledgment struct {
	event.Acknowledged
	At time.Time
}

// Holds reports whether the acknowledgment covers this drift now.
func (a Acknowledgment) Holds(drift string, now time.Time) bool {
	return a.Drift == drift && now.Before(a.Until)
}

// Acknowledged is the newest acknowledgment of each resource, expired ones too, sorted by ref.
func (p *Proofs) Acknowledged(ctx context.Context) ([]Acknowledgment, error) {
	found, err := acts[event.Acknowledged](ctx, p, rows.KeyAcknowledged, true, func(string, error) {})
	var out []Acknowledgment
	for _, a := range found {
		out = append(out, Acknowledgment{a.Event, a.At})
	}
	slices.SortFunc(out, func(a, b Acknowledgment) int { return a.Ref.Compare(b.Ref) })
	return out, err
}
