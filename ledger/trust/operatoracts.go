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
	"github.com/ovi-project/ovi/resource"
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
		own, has := out[key]
		a, err := actOf[E](ctx, p, key, stored[key], proven[key], pin)
		if err == nil && has && generationOf(own.Event) > generationOf(a.Event) {
			err = unproven("instance %s recorded a newer version", own.Instance)
		}
		recorded := err == nil
		if recorded {
			err = counts(ctx, p, a.Instance, a.Event, has)
		}
		var why *UnprovenError
		switch {
		case errors.As(err, &why):
			doubt(key, why)
			if has {
				continue
			}
			// a row that does not count must not end the act that it replaced
			last, found, err := before[E](ctx, p, key)
			if err == nil && !found && recorded {
				last, found = blessedStill(a)
			}
			if err != nil {
				return nil, err
			}
			if found {
				out[key] = last
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

// before is the act that counts where the row of the store does not: the newest earlier version of the row that
// does and that the store still has. It pins no keys.
func before[E act[E]](ctx context.Context, p *Proofs, key string) (none rows.Act[E], found bool, err error) {
	var all [][]byte
	err = p.Versions(ctx, key, func(e storage.Entry) error {
		all = append(all, bytes.Clone(e.Value))
		return nil
	})
	if err != nil {
		return none, false, err
	}
	for _, value := range slices.Backward(all) {
		a, err := actOf[E](ctx, p, key, value, nil, false)
		if err == nil {
			err = counts(ctx, p, a.Instance, a.Event, false)
		}
		if !errors.Is(err, ErrUnproven) {
			return a, err == nil, err
		}
	}
	return none, false, nil
}

// counts fails if only a pinned key signed an act of another instance, unless the act protects: a blessing, or a
// required policy that is new here. Whatever else an operator does lowers a protection or gives a right.
func counts(ctx context.Context, p *Proofs, instance string, e any, known bool) error {
	if instance == p.Instance() {
		return nil
	}
	if err := signedThere(ctx, p, instance, e, known); err != nil {
		return err
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
		by, protects = e.Signature, e.MadeBy(p.people, instance)
		if e.Recovers != "" {
			if err := recoversHere(ctx, p, e); err != nil {
				return err
			}
		}
	case event.RecoveryAsked:
		by = e.Signature
		if !e.On {
			roster, err := p.Roster(ctx)
			if err != nil {
				return err
			}
			protects = e.CanceledBy(roster, instance)
		}
	}
	if protects {
		return nil
	}
	return p.confirms(ctx, instance, by)
}

// blessedStill is the blessing that an act ends which does not count: a confirmed key must end it, whether or not the
// store still has the blessing.
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

// keptOfOthers removes acts of other instances, which a baseline kept, that have no signature. The same applies to
// acts whose signature is not confirmed, but a blessing that such an act ended stays.
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
			err = counts(ctx, p, a.Instance, a.Event, false)
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

// actOf decodes a row of a store that instances share, and checks it. own is the row of the key as the log of this
// instance has it, or nil. A row in the name of this instance must be equal to it.
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

// actThere checks the signature of another instance. The key of the store and the time are signed too, so that a
// row cannot be copied to another key or get another time.
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

// signedThere fails if an act of another instance lowers a protection and no person signed it, though there is a
// roster. The blessing of a name that no resource has is no protection.
func signedThere(ctx context.Context, p *Proofs, instance string, e any, known bool) error {
	g, is := e.(event.Guarded)
	if !is {
		return nil
	}
	switch e := e.(type) {
	case event.Blessed:
		if e.On {
			return nil
		}
		if bound, err := bound(ctx, p, e.Ref); err != nil || !bound {
			return err
		}
	case event.PolicyRequired:
		if e.On && !known {
			return nil
		}
	}
	roster, err := p.Roster(ctx)
	if err != nil || len(roster) == 0 {
		return err
	}
	if err := signedOn(roster, g, instance); err != nil {
		return unproven("instance %s recorded it: %v", instance, err)
	}
	return nil
}

// bound reports whether a resource is recorded under a ref.
func bound(ctx context.Context, p *Proofs, ref resource.Ref) (live bool, err error) {
	err = p.Entries(ctx, rows.BindingsOf(ref), storage.Now, func(e storage.Entry) error {
		var b rows.Binding
		err := json.Unmarshal(e.Value, &b)
		live = live || b.Live()
		return err
	})
	return live, err
}
