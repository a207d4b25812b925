package render

import (
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/trust"
)

// RosterRecovery is a recovery of the roster that stands.
type RosterRecovery struct {
	event.Signer
	Instance string     `json:"instance"` // that recorded it
	Asked    time.Time  `json:"asked"`
	Counts   *time.Time `json:"counts,omitempty"` // when this instance counts the key; absent: it has not found it yet
	Who      string     `json:"who"`
	Reason   string     `json:"reason,omitempty"`
}

// RecoveryOf is the record of a recovery.
func RecoveryOf(r trust.Recovery) RosterRecovery {
	out := RosterRecovery{Signer: r.Signer, Instance: r.Instance, Asked: r.At, Who: r.Who, Reason: r.Reason}
	if !r.Counts.IsZero() {
		out.Counts = &r.Counts
	}
	return out
}
