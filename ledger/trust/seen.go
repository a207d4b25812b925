package trust

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
)

// seenSince returns since when this instance has found a recovery, as its log says. A row of the store does not
// count: it could claim an earlier time. If the recovery was not found, or its end was recorded, stands is false.
func seenSince(ctx context.Context, p *Proofs, digest string) (since time.Time, stands bool, err error) {
	proven, err := p.provenActs(ctx)
	if err != nil {
		return since, false, err
	}
	var seen rows.Act[event.RecoverySeen]
	if value := proven[rows.RecoverySeenOf(p.Instance(), digest)]; value != nil {
		err = json.Unmarshal(value, &seen)
	}
	if err != nil || !seen.Event.On {
		return time.Time{}, false, err
	}
	return seen.At, true, nil
}

// recoversHere fails if a change of the roster that another instance recorded rests on a recovery that this
// instance has not found for long enough. An instance that was stopped while a recovery was asked for counts the
// change only after its own people had the whole RecoveryWait to cancel the recovery.
func recoversHere(ctx context.Context, p *Proofs, e event.RosterChanged) error {
	since, stands, err := seenSince(ctx, p, e.Recovers)
	if err != nil {
		return err
	}
	if !stands {
		return unproven("this instance has not found the recovery that it rests on")
	}
	if counts := since.Add(event.RecoveryWait); p.clock().Before(counts) {
		return unproven("the recovery that it rests on counts here from %s", counts.UTC().Format(time.RFC3339))
	}
	return nil
}
