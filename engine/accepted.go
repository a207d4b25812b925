package engine

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/engine/plan/accepted"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// Reveal returns the secret of a digest that was accepted earlier; see Config.Reveal.
type Reveal = accepted.Reveal

// Restored completes configurations that could not be read, as a plan does. Callers use it for options that they need
// before they have an engine.
func Restored(
	ctx context.Context, r *ledger.Reader, intents []resource.Intent, now time.Time,
) ([]resource.Intent, error) {
	return accepted.Restore(ctx, r, intents, now, nil)
}
