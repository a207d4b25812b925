package rows

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
)

// RecoveryDigest names a recovery as its instance recorded it: SHA-256, in hex.
func RecoveryDigest(a Act[event.RecoveryAsked]) (string, error) {
	text, err := json.Marshal(a)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// Recovers reports whether a recovery, which stands since its record, allows a change of the roster at a time.
func Recovers(a Act[event.RecoveryAsked], e event.RosterChanged, at time.Time) bool {
	digest, err := RecoveryDigest(a)
	return err == nil && a.Event.On && digest == e.Recovers && a.Event.Signer == e.Signer &&
		slices.Equal(a.Event.Before, e.Before) && at.Sub(a.At) >= event.RecoveryWait
}
