package apply

import (
	"context"
	"time"
)

// The pauses between the observations of a replacement that waits: each is twice the one before.
const (
	firstPause   = 500 * time.Millisecond
	longestPause = 10 * time.Second
)

// pauses holds the length of the last pause.
type pauses struct{ last time.Duration }

// wait pauses an action, which has no slot meanwhile. It returns false if a context ends first.
func (p *pauses) wait(a *apply, ctx, soft context.Context) bool {
	p.last = min(max(2*p.last, firstPause), longestPause)
	return a.slots.sleep(ctx, soft, p.last)
}
