package rows

import (
	"net/url"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// Act is the value of blessed/<ref>, approval/<digest>/<who>, acknowledged/<ref>, required/<name>,
// roster/signers, recovery/roster, recovery_seen/<instance>/<digest> and saved/<plan>: what an operator
// did last, and which record of which instance is of that. It counts only if that record exists or, in a
// store that instances share, if the event has a signature of that instance.
type Act[E event.Event] struct {
	Seq      wal.Seq   `json:"seq"`
	At       time.Time `json:"at"`
	Instance string    `json:"instance"`
	Event    E         `json:"event"`
}

// ActOf is the act that a record is.
func ActOf[E event.Event](r event.Record, e E) Act[E] { return Act[E]{r.Seq, r.At, r.Instance, e} }

// Used is the value of used/<digest>/<who>: the plan that used an approval, and which approval.
type Used struct {
	Plan     string  `json:"plan"`
	Seq      wal.Seq `json:"seq"`
	Instance string  `json:"instance"`
}

// ActsCertified is the value of acts_certified/<instance>: where its log lists the acts last.
type ActsCertified struct {
	Seq wal.Seq `json:"seq"`
}

// BlessedOf is the key of the protection of a resource, given or removed.
func BlessedOf(ref resource.Ref) string { return Of(KeyBlessed, ref) }

// AcknowledgedOf is the key of a resource's accepted drift.
func AcknowledgedOf(ref resource.Ref) string { return Of(KeyAcknowledged, ref) }

// ApprovalOf is the key of a user's approval; without who the prefix of all users' approvals.
func ApprovalOf(digest, who string) string { return KeyApproval + approval(digest, who) }

// UsedOf is the key of the use of a user's approval; without who the prefix of all users'.
func UsedOf(digest, who string) string { return KeyUsed + approval(digest, who) }

// SavedOf is the key of the file that a plan was saved to.
func SavedOf(plan string) string { return KeySaved + url.PathEscape(plan) }

// RequirementOf is the key of a policy that every run needs.
func RequirementOf(name string) string { return KeyRequirement + url.PathEscape(name) }

// RosterKey is the key of the public keys of people.
const RosterKey = KeyRoster + "signers"

// RecoveryKey is the key of the recovery of the roster that was asked for last.
const RecoveryKey = KeyRecovery + "roster"

// RecoverySeenOf is the key under which an instance notes that it found a recovery with a digest.
func RecoverySeenOf(instance, digest string) string {
	return KeyRecoverySeen + url.PathEscape(instance) + "/" + url.PathEscape(digest)
}

// ParseApproval is the inverse of ApprovalOf and UsedOf, with their prefix.
func ParseApproval(prefix, key string) (digest, who string, ok bool) {
	rest, found := strings.CutPrefix(key, prefix)
	digest, who, cut := strings.Cut(rest, "/")
	digest, err1 := url.PathUnescape(digest)
	who, err2 := url.PathUnescape(who)
	return digest, who, found && cut && err1 == nil && err2 == nil
}

func approval(digest, who string) string {
	return url.PathEscape(digest) + "/" + url.PathEscape(who)
}
