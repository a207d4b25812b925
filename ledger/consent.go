package ledger

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// approval is the value of consent/<digest>/<who>: the last one of each person.
type approval struct {
	Seq   wal.Seq   `json:"seq"`
	At    time.Time `json:"at"`
	Event Approved  `json:"event"`
}

func approvalKey(digest, who string) string {
	return keyConsent + url.PathEscape(digest) + "/" + url.PathEscape(who)
}

// Consent is one person's approval of what a plan proposes.
type Consent struct {
	Approved
	At time.Time
}

// Holds says that the approval has not expired.
func (c Consent) Holds(now time.Time) bool { return c.Until.IsZero() || now.Before(c.Until) }

// Consents are the approvals of what a plan proposes, by its digest; the last one of each
// person, expired ones too, the oldest first.
func (l *Ledger) Consents(ctx context.Context, digest string) ([]Consent, error) {
	var out []Consent
	err := l.entries(ctx, approvalKey(digest, ""), storage.Now, func(e storage.Entry) error {
		var a approval
		if err := json.Unmarshal(e.Value, &a); err != nil {
			return err
		}
		out = append(out, Consent{a.Event, a.At})
		return nil
	})
	slices.SortStableFunc(out, func(a, b Consent) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return strings.Compare(a.Who, b.Who)
	})
	return out, err
}
