package ledger

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// Approval is one user's approval of a plan's proposals.
type Approval struct {
	event.Approved
	At time.Time
}

// Holds reports whether the approval has not expired.
func (c Approval) Holds(now time.Time) bool { return c.Until.IsZero() || now.Before(c.Until) }

// Approvals are the approvals of the proposals with a digest: the last one of each user, expired
// ones too, the oldest first.
func (r *Reader) Approvals(ctx context.Context, digest string) ([]Approval, error) {
	var out []Approval
	err := r.Entries(ctx, rows.ApprovalOf(digest, ""), storage.Now, func(e storage.Entry) error {
		var a rows.Approval
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
