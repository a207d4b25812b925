package session

import (
	"context"
	"slices"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/ledger"
)

// Holders are the owners of the claims that are held now. The claims of processes of this data directory that have
// crashed do not count.
type Holders map[holding]string

type holding struct {
	ref   string
	token int64
}

// HoldersOf reads who holds the claims.
func HoldersOf(ctx context.Context, l *ledger.Ledger) (Holders, error) {
	claims, err := coordinator.New(l.Claims(), coordinator.Identity{}).List(ctx)
	if err != nil {
		return nil, err
	}
	dead, err := l.DeadRuns()
	if err != nil {
		return nil, err
	}
	out := Holders{}
	for _, x := range claims {
		if x.Instance != l.Instance() || !slices.Contains(dead, x.Run) {
			out[holding{x.Ref, x.Token}] = x.User + "@" + x.Host
		}
	}
	return out, nil
}

// Of returns who runs an open action; false if its claim has ended.
func (h Holders) Of(o ledger.OpenAction) (by string, running bool) {
	by, running = h[holding{o.Ref.String(), o.Token}]
	return by, running
}
