package trust

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// Recovery is a recovery of the roster that stands: it was asked for, and no person on the roster has canceled it.
type Recovery struct {
	event.RecoveryAsked
	Instance string    // that recorded it
	At       time.Time // when
	Digest   string    // of its record
	// The log of this instance first recorded it at Since. From Counts on, this instance counts the key.
	Since, Counts time.Time
}

// RecoveryOf returns the recovery of the roster that stands and whose key is not on the roster yet; nil if there is
// none. A recovery that only a pinned key signed does not stand. With note it records when this instance finds a
// recovery first, and that a recovery that it found no longer stands; else the times of a new one are zero. A
// recovery of this instance waits from its own record on. A recovery of another instance waits from the time at
// which this log first recorded it, so that a time in the store cannot shorten the wait.
func RecoveryOf(ctx context.Context, p *Proofs, note bool) (*Recovery, error) {
	found, err := acts[event.RecoveryAsked](ctx, p, rows.KeyRecovery, note, func(string, error) {})
	if err != nil {
		return nil, err
	}
	a, stands := found[rows.RecoveryKey]
	stands = stands && a.Event.On
	digest, err := rows.RecoveryDigest(a)
	if err != nil {
		return nil, err
	}
	if !stands {
		digest = ""
	}
	if p.shared && note {
		if err := endSeen(ctx, p, digest); err != nil {
			return nil, err
		}
	}
	if !stands {
		return nil, nil //nolint:nilnil // no recovery stands
	}
	since := a.At
	if a.Instance != p.Instance() {
		if since, err = sawRecovery(ctx, p, a.Instance, digest, note); err != nil {
			return nil, err
		}
	}
	roster, err := p.Roster(ctx)
	if err != nil || slices.Contains(roster, a.Event.Signer) {
		return nil, err
	}
	out := &Recovery{RecoveryAsked: a.Event, Instance: a.Instance, At: a.At, Digest: digest, Since: since}
	if !since.IsZero() {
		out.Counts = since.Add(event.RecoveryWait)
	}
	return out, nil
}

// sawRecovery returns when this instance found a recovery of another one first, without a break. With note it records
// that it found it; else the time of a new one is zero.
func sawRecovery(ctx context.Context, p *Proofs, instance, digest string, note bool) (time.Time, error) {
	since, stands, err := seenSince(ctx, p, digest)
	if err != nil || stands || !note {
		return since, err
	}
	if err := p.record(ctx, event.RecoverySeen{Instance: instance, Digest: digest, On: true}); err != nil {
		return time.Time{}, err
	}
	since, _, err = seenSince(ctx, p, digest)
	return since, err
}

// endSeen records that the recoveries that this instance found no longer stand, but for the one with a digest, and
// for those that already changed the roster: this instance counts the change because it found the recovery. A
// canceled recovery whose row is put back into the store then waits for the whole time again.
func endSeen(ctx context.Context, p *Proofs, but string) error {
	proven, err := p.provenActs(ctx)
	if err != nil {
		return err
	}
	var ended []event.Event
	for key, value := range proven {
		var seen rows.Act[event.RecoverySeen]
		if !strings.HasPrefix(key, rows.KeyRecoverySeen) || json.Unmarshal(value, &seen) != nil ||
			!seen.Event.On || seen.Event.Digest == but {
			continue
		}
		used, err := recovered(ctx, p, seen.Event.Digest)
		if err != nil {
			return err
		}
		if !used {
			seen.Event.On = false
			ended = append(ended, seen.Event)
		}
	}
	if len(ended) == 0 {
		return nil
	}
	return p.record(ctx, ended...)
}

// recovered reports whether the roster was changed because of a recovery, as a row of the store says that counts
// here. It reads all versions of the row, because the roster may have changed again since.
func recovered(ctx context.Context, p *Proofs, digest string) (bool, error) {
	used := false
	err := p.Versions(ctx, rows.RosterKey, func(e storage.Entry) error {
		var a rows.Act[event.RosterChanged]
		if e.Value == nil || json.Unmarshal(e.Value, &a) != nil || a.Event.Recovers != digest {
			return nil
		}
		used = used || actThere(ctx, p, rows.RosterKey, a, false) == nil
		return nil
	})
	return used, err
}
