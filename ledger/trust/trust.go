package trust

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// Key is the public key with which this instance signs, in hex.
func (p *Proofs) Key() string { return hex.EncodeToString(p.log.PublicKey()) }

// trusts returns nil if the key of another instance counts: it is confirmed, or pinned. A key is pinned and
// recorded at its first use, unless trust is required or trusted keys were given. Without pin, a key that could be
// pinned counts too, and nothing is recorded.
func (p *Proofs) trusts(ctx context.Context, instance, key string, pin bool) error {
	said, on, err := p.decided(ctx, key)
	switch {
	case err != nil:
		return err
	case said && !on:
		return unproven("the key %s of instance %s is not trusted", key, instance)
	case said:
		return nil
	}
	pinned, err := p.pinned(ctx, instance)
	switch {
	case err != nil:
		return err
	// a second key in the name of a known instance may be a forgery: only a decision about the key can allow it
	case pinned != "" && pinned != key:
		return unproven("instance %s has another key than the pinned one: %s", instance, key)
	// a process with given keys accepts no pinned key, even if the key was pinned before
	case p.given != nil:
		return unproven("the key %s of instance %s is not among the given trusted keys", key, instance).trustKey(key)
	case pinned == key:
		return nil
	}
	// One instance binds all; only a confirmed key ends it.
	d, refused, err := newestDecision(ctx, p, rows.KeyRequired)
	if err != nil {
		return err
	}
	// It was on, if an instance without a confirmed key turned it off.
	if d.made && d.On || refused != nil && !refused.On && !d.made && refused.Signature != nil {
		return unproven("the key %s of instance %s is not trusted yet", key, instance).trustKey(key)
	}
	if err := p.hasRoom(ctx, instance, key); err != nil || !pin {
		return err
	}
	return p.record(ctx, event.KeyPinned{Instance: instance, Key: key})
}

// hasRoom fails if this instance has pinned so many keys that it pins no other one. The lock of the table is
// released before the decisions are read, because decided takes it. A pin that an operator has decided about does
// not count.
func (p *Proofs) hasRoom(ctx context.Context, instance, key string) error {
	p.table.mu.Lock()
	err := p.table.follow(ctx, p)
	keys := keysOfPins(rows.PinOf(p.Instance(), ""), p.table.rows, p.table.pending)
	p.table.mu.Unlock()
	if err != nil || len(keys) < maxPins {
		return err
	}
	undecided := 0
	for _, k := range keys {
		said, _, err := p.decided(ctx, k)
		if err != nil {
			return err
		}
		if !said {
			undecided++
		}
	}
	if undecided < maxPins {
		return nil
	}
	return unproven("the key %s of instance %s is not pinned: %d keys are, and no operator has decided about them", key,
		instance, undecided).trustKey(key)
}

// decided returns the decision about a key. The own key and given keys are trusted. said reports whether there is a
// decision, and on whether it trusts the key.
func (p *Proofs) decided(ctx context.Context, key string) (said, on bool, err error) {
	if key == p.Key() || p.given[key] {
		return true, true, nil
	}
	d, _, err := newestDecision(ctx, p, rows.KeyTrust+key)
	return d.made, d.made && d.On, err
}

// confirms fails if neither the own key, a given key nor an operator confirms a signature. A pin is not enough:
// whoever writes a shared store can make a key, and it would be pinned at its first use.
func (p *Proofs) confirms(ctx context.Context, instance string, by *event.Signature) error {
	if by == nil {
		return unproven("instance %s did not sign it", instance)
	}
	said, on, err := p.decided(ctx, by.Key)
	if err == nil && !(said && on) {
		err = unproven("only the key of instance %s signed it, which no operator has confirmed here", instance).
			trustKey(by.Key)
	}
	return err
}

// Pins lists the pinned keys that no operator has decided about, for all instances of the store. Each is listed
// once, with the time of its first pin, sorted by instance and key. The rows of the store are listed without a
// proof: nothing counts because of them, a person decides about them.
func (p *Proofs) Pins(ctx context.Context) ([]Pin, error) {
	var all []Pin
	err := p.Entries(ctx, rows.KeyPin, storage.Now, func(e storage.Entry) error {
		var pin rows.Pin
		if err := json.Unmarshal(e.Value, &pin); err != nil {
			return err
		}
		_, of, _ := strings.Cut(strings.TrimPrefix(e.Key, rows.KeyPin), "/")
		all = append(all, Pin{of, pin.Key, pin.At})
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b Pin) int {
		return cmp.Or(cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.Key, b.Key), a.At.Compare(b.At))
	})
	all = slices.CompactFunc(all, func(a, b Pin) bool { return a.Instance == b.Instance && a.Key == b.Key })
	var out []Pin
	for _, pin := range all {
		if decided, _, err := p.decided(ctx, pin.Key); err != nil {
			return nil, err
		} else if !decided {
			out = append(out, pin)
		}
	}
	return out, nil
}

// pinned is the key of an instance as the log of this one has it; empty if none was pinned. The row of the store is
// not read, because an edited row must not exchange a pinned key.
func (p *Proofs) pinned(ctx context.Context, instance string) (string, error) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if err := p.table.follow(ctx, p); err != nil {
		return "", err
	}
	var pin rows.Pin
	value := p.table.get(rows.PinOf(p.Instance(), instance))
	if value == nil {
		return "", nil
	}
	err := json.Unmarshal(value, &pin)
	return pin.Key, err
}

// near reports whether this instance alone confirms a key: it is the own one, a given one, or one that an operator
// trusted here. A decision that another instance recorded does not count, so that no key is confirmed by decisions
// which it signed.
func near(ctx context.Context, p *Proofs, key string) (bool, error) {
	if key == p.Key() || p.given[key] {
		return true, nil
	}
	d, err := ownDecision(ctx, p, rows.KeyTrust+key)
	return d.made && d.On, err
}

// personal fails if no person signed a decision about keys of another instance, though there is a roster: the one
// that the own log has, or that a key signed which this instance alone confirms. The roster is not read with
// Roster: that asks for decisions about keys, and would call this function again.
func personal(ctx context.Context, p *Proofs, t rows.Trust, g event.Guarded) error {
	proven, err := p.provenActs(ctx)
	if err != nil {
		return err
	}
	var newest rows.Act[event.RosterChanged]
	// note keeps the newest roster that counts. A row in the name of this instance counts only as its own log has
	// it.
	note := func(value []byte, own bool) error {
		var a rows.Act[event.RosterChanged]
		if value == nil || json.Unmarshal(value, &a) != nil || !own && a.Instance == p.Instance() {
			return nil
		}
		if a.Instance != p.Instance() {
			s, err := ofAct(rows.RosterKey, a.At, generationOf(a.Event), a.Event)
			if s.Instance = a.Instance; err != nil || !s.verify(a.Event.Signature) {
				return err
			}
			if near, err := near(ctx, p, a.Event.Signature.Key); err != nil || !near {
				return err
			}
		}
		if newest.Instance == "" || generationOf(a.Event) > generationOf(newest.Event) {
			newest = a
		}
		return nil
	}
	if err := note(proven[rows.RosterKey], true); err != nil {
		return err
	}
	err = p.Versions(ctx, rows.RosterKey, func(e storage.Entry) error { return note(e.Value, false) })
	if err != nil {
		return err
	}
	people := newest.Event.Signers
	if len(people) == 0 {
		people = p.people
	}
	if len(people) == 0 {
		return nil
	}
	if err := signedOn(people, g, t.Instance); err != nil {
		return unproven("instance %s recorded it: %v", t.Instance, err)
	}
	return nil
}
