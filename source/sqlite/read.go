package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/internal/budget"
)

// rows reads the table, sorted by name.
func (t *Table) rows(ctx context.Context) (out []row, err error) {
	err = t.read(ctx, func(db *sql.DB) error {
		out, err = t.readRows(ctx, db)
		return err
	})
	return out, err
}

// querier is a database, or a transaction of it.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// readRows reads the rows, in one statement: they are of one moment.
func (t *Table) readRows(ctx context.Context, db querier) (out []row, err error) {
	b, ctx, done := budget.New(ctx, "reading the table clusters", budget.Limits{Bytes: maxBytes, Time: t.opts.Time})
	defer done()
	defer func() { err = t.spent(ctx, err) }()
	have, err := t.columns(ctx, db)
	if err != nil {
		return nil, err
	}
	if err := t.complete(have); err != nil {
		return nil, err
	}
	fields := make([]string, 0, 2*columns)
	for _, name := range declared() {
		if have[name] {
			fields = append(fields, "typeof("+name+")", "CAST("+name+" AS TEXT)") // whatever the column's type
		} else {
			fields = append(fields, "'text'", "'"+added()[name]+"'")
		}
	}
	// It grows with the age of the rows: the number that SQLite gives a new row. A view, and a table without these
	// numbers, have none.
	since := "0"
	err = each(ctx, db, "SELECT 1 FROM pragma_table_list WHERE name = 'clusters' AND type = 'table' AND NOT wr",
		func(func(...any) error) error {
			since = "rowid"
			return nil
		})
	if err != nil {
		return nil, err
	}
	fields = append(fields, since)
	err = each(ctx, db, "SELECT "+strings.Join(fields, ", ")+" FROM clusters ORDER BY CAST(name AS TEXT)",
		func(scan func(...any) error) error {
			var texts [columns]sql.NullString
			r := row{n: len(out) + 1}
			into := make([]any, 0, 2*columns+1)
			for i := range r.cells {
				into = append(into, &r.cells[i].Type, &texts[i])
			}
			if err := scan(append(into, &r.since)...); err != nil {
				return err
			}
			for i := range texts {
				r.cells[i].Text = texts[i].String
			}
			if r.cells[columnDesired].Type == "null" { // as Kindler's scripts read it
				r.cells[columnDesired] = cell{"text", Present}
			}
			out = append(out, r)
			return spend(b, len(out), &r)
		})
	return out, err
}

// each runs do for every row of a query.
func each(ctx context.Context, db querier, query string, do func(scan func(...any) error) error,
	args ...any,
) (err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Err(), rows.Close()) }()
	for rows.Next() {
		if err := do(rows.Scan); err != nil {
			return err
		}
	}
	return nil
}

// columns lists the columns of the table.
func (t *Table) columns(ctx context.Context, db querier) (map[string]bool, error) {
	have := map[string]bool{}
	err := each(ctx, db, "SELECT lower(name) FROM pragma_table_info('clusters')", func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		have[name] = true
		return err
	})
	return have, err
}

// added are the columns that files of an older form lack, with their defaults: the reporter adds them
// as Kindler does, and until then they have the default.
func added() map[string]string {
	return map[string]string{
		"server_ip": "", "desired_state": Present, "actual_state": "unknown",
		"last_reconciled_at": "", "reconcile_error": "",
	}
}

// complete refuses a database without the table, or one that was never Kindler's.
func (t *Table) complete(have map[string]bool) error {
	if len(have) == 0 {
		return t.wrong("the database has no table clusters",
			"name the database with the table clusters: see docs/clusters.md")
	}
	var missing []string
	for _, name := range declared() {
		if _, old := added()[name]; !have[name] && !old {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return t.wrong(fmt.Sprintf("the table clusters has no column %s", strings.Join(missing, ", ")),
			"use the table that docs/clusters.md shows")
	}
	return nil
}
