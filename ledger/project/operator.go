package project

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// act applies the events of operators, and the use of their approvals; false if the event is another.
func (p *projection) act(r event.Record) (bool, error) {
	switch e := r.Event.(type) {
	case event.Approved:
		if e.Digest == "" {
			return true, p.put(rows.KeyConfirmed+e.Plan, rows.EventOf(r))
		}
		return true, p.put(rows.ApprovalOf(e.Digest, e.Who), rows.ActOf(r, e))
	case event.Blessed:
		return true, p.put(rows.BlessedOf(e.Ref), rows.ActOf(r, e))
	case event.Acknowledged:
		return true, p.put(rows.AcknowledgedOf(e.Ref), rows.ActOf(r, e))
	case event.PolicyRequired:
		return true, p.put(rows.RequirementOf(e.Name), rows.ActOf(r, e))
	case event.RosterChanged:
		return true, p.roster(r, e)
	case event.RecoveryAsked:
		if e.Check(r.Instance) != nil {
			return true, nil // only a program that is not ovi records it
		}
		return true, p.put(rows.RecoveryKey, rows.ActOf(r, e))
	case event.RecoverySeen:
		return true, p.put(rows.RecoverySeenOf(r.Instance, e.Digest), rows.ActOf(r, e))
	case event.PlanSaved:
		return true, p.put(rows.SavedOf(e.Plan), rows.ActOf(r, e))
	case event.ActsCertified:
		return true, p.put(rows.KeyActs+r.Instance, rows.ActsCertified{Seq: r.Seq})
	}
	return false, nil
}

// useApprovals records which plan used the approvals that an action rests on. An approval is used
// by one plan. The row ties it to the record of the approval, so that a newer approval of the same
// person is unused.
func (p *projection) useApprovals(e event.Started) error {
	if e.Approval == nil {
		return nil
	}
	for _, by := range e.Approval.By {
		key, use := rows.UsedOf(e.Approval.Digest, by.Who), rows.Used{Plan: e.Plan, Seq: by.Seq, Instance: by.Instance}
		var was rows.Used
		if _, err := p.load(key, &was); err != nil {
			return err
		}
		// another action of the same plan used it: the row gets no new revision
		if was == use {
			continue
		}
		if err := p.put(key, use); err != nil {
			return err
		}
	}
	return nil
}

// trust applies the events of keys; false if the event is another. A decision is written even over a
// newer one: package trust compares the numbers of all versions of the row.
func (p *projection) trust(r event.Record) (bool, error) {
	switch e := r.Event.(type) {
	case event.KeyPinned:
		return true, p.put(rows.PinOf(r.Instance, e.Instance), rows.Pin{Key: e.Key, At: r.At})
	case event.Trusted:
		return true, p.put(rows.KeyTrust+e.Key, rows.Trust{
			On: e.On, Who: e.Who, Instance: r.Instance, Reason: e.Reason, Number: e.Number, SignedAt: e.SignedAt,
			SignedBy: e.SignedBy, Signature: e.Signature,
		})
	case event.TrustRequired:
		return true, p.put(rows.KeyRequired, rows.Trust{
			On: e.On, Who: e.Who, Instance: r.Instance, Reason: e.Reason, Number: e.Number, SignedAt: e.SignedAt,
			SignedBy: e.SignedBy, Signature: e.Signature,
		})
	case event.Cosigned:
		return true, p.put(rows.CosignedOf(e.Instance, r.Instance), rows.Cosigned{
			Seq: e.Seq, Chain: e.Chain, At: r.At, Signature: e.Signature,
		})
	case event.Certified:
		return true, p.put(rows.KeyCertified+r.Instance, rows.Certified{Seq: uint64(r.Seq), Digest: e.Bindings})
	}
	return false, nil
}

// roster keeps a change that the roster before it allows. Another one, which only a program that is not
// ovi records, changes nothing, whoever can write the log.
func (p *projection) roster(r event.Record, e event.RosterChanged) error {
	var was rows.Act[event.RosterChanged]
	if _, err := p.load(rows.RosterKey, &was); err != nil {
		return err
	}
	if e.Check(r.Instance) != nil || !p.others && !slices.Equal(was.Event.Signers, e.Before) {
		return nil
	}
	if e.Recovers != "" && !p.others {
		var asked rows.Act[event.RecoveryAsked]
		if _, err := p.load(rows.RecoveryKey, &asked); err != nil {
			return err
		}
		if !rows.Recovers(asked, e, r.At) {
			return nil
		}
	}
	return p.put(rows.RosterKey, rows.ActOf(r, e))
}

// newerDecision reports whether a row about a key is newer than the fact of a baseline.
func newerDecision(f event.Fact, was []byte) bool {
	if !strings.HasPrefix(f.Key, rows.KeyTrust) && f.Key != rows.KeyRequired || was == nil {
		return false
	}
	var now, then rows.Trust
	return json.Unmarshal(was, &now) == nil && json.Unmarshal(f.Value, &then) == nil && now.Number > then.Number
}

// carried writes the facts that the store does not have. Facts that the store has are not written
// again, so that a trim adds no revision to their keys.
func (p *projection) carried(e event.Baseline) error {
	for _, f := range e.Facts {
		was, err := p.get(f.Key)
		if err != nil {
			return err
		}
		if bytes.Equal(was, f.Value) || newerDecision(f, was) {
			continue
		}
		if err := p.set(storage.Op{Key: f.Key, Value: f.Value}); err != nil {
			return err
		}
	}
	return nil
}
