package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/source"
)

const (
	defaultTime = 10 * time.Second
	maxValue    = 1 << 20  // bytes of one value
	maxBytes    = 64 << 20 // bytes of all values
)

// bound makes the connection of a database read no value larger than maxValue.
func bound(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	_, err = sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, maxValue)
	return errors.Join(err, conn.Close())
}

// spend counts a row.
func spend(b *budget.Budget, n int, r *row) error {
	size := int64(64)
	for i := range r.cells {
		size += int64(len(r.cells[i].Text))
	}
	if n > source.MaxResources {
		return fmt.Errorf("the table has more than %d rows: %w", source.MaxResources, budget.ErrSpent)
	}
	return b.Grow(size)
}

// spent explains an error of a table that exceeds its budget. Other errors do not change.
func (t *Table) spent(ctx context.Context, err error) error {
	var e *sqlite.Error
	cause := budget.Ended(ctx)
	switch {
	case err == nil:
		return nil
	case errors.Is(cause, budget.ErrSpent):
		err = cause
	case errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_TOOBIG:
		return t.wrong(fmt.Sprintf("the table clusters has a value larger than %d MiB", maxValue>>20),
			"remove the value: see docs/clusters.md")
	case !errors.Is(err, budget.ErrSpent):
		return err
	}
	return t.wrong(err.Error(), "make clusters a table of text, not a view: see docs/clusters.md")
}
