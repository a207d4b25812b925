package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// Report implements source.Reporter: it writes the columns status, actual_state,
// last_reconciled_at, reconcile_error and server_ip, in one transaction, and no other column. A row
// whose fact is not known is not changed.
func (t *Table) Report(ctx context.Context, of func(resource.Ref) (source.Fact, bool)) error {
	return t.write(ctx, func(tx *sql.Tx) error {
		if err := t.upgrade(ctx, tx); err != nil {
			return err
		}
		rows, err := t.readRows(ctx, tx)
		if err != nil {
			return err
		}
		wrong := wrongRows(rows)
		for i := range rows {
			name := rows[i].name()
			if name == Reserved || name == "" {
				continue
			}
			if !validName(name) { // no resource has it
				if err := update(ctx, tx, name, source.Fact{Failure: wrong[i]}); err != nil {
					return err
				}
				continue
			}
			f, known := of(resource.Ref{Provider: t.opts.Provider, Kind: Kind, Name: name})
			if !known {
				continue
			}
			if err := update(ctx, tx, name, f); err != nil {
				return err
			}
		}
		return nil
	})
}

// write runs do in a transaction that excludes other writers from its start.
func (t *Table) write(ctx context.Context, do func(*sql.Tx) error) error {
	if _, err := t.readable(); err != nil {
		return err
	}
	return t.explain(t.with(ctx, []string{"mode=rw", "_txlock=immediate"}, func(db *sql.DB) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := do(tx); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return tx.Commit()
	}))
}

// upgrade adds the columns that files of an older form lack.
func (t *Table) upgrade(ctx context.Context, tx *sql.Tx) error {
	have, err := t.columns(ctx, tx)
	if err != nil {
		return err
	}
	if err := t.complete(have); err != nil {
		return err
	}
	for _, c := range []struct{ name, definition string }{ // as Kindler adds them
		{"server_ip", "TEXT"},
		{"desired_state", "TEXT DEFAULT 'present'"},
		{"actual_state", "TEXT DEFAULT 'unknown'"},
		{"last_reconciled_at", "TIMESTAMP"},
		{"reconcile_error", "TEXT"},
	} {
		if have[c.name] {
			continue
		}
		if _, err := tx.ExecContext(ctx, "ALTER TABLE clusters ADD COLUMN "+c.name+" "+c.definition); err != nil {
			return err
		}
	}
	return nil
}

// stamp is how Kindler's scripts write a time.
const stamp = "2006-01-02 15:04:05"

// update writes the status columns of a row.
func update(ctx context.Context, tx *sql.Tx, name string, f source.Fact) error {
	state := ActualState(f)
	var at, why, ip any // null, unless they are known
	if !f.Observed.IsZero() {
		at = f.Observed.UTC().Format(stamp)
	}
	if f.Failure != "" {
		why = f.Failure
	} else if state == StateFailed && f.Message != "" {
		why = f.Message
	}
	if v, ok := f.Attrs.Get("server_ip"); ok {
		if s, is := v.(resource.String); is {
			ip = string(s)
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE clusters SET status = ?1, actual_state = ?1, reconcile_error = ?2,
		last_reconciled_at = coalesce(?3, last_reconciled_at),
		server_ip = CASE WHEN ?1 = 'absent' THEN NULL ELSE coalesce(?4, server_ip) END
		WHERE name = ?5`, state, why, at, ip, name)
	return err
}

// The values of actual_state.
const (
	StateUnknown  = "unknown"
	StateCreating = "creating"
	StateRunning  = "running"
	StateFailed   = "failed"
	StateDeleting = "deleting"
	StateAbsent   = "absent"
)

// ActualState is the value of actual_state for a fact.
func ActualState(f source.Fact) string {
	switch f.Doing {
	case source.Creating:
		return StateCreating
	case source.Deleting:
		return StateDeleting
	case source.Nothing:
	}
	switch {
	case f.Health == resource.Unclear:
		return StateUnknown
	case f.ID == "" && f.Failure == "":
		return StateAbsent
	case f.ID == "" || f.Health == resource.Failing || f.Health == resource.Stopped:
		return StateFailed
	case f.Health == resource.Pending:
		return StateCreating
	}
	return StateRunning
}
