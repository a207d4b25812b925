package trust

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Signer signs the events of one batch. The store does not have these events yet, so the signer itself counts the
// generations and numbers that they take. One goroutine uses it.
type Signer struct {
	ctx  context.Context
	p    *Proofs
	at   time.Time
	next map[resource.Ref]uint64 // generations of bindings that the batch uses
	acts map[string]uint64       // and of acts, and numbers of decisions
}

// Signer signs the events of one batch, which is recorded at a time. The time must be the time of the batch's
// records, because the statement of an act contains it.
func (p *Proofs) Signer(ctx context.Context, at time.Time) *Signer {
	return &Signer{ctx: ctx, p: p, at: at, next: map[resource.Ref]uint64{}, acts: map[string]uint64{}}
}

// Signed returns the recorded form of the events: moves with the moved records and, in a shared store, with the
// signatures of this instance. The caller holds the append lock of the log, so that no other batch of this instance
// takes the same generations.
func (s *Signer) Signed(events []event.Event) ([]event.Event, error) {
	out := make([]event.Event, len(events))
	for i, e := range events {
		var err error
		if out[i], err = s.event(e); err != nil {
			return nil, fmt.Errorf("ledger: sign %s: %w", e.Type(), err)
		}
	}
	return out, nil
}

// event returns the recorded form of one event. In a store that only this log is projected into, no event is
// signed: the record in the log is the proof.
func (s *Signer) event(e event.Event) (event.Event, error) {
	if m, ok := e.(event.Moved); ok {
		m, err := s.half(m)
		if err != nil || m.Other == nil {
			return m, err
		}
		other, err := s.half(*m.Other) // the other resource of an exchange is signed as well
		m.Other = &other
		return m, err
	}
	e, err := s.numbered(e)
	if err != nil || !s.p.shared {
		return e, err
	}
	switch e := e.(type) {
	case event.Finished:
		if e.Outcome == event.Done || e.Outcome == event.Accepted {
			// An accepted delete gets no signature: the resource may exist until an observation finds the delete
			// done.
			deleted := e.Outcome == event.Done && project.Deletes(e.Action, e.Phase, e.Step)
			e.Signature, err = s.action(statement{Ref: e.Ref, ID: e.ID, UID: e.UID, Key: e.Key},
				project.Creates(e.Action, e.Phase, e.Step), deleted)
		}
		return e, err
	case event.Started:
		var x statement
		if x, err = ofStarted(e); err == nil {
			e.Signature, err = s.sign(x)
		}
		return e, err
	case event.Recovered:
		// Only a finding that the action was done starts or ends a binding. If another run has recovered the action,
		// there is nothing to sign.
		open, found, err := query.Unresolved(s.ctx, s.p.Reader, e.Ref, e.Key)
		if err != nil || !found || e.Finding != event.FoundDone {
			return e, err
		}
		e.Signature, err = s.action(statement{Ref: e.Ref, ID: e.ID, UID: e.UID, Key: e.Key},
			// An accepted create was bound when it was accepted.
			!open.Accepted && project.Creates(open.Action, open.Phase, open.Step),
			project.Deletes(open.Action, open.Phase, open.Step))
		return e, err
	case event.Adopted:
		e.Signature, err = s.nextOf(statement{Ref: e.Ref, ID: e.ID, UID: e.UID, Key: e.Key})
		return e, err
	case event.ReplaceFinished:
		return s.replaced(e)
	case event.Disowned:
		e.Signature, err = s.nextOf(statement{Ref: e.Ref, ID: e.ID, Ended: true})
		return e, err
	case event.Lost:
		e.Signature, err = s.nextOf(statement{Ref: e.Ref, ID: e.ID, Ended: true})
		return e, err
	case event.Trusted:
		e.Signature, err = s.sign(statement{Trust: e.Key, On: e.On, Number: e.Number})
		return e, err
	case event.Cosigned:
		e.Signature, err = s.sign(ofCosigned(s.p.Instance(), e.Instance, e.Seq, e.Chain))
		return e, err
	case event.TrustRequired:
		e.Signature, err = s.sign(statement{Trust: rows.KeyRequired, On: e.On, Number: e.Number})
		return e, err
	}
	return s.act(e)
}

// numbered returns a decision about a key with its number, unless a person has signed it with a number. A number
// that a person signed stays, because it is part of the signed text. Decisions of one batch without a number get
// different ones.
func (s *Signer) numbered(e event.Event) (event.Event, error) {
	key, n, is := rowOfDecision(e)
	if !is {
		return e, nil
	}
	if n == 0 {
		next, err := s.p.NextDecision(s.ctx, e)
		if err != nil {
			return e, err
		}
		n = max(next, s.acts[key]+1)
	}
	s.acts[key] = n
	switch d := e.(type) {
	case event.Trusted:
		d.Number = n
		return d, nil
	case event.TrustRequired:
		d.Number = n
		return d, nil
	}
	return e, nil
}

