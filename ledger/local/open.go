// Package local opens a ledger whose store is a file in its data directory.
package local

import (
	"context"
	"fmt"
	"os"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/storage/bolt"
)

// Open is ledger.Open on the store of the data directory, which Close of the ledger closes.
func Open(ctx context.Context, cfg ledger.Config) (*ledger.Ledger, error) {
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("ledger: create the data directory: %w", err)
	}
	store, err := bolt.Open(ledger.StorePath(cfg.Dir))
	if err != nil {
		return nil, err
	}
	cfg.Store, cfg.CloseStore = store, true
	return ledger.Open(ctx, cfg)
}
