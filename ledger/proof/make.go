package proof

import (
	"context"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// Order says what to prove.
type Order struct {
	Ref  resource.Ref
	By   string // the user who asks
	Made time.Time
	// Under is the checkpoint whose tree must have the records; the zero value: one that is given now.
	Under wal.Anchor
	// Depth is the number of the newest observations and plans that are proved; a negative number means
	// all. Actions on the resource, and the records that they rest on, are always proved.
	Depth int
}

// Proof is a file that proves the history of a resource.
type Proof struct {
	Text    []byte
	Under   wal.Anchor
	Records int
	Batches int
	First   wal.Seq // the oldest record that the log has; nothing before it is proved
}

// Make makes a proof from the log of a ledger. It is ledger.ErrNotFound if the log has no record of the
// resource.
func Make(ctx context.Context, l *ledger.Ledger, o Order) (Proof, error) {
	seqs, err := records(ctx, l.Reader().Log(), o)
	if err != nil {
		return Proof{}, err
	}
	if len(seqs) == 0 {
		return Proof{}, fmt.Errorf("the audit log of this instance has no record of %s: %w", o.Ref, ledger.ErrNotFound)
	}
	first, _, err := l.Reader().Log().First()
	if err != nil {
		return Proof{}, err
	}
	under, found, err := l.Prove(ctx, o.Under, seqs)
	if err != nil {
		return Proof{}, err
	}
	h := head{"proof", Version, o.Ref.String(), o.Made.UTC(), o.By, first, seqs, under.String()}
	text, err := encode(h, found, l.Sign)
	return Proof{text, under, len(seqs), len(found), first}, err
}
