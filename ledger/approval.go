package ledger

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// approval is the value of consent/<digest>/<who>: the last one of each person.
type approval struct {
	Seq   wal.Seq        `json:"seq"`
	At    time.Time      `json:"at"`
	Event event.Approved `json:"event"`
}

func approvalKey(digest, who string) string {
	return keyConsent + url.PathEscape(digest) + "/" + url.PathEscape(who)
}

// Approval is one person's approval of what a plan proposes.
type Approval struct {
	event.Approved
	At time.Time
}

// Holds says that the approval has not expired.
func (c Approval) Holds(now time.Time) bool { return c.Until.IsZero() || now.Before(c.Until) }

// Approvals are the approvals of what a plan proposes, by its digest; the last one of each
// person, expired ones too, the oldest first.
func (l *Ledger) Approvals(ctx context.Context, digest string) ([]Approval, error) {
	var out []Approval
	err := l.entries(ctx, approvalKey(digest, ""), storage.Now, func(e storage.Entry) error {
		var a approval
		if err := json.Unmarshal(e.Value, &a); err != nil {
			return err
		}
		out = append(out, Approval{a.Event, a.At})
		return nil
	})
	slices.SortStableFunc(out, func(a, b Approval) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return strings.Compare(a.Who, b.Who)
	})
	return out, err
}
