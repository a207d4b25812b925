package engine

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// asOf makes the live state of a plan at a past revision. A scope that had not been read in full
// by then is unreachable.
func (e *Engine) asOf(ctx context.Context, p *Planned, locations *located, at storage.Revision) error {
	then, rev, err := e.cfg.Ledger.LiveState(ctx, at)
	if err != nil {
		return fmt.Errorf("read the live state at revision %d: %w", at, err)
	}
	fresh := map[resource.Scope]resource.Snapshot{}
	p.live = resource.LiveState{Scopes: fresh, Unreachable: locations.failed}
	for _, s := range locations.scopes {
		switch snapshot, read := then.Scopes[s]; {
		case read && !snapshot.At.IsZero():
			fresh[s] = snapshot
		case then.Unreachable[s] != nil:
			p.live.Unreachable[s] = then.Unreachable[s]
		default:
			p.live.Unreachable[s] = fmt.Errorf("%s had not been observed at revision %d", s, rev)
		}
	}
	p.Revision, p.Past = rev, true
	p.Observations = observationsOf(resource.LiveState{Unreachable: p.live.Unreachable}, fresh)
	return nil
}
