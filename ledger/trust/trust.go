package trust

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// Key is the public key with which this instance signs, in hex.
func (p *Proofs) Key() string { return hex.EncodeToString(p.log.PublicKey()) }

// trusts returns nil if the key of another instance counts. A key is pinned and recorded at its first use,
// unless trust is required.
func (p *Proofs) trusts(ctx context.Context, instance, key string, pin bool) error {
	switch said, on, err := p.trusted(ctx, rows.KeyTrust+key, key); {
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
	case pinned == key:
		return nil
	case pinned != "":
		return unproven("instance %s has another key than the pinned one: %s", instance, key)
	}
	_, required, err := p.trusted(ctx, rows.KeyRequired, rows.KeyRequired)
	if err != nil {
		return err
	}
	if required {
		return unproven("the key %s of instance %s is not trusted yet", key, instance)
	}
	if pin {
		err = p.record(ctx, event.KeyPinned{Instance: instance, Key: key})
	}
	return err
}

// Pin is a key of another instance that was pinned at its first use, and that no operator has
// confirmed or revoked since.
type Pin struct {
	Instance, Key string
	At            time.Time
}

// Pins lists the pinned keys that no operator has decided about, for all instances of the store. Each is
// listed once, in the order of pinning.
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
		if decided, _, err := p.trusted(ctx, rows.KeyTrust+pin.Key, pin.Key); err != nil {
			return nil, err
		} else if !decided {
			out = append(out, pin)
		}
	}
	return out, nil
}

// pinned is the key of an instance as the log of this one has it; empty if none was pinned.
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

// trusted reads what an operator said of a key: on the record of this instance, or of one whose
// key is pinned, by its signature.
func (p *Proofs) trusted(ctx context.Context, key, what string) (said, on bool, err error) {
	e, err := p.Get(ctx, key, storage.Now)
	if err != nil {
		return false, false, err
	}
	var t rows.Trust
	if e.Value != nil && json.Unmarshal(e.Value, &t) == nil && t.Instance != p.Instance() {
		pinned, err := p.pinned(ctx, t.Instance)
		if err != nil {
			return false, false, err
		}
		s := statement{Instance: t.Instance, Trust: what, On: t.On}
		if t.Signature != nil && pinned == t.Signature.Key && s.verify(t.Signature) {
			return true, t.On, nil
		}
	}
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if err := p.table.follow(ctx, p); err != nil {
		return false, false, err
	}
	var own rows.Trust
	value := p.table.get(key)
	if value == nil {
		return false, false, nil
	}
	err = json.Unmarshal(value, &own)
	return true, own.On, err
}
