package trust

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// Agrees fails if the store has other bindings than the log, or other acts of this instance.
func (p *Proofs) Agrees(ctx context.Context) error {
	return errors.Join(p.provenRows(ctx), p.actsAgree(ctx))
}

// Contradiction is an act that the store has and the audit log does not, or the other way round, which
// does not count; or a log of another instance that went back.
type Contradiction struct {
	Key  string // of the store
	Text string
	Log  string // the instance whose log it concerns; empty if it concerns an act
}

// Contradictions lists the operators' acts that the store has and the audit log does not, sorted. It
// records nothing. An act that is being recorded just now is not a contradiction: it is compared again.
func (p *Proofs) Contradictions(ctx context.Context) ([]Contradiction, error) {
	acts, err1 := p.contradictoryActs(ctx)
	logs, err2 := p.wentBack(ctx)
	return append(acts, logs...), errors.Join(err1, err2)
}

// contradictoryActs compares twice and returns the contradictions that both comparisons found: an act
// that was recorded between the reads of the store and of the log is missing from one of them only
// once.
func (p *Proofs) contradictoryActs(ctx context.Context) ([]Contradiction, error) {
	found, err := p.contradictions(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	again, err := p.contradictions(ctx)
	return slices.DeleteFunc(again, func(c Contradiction) bool { return !slices.Contains(found, c) }), err
}

func (p *Proofs) contradictions(ctx context.Context) ([]Contradiction, error) {
	var out []Contradiction
	doubt := func(key string, why error) {
		out = append(out, Contradiction{Key: key, Text: describeAct(key) + ": " + why.Error()})
	}
	var err error
	if p.shared {
		_, err1 := acts[event.Blessed](ctx, p, rows.KeyBlessed, false, doubt)
		_, err2 := acts[event.Approved](ctx, p, rows.KeyApproval, false, doubt)
		_, err3 := acts[event.Acknowledged](ctx, p, rows.KeyAcknowledged, false, doubt)
		_, err4 := acts[event.PolicyRequired](ctx, p, rows.KeyRequirement, false, doubt)
		_, err5 := acts[event.RosterChanged](ctx, p, rows.KeyRoster, false, doubt)
		_, err6 := acts[event.RecoveryAsked](ctx, p, rows.KeyRecovery, false, doubt)
		err = errors.Join(err1, err2, err3, err4, err5, err6)
	} else {
		err = p.compareActs(ctx, doubt)
	}
	err = errors.Join(err, forgedOpen(ctx, p, doubt))
	slices.SortFunc(out, func(a, b Contradiction) int { return strings.Compare(a.Key, b.Key) })
	return out, err
}

// compareActs holds the rows of a store that only this log is projected into against the log.
func (p *Proofs) compareActs(ctx context.Context, doubt func(key string, why error)) error {
	proven, err := p.provenActs(ctx)
	if err != nil {
		return err
	}
	for _, prefix := range actPrefixes() {
		err := p.Entries(ctx, prefix, storage.Now, func(e storage.Entry) error {
			own, known := proven[e.Key]
			switch delete(proven, e.Key); {
			case !known:
				doubt(e.Key, unproven("the audit log does not have it"))
			case !bytes.Equal(own, e.Value):
				doubt(e.Key, unproven("the audit log has another"))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for key := range proven {
		doubt(key, unproven("it is missing"))
	}
	return nil
}

// actsAgree fails if the store has other acts of this instance than its log.
func (p *Proofs) actsAgree(ctx context.Context) error {
	found, err := p.contradictoryActs(ctx)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("ledger: %w: %s", ErrUnproven, found[0].Text)
	}
	return err
}
