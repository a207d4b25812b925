package coordinator

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// Prefix is where claims stand in the store.
const Prefix = "claim/"

// Errors of this package.
var (
	// ErrLost: the claim ended, or may have, before the work under it did. What was
	// committed under its Guard stands; whatever else was begun is in doubt.
	ErrLost = errors.New("the claim was lost")
	// ErrClosed: the Claims were closed.
	ErrClosed = errors.New("claims are closed")
	// ErrWorking: work under claims went on when they were closed.
	ErrWorking = errors.New("some work goes on")
	// ErrNotHeld: nobody holds a claim on the ref, or it is not the one that was named.
	ErrNotHeld = errors.New("not held")
)

// Identity says who claims, for people to read. Instance is unique to one process's run.
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
	Since time.Time // by its holder's clock: for people, never for a decision
	TTL   time.Duration
}

// record is a claim as it stands in the store. The token is not in it: it is the revision
// that created the key.
type record struct {
	Identity
	Since time.Time `json:"since"`
	TTLms int64     `json:"ttl_ms"`
	Nonce string    `json:"nonce"` // tells, after a lost answer, whether this one is ours
}

func key(ref string) string { return Prefix + ref }

// Guard is what a transaction adds to commit only while the claim with this token stands.
func Guard(ref string, token int64) storage.Guard {
	return storage.Guard{Key: key(ref), Created: storage.Revision(token)}
}

func decode(e storage.Entry) (Claim, record, error) {
	var r record
	ref := strings.TrimPrefix(e.Key, Prefix)
	if err := json.Unmarshal(e.Value, &r); err != nil {
		return Claim{}, r, fmt.Errorf("the claim on %s is not readable: %w; end it with: ovi claims revoke %s", ref, err, ref)
	}
	return Claim{
		Ref: ref, Token: int64(e.Created), Identity: r.Identity,
		Since: r.Since, TTL: time.Duration(r.TTLms) * time.Millisecond,
	}, r, nil
}

// ClaimedError says that someone else has the claim.
type ClaimedError struct {
	Claim Claim
	Until time.Time // if the holder has died, the claim is free by then, by our own clock
}

func (e *ClaimedError) Error() string {
	c := e.Claim
	who := c.Instance
	if c.User != "" {
		who = c.User + "@" + c.Host
	}
	return fmt.Sprintf("%s is held by %s (instance %s, run %s, pid %d on %s) since %s; should that one have died, it is free at %s by itself. See: ovi claims",
		c.Ref, who, c.Instance, c.Run, c.PID, c.Host, c.Since.UTC().Format(time.RFC3339), e.Until.UTC().Format(time.RFC3339))
}
