package phrase

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// Outage says what is free because a resource that needs it is not up, who had it, and what to do.
// Both texts are without a final period; next is the suggestion for the operator.
func Outage(o rows.Outage, needs resource.Ref, now time.Time) (text, next string) {
	text = fmt.Sprintf("outage: %s is free since %s (%s) was deleted %s ago, and %s, which needs it, is not up", o.Thing,
		o.Freed.Short(), ID(o.ID), Age(now.Sub(o.At)), needs.Short())
	return text, fmt.Sprintf("correct %s and run `ovi apply`, or restore the block of %s", needs.Short(), o.Freed.Short())
}
