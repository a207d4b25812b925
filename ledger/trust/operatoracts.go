package trust

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// act is an event of an operator that counts only as its instance recorded it.
type act[E any] interface {
	event.Event
	Unsigned() (E, *event.Signature)
}

// ofAct is the statement that an act rests on in a store that instances share.
func ofAct[E act[E]](key string, at time.Time, generation uint64, e E) (statement, error) {
	plain, _ := e.Unsigned()
	text, err := event.Marshal(plain)
	sum := sha256.Sum256(text)
	return statement{Act: key, At: at, Content: hex.EncodeToString(sum[:]), Generation: generation}, err
}

// generationOf returns the generation of the signature, or 0 if there is none.
func generationOf[E act[E]](e E) uint64 {
	if _, signed := e.Unsigned(); signed != nil {
		return signed.Generation
	}
	return 0
}

// acts returns the acts under a prefix that count, by key. Acts that this log proves count. In a shared
// store, acts of another instance count if a trusted key signed them, unless this log has a newer one. Each
// row of the store that does not count goes to doubt. With pin, keys are pinned at first use.
func acts[E act[E]](
	ctx context.Context, p *Proofs, prefix string, pin bool, doubt func(key string, why error),
) (map[string]rows.Act[E], error) {
	stored, err := p.storedActs(ctx, prefix) // before the log, which has all of this instance that the store has
	if err != nil {
		return nil, err
	}
	proven, err := p.provenActs(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]rows.Act[E]{}
	for key, value := range proven {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		var a rows.Act[E]
		if err := json.Unmarshal(value, &a); err != nil {
			return nil, fmt.Errorf("ledger: %s: %w", key, err)
		}
		out[key] = a
	}
	if !p.shared {
		return out, nil
	}
	if err := keptOfOthers(ctx, p, out, pin); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(stored)) {
		a, err := actOf[E](ctx, p, key, stored[key], proven[key], pin)
		var why *UnprovenError
		switch {
		case errors.As(err, &why):
			doubt(key, why)
			continue
		case err != nil:
			return nil, err
		}
		own, has := out[key]
		if has && generationOf(own.Event) > generationOf(a.Event) {
			doubt(key, unproven("instance %s recorded a newer version", own.Instance))
			continue
		}
		switch err := p.counts(ctx, a.Instance, a.Event, has); {
		case errors.As(err, &why):
			doubt(key, why)
			if blessed, is := blessedStill(a); is && !has {
				out[key] = blessed
			}
			continue
		case err != nil:
			return nil, err
		}
		out[key] = a
	}
	for key := range out {
		if _, there := stored[key]; !there {
			doubt(key, unproven("it is missing"))
		}
	}
	return out, nil
}

// counts fails if only a pinned key signed an act of another instance, unless the act protects: a blessing, or a
// required policy that is new here. Whatever else an operator does lowers a protection or gives a right.
func (p *Proofs) counts(ctx context.Context, instance string, e any, known bool) error {
	if instance == p.Instance() {
		return nil
	}
	var by *event.Signature
	protects := false
	switch e := e.(type) {
	case event.Blessed:
		by, protects = e.Signature, e.On
	case event.PolicyRequired:
		by, protects = e.Signature, e.On && !known // else it may be a weaker one
	case event.Approved:
		by, protects = e.Signature, e.SignedBy != nil // the roster decides
	case event.Acknowledged:
		by = e.Signature
	case event.RosterChanged:
		by = e.Signature
	}
	if protects {
		return nil
	}
	return p.confirms(ctx, instance, by)
}

// blessedStill is the blessing that an act ends which does not count: a confirmed key must end it.
func blessedStill[E act[E]](a rows.Act[E]) (rows.Act[E], bool) {
	b, is := any(a.Event).(event.Blessed)
	if is {
		b.On = true
		a.Event, is = any(b).(E)
	}
	return a, is
}

// storedActs are the acts as the store has them, where instances share it.
func (p *Proofs) storedActs(ctx context.Context, prefix string) (map[string][]byte, error) {
	out := map[string][]byte{}
	if !p.shared {
		return out, nil
	}
	err := p.Entries(ctx, prefix, storage.Now, func(e storage.Entry) error {
		out[e.Key] = bytes.Clone(e.Value)
		return nil
	})
	return out, err
}

// keptOfOthers removes acts of other instances, which a baseline kept, that have no signature.
func keptOfOthers[E act[E]](ctx context.Context, p *Proofs, all map[string]rows.Act[E], pin bool) error {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		a := all[key]
		if a.Instance == p.Instance() {
			continue
		}
		err := actThere(ctx, p, key, a, pin)
		if errors.Is(err, ErrUnproven) {
			delete(all, key)
			continue
		}
		if err == nil {
			err = p.counts(ctx, a.Instance, a.Event, false)
		}
		switch blessed, is := blessedStill(a); {
		case errors.Is(err, ErrUnproven) && is:
			all[key] = blessed
		case errors.Is(err, ErrUnproven):
			delete(all, key)
		case err != nil:
			return err
		}
	}
	return nil
}

// actOf decodes a row of a store that instances share, and checks it.
func actOf[E act[E]](ctx context.Context, p *Proofs, key string, value, own []byte, pin bool) (rows.Act[E], error) {
	var a rows.Act[E]
	if err := json.Unmarshal(value, &a); err != nil {
		return a, unproven("it cannot be read: %v", err)
	}
	if a.Instance == p.Instance() {
		if !bytes.Equal(value, own) {
			return a, unproven("the audit log of this instance does not have it")
		}
		return a, nil
	}
	return a, actThere(ctx, p, key, a, pin)
}

// actThere checks the signature of another instance.
func actThere[E act[E]](ctx context.Context, p *Proofs, key string, a rows.Act[E], pin bool) error {
	_, signed := a.Event.Unsigned()
	if signed == nil {
		return unproven("instance %s did not sign it", a.Instance)
	}
	s, err := ofAct(key, a.At, signed.Generation, a.Event)
	if err != nil {
		return err
	}
	if s.Instance = a.Instance; !s.verify(signed) {
		return unproven("instance %s did not sign it", a.Instance)
	}
	return p.trusts(ctx, a.Instance, signed.Key, pin)
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
		err = errors.Join(err1, err2, err3, err4, err5)
	} else {
		err = p.compareActs(ctx, doubt)
	}
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
