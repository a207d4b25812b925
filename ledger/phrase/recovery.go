package phrase

import (
	"fmt"

	"github.com/ovi-project/ovi/ledger/trust"
)

// Recovery says which recovery of the roster stands, and from when its key counts here. If Counts
// is zero, this instance has not found the recovery yet, and its wait has not started.
func Recovery(r trust.Recovery) string {
	counts := "not found by this instance yet"
	if !r.Counts.IsZero() {
		counts = "counts here from " + Minute(r.Counts)
	}
	return fmt.Sprintf("recovery of the roster with key %s of %s asked for on instance %s%s, %s", r.Key.Fingerprint(),
		r.Name, r.Instance, by(r.Who, r.Reason), counts)
}
