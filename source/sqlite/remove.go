package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Row is what a row declares, for a command that shows or removes rows.
type Row struct {
	Name, Provider, Desired string
	Wrong                   string // the first error of the row, in a few words
}

// Rows lists the rows by name, without the reserved one.
func (t *Table) Rows(ctx context.Context) ([]Row, error) {
	rows, err := t.rows(ctx)
	var out []Row
	wrong := wrongRows(rows)
	for i := range rows {
		if r := &rows[i]; r.name() != Reserved {
			out = append(out, Row{
				Name: cmp.Or(r.name(), r.label()), Provider: r.text(columnProvider), Desired: r.text(columnDesired),
				Wrong: wrong[i],
			})
		}
	}
	return out, err
}

// ErrChanged means that a row is no longer what it was when its removal was decided.
var ErrChanged = errors.New("the row has changed")

// Remove deletes rows, all or none of them. keep is given the statement of SQL that inserts the
// rows again, and must have made it durable when it returns; its error keeps the rows. A row that
// declares something else by now is ErrChanged.
func (t *Table) Remove(ctx context.Context, rows []Row, keep func(undo string) error) error {
	return t.write(ctx, func(tx *sql.Tx) error {
		names, err := allColumns(ctx, tx)
		if err != nil {
			return err
		}
		var undo strings.Builder
		for _, r := range rows {
			text, err := inserting(ctx, tx, names, r)
			if err != nil {
				return err
			}
			undo.WriteString(text + "\n")
		}
		if err := keep(undo.String()); err != nil {
			return err
		}
		for _, r := range rows {
			if _, err := tx.ExecContext(ctx, "DELETE FROM clusters WHERE name = ?", r.Name); err != nil {
				return err
			}
		}
		return nil
	})
}

// allColumns lists the columns of the table, quoted.
func allColumns(ctx context.Context, db querier) ([]string, error) {
	var out []string
	err := each(ctx, db, "SELECT name FROM pragma_table_info('clusters')", func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		out = append(out, `"`+strings.ReplaceAll(name, `"`, `""`)+`"`)
		return err
	})
	return out, err
}

// inserting is the statement that inserts a row as it is now.
func inserting(ctx context.Context, db querier, columns []string, r Row) (string, error) {
	values := make([]string, len(columns))
	quoted := make([]string, len(columns))
	into := make([]any, len(columns))
	for i, c := range columns {
		quoted[i], into[i] = "quote("+c+")", &values[i]
	}
	found := 0
	desired := "desired_state"
	if !strings.Contains(strings.ToLower(strings.Join(columns, " ")), `"desired_state"`) {
		desired = "'" + Present + "'" // of a file of an older form
	}
	err := each(ctx, db, "SELECT "+strings.Join(quoted,
		", ")+" FROM clusters WHERE name = ? AND provider = ? AND "+desired+" = ?",
		func(scan func(...any) error) error {
			found++
			return scan(into...)
		}, r.Name, r.Provider, r.Desired)
	if err != nil {
		return "", err
	}
	if found != 1 {
		return "", fmt.Errorf("row %s: %w", r.Name, ErrChanged)
	}
	return "INSERT INTO clusters (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(values, ", ") + ");", nil
}
