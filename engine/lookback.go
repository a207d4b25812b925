package engine

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// lookBack makes the world a plan of the past rests on. Of a scope that had not been seen
// completely by then nothing is known.
func (e *Engine) lookBack(ctx context.Context, p *Planned, places *places, at storage.Revision) error {
	then, rev, err := e.cfg.Ledger.World(ctx, at)
	if err != nil {
		return fmt.Errorf("the world at revision %d: %w", at, err)
	}
	fresh := map[resource.Scope]resource.Snapshot{}
	p.world = resource.World{Seen: fresh, Failed: places.failed}
	for _, s := range places.scopes {
		switch snapshot, seen := then.Seen[s]; {
		case seen && !snapshot.At.IsZero():
			fresh[s] = snapshot
		case then.Failed[s] != nil:
			p.world.Failed[s] = then.Failed[s]
		default:
			p.world.Failed[s] = fmt.Errorf("%s had not been seen at revision %d", s, rev)
		}
	}
	p.Revision, p.Past = rev, true
	p.Looks = looks(resource.World{Failed: p.world.Failed}, fresh)
	return nil
}
