package coordinator

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// Prefix is the prefix of claims in the store.
const Prefix = "claim/"

// Errors of this package.
var (
	// ErrLost: the claim ended, or may have, before the work under it did. A commit under its Guard is
	// valid; the result of everything else is unknown.
	ErrLost = errors.New("the claim was lost")
	// ErrClosed: the Claims were closed.
	ErrClosed = errors.New("claims are closed")
	// ErrWorking: work under claims continued when they were closed.
	ErrWorking = errors.New("work continues")
	// ErrNotClaimed: the ref is not claimed, or the claim is not the one given.
	ErrNotClaimed = errors.New("not claimed")
)

// Identity describes the holder of a claim to operators. Instance is unique to one run of a process.
type Identity struct {
	Instance string `json:"instance"`
	Host     string `json:"host"`
	User     string `json:"user,omitempty"`
	Run      string `json:"run,omitempty"`
	PID      int    `json:"pid"`
}

// Claim is the right to act on one ref.
type Claim struct {
	Ref   string
	Token int64 // grows from claim to claim of a ref
	Identity
	Since time.Time // by its holder's clock: for display, never for a decision
	TTL   time.Duration
}

// record is the value of a claim in the store. The token is not part of it: it is the revision that
// created the key.
type record struct {
	Identity
	Since time.Time `json:"since"`
	TTLms int64     `json:"ttl_ms"`
	Nonce string    `json:"nonce"` // identifies this claim after a lost answer
}

func key(ref string) string { return Prefix + ref }

// Guard makes a transaction commit only while the claim with this token exists.
func Guard(ref string, token int64) storage.Guard {
	return storage.Guard{Key: key(ref), Created: storage.Revision(token)}
}

func decode(e storage.Entry) (Claim, record, error) {
	var r record
	ref := strings.TrimPrefix(e.Key, Prefix)
	if err := json.Unmarshal(e.Value, &r); err != nil {
		return Claim{}, r, fmt.Errorf("cannot read the claim on %s: %w; end it with: ovi claims revoke %s", ref, err, ref)
	}
	return Claim{
		Ref: ref, Token: int64(e.Created), Identity: r.Identity,
		Since: r.Since, TTL: time.Duration(r.TTLms) * time.Millisecond,
	}, r, nil
}

// ClaimedError reports that another instance has the claim.
type ClaimedError struct {
	Claim Claim
	Until time.Time // when the claim expires unless it is renewed, by the local clock
}

func (e *ClaimedError) Error() string {
	c := e.Claim
	who := c.Instance
	if c.User != "" {
		who = c.User + "@" + c.Host
	}
	return fmt.Sprintf("%s is claimed by %s (instance %s, run %s, pid %d on %s) since %s; the claim expires at %s "+
		"unless it is renewed. See: ovi claims",
		c.Ref, who, c.Instance, c.Run, c.PID, c.Host, c.Since.UTC().Format(time.RFC3339), e.Until.UTC().Format(time.RFC3339))
}