// half adds the facts of the binding under the former ref to a move. The projection writes the new binding from the
// event alone, and so does a replay.
func (s *Signer) half(m event.Moved) (event.Moved, error) {
	b := rows.NewBinding(m.From, m.ID)
	if _, err := s.p.Load(s.ctx, rows.BindingOf(m.From, m.ID), storage.Now, &b); err != nil {
		return m, err
	}
	m.UID, m.Key, m.Adopted = b.UID, b.Key, b.Adopted
	m.Origin, m.Since, m.OriginLog = b.Started()
	if !s.p.shared {
		return m, nil
	}
	var err error
	m.Signature, err = s.nextOf(statement{Ref: m.Ref, ID: m.ID, UID: m.UID, Key: m.Key})
	return m, err
}

// act signs what an operator did.
func (s *Signer) act(e event.Event) (event.Event, error) {
	var err error
	switch e := e.(type) {
	case event.Blessed:
		e.Signature, err = signAct(s, rows.BlessedOf(e.Ref), e)
		return e, err
	case event.Approved:
		// An approval without a digest only confirms a plan, and is not an act that package trust proves.
		if e.Digest != "" {
			e.Signature, err = signAct(s, rows.ApprovalOf(e.Digest, e.Who), e)
		}
		return e, err
	case event.Acknowledged:
		e.Signature, err = signAct(s, rows.AcknowledgedOf(e.Ref), e)
		return e, err
	case event.PolicyRequired:
		e.Signature, err = signAct(s, rows.RequirementOf(e.Name), e)
		return e, err
	case event.RosterChanged:
		e.Signature, err = signAct(s, rows.RosterKey, e)
		return e, err
	case event.RecoveryAsked:
		e.Signature, err = signAct(s, rows.RecoveryKey, e)
		return e, err
	case event.PlanSaved:
		e.Signature, err = signAct(s, rows.SavedOf(e.Plan), e)
		return e, err
	}
	return e, nil
}

// replaced signs the binding of the resource that a replacement left. The record that created it stays the
// proof if it is in this log.
func (s *Signer) replaced(e event.ReplaceFinished) (event.Event, error) {
	b := rows.NewBinding(e.Ref, e.ID)
	found, err := s.p.Load(s.ctx, rows.BindingOf(e.Ref, e.ID), storage.Now, &b)
	if err != nil || !found || !b.Live() {
		return e, err
	}
	if b.Instance != s.p.Instance() {
		b.Seq = 0
		if err := s.p.confirms(s.ctx, b.Instance, b.Signature); err != nil {
			return e, err // the own signature would confirm it
		}
	}
	if e.Signature, err = s.nextOf(statement{Ref: e.Ref, ID: e.ID, UID: b.UID, Key: b.Key}); err != nil {
		return e, err
	}
	b.Role, b.Instance, b.Generation = "", s.p.Instance(), e.Signature.Generation
	e.Binding = &b.Binding
	return e, nil
}

// action signs the start or the end of a binding. An action that causes neither, and a creation without an ID, get
// no signature.
func (s *Signer) action(x statement, created, deleted bool) (*event.Signature, error) {
	switch {
	case deleted:
		return s.nextOf(statement{Ref: x.Ref, ID: x.ID, Ended: true})
	case created && x.ID != "":
		return s.nextOf(x)
	}
	return nil, nil
}

// nextOf signs with the next generation of the ref. The first event of a batch about a ref continues from the
// store, each later one from the event before it.
func (s *Signer) nextOf(x statement) (*event.Signature, error) {
	if _, ok := s.next[x.Ref]; !ok {
		var all rows.Bound
		if _, err := s.p.Load(s.ctx, rows.BoundOf(x.Ref), storage.Now, &all); err != nil {
			return nil, err
		}
		s.next[x.Ref] = all.Generation
	}
	s.next[x.Ref]++
	x.Generation = s.next[x.Ref]
	return s.sign(x)
}

// maxGeneration is far above what operators reach: a row with more was edited, and does not count.
const maxGeneration = 1 << 48

// signAct signs an act with the next generation of its key. The generation is above the act that the log proves and
// above the row of the store. An instance whose own log has a newer act rejects the row of an older one (see acts),
// so an act that was ended cannot be put back there.
func signAct[E act[E]](s *Signer, key string, e E) (*event.Signature, error) {
	if _, ok := s.acts[key]; !ok {
		proven, err := s.p.provenActs(s.ctx)
		if err != nil {
			return nil, err
		}
		stored, err := s.p.Get(s.ctx, key, storage.Now)
		if err != nil {
			return nil, err
		}
		for _, value := range [][]byte{proven[key], stored.Value} {
			var a rows.Act[E]
			if value == nil || json.Unmarshal(value, &a) != nil {
				continue
			}
			if n := generationOf(a.Event); n < maxGeneration {
				s.acts[key] = max(s.acts[key], n)
			}
		}
	}
	s.acts[key]++
	x, err := ofAct(key, s.at, s.acts[key], e)
	if err != nil {
		return nil, err
	}
	return s.sign(x)
}

// sign returns the signature of this instance over a statement, made with the key of its log.
func (s *Signer) sign(x statement) (*event.Signature, error) {
	x.Instance = s.p.Instance()
	text, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	sum, err := s.p.log.Sign(text)
	if err != nil {
		return nil, err
	}
	return &event.Signature{
		Generation: x.Generation, Key: hex.EncodeToString(s.p.log.PublicKey()), Sum: hex.EncodeToString(sum),
	}, nil
}
