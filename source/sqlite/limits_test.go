package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/sqlite"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// never are views that take the place of the table, and whose query does not end.
var never = map[string]string{
	"a filter": "CREATE VIEW clusters AS SELECT * FROM c2 WHERE (WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL " +
		"SELECT x+1 FROM r WHERE x<10000000000) SELECT count(*) FROM r)>0",
	"a product": "CREATE VIEW clusters AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM r) " +
		"SELECT c2.* FROM c2, r",
}

// TestATableThatNeverEndsIsAnError reads views whose query does not end. The reading ends with its time.
func TestATableThatNeverEndsIsAnError(t *testing.T) {
	for name, view := range never {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			table(t, dir, sqlitetest.Schema(), sqlitetest.Shipped(), "ALTER TABLE clusters RENAME TO c2", view)
			o := options()
			o.Time = 200 * time.Millisecond
			refused(t, sqlite.New(filepath.Join(dir, "clusters.db"), o),
				"reading the table clusters takes longer than 200ms", "not a view")
		})
	}
}

// TestAnInterruptEndsAReading cancels a reading that does not end.
func TestAnInterruptEndsAReading(t *testing.T) {
	dir := t.TempDir()
	s := table(t, dir, sqlitetest.Schema(), sqlitetest.Shipped(), "ALTER TABLE clusters RENAME TO c2", never["a filter"])
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := source.Load(ctx, s)
	if err == nil || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	var problems source.Problems
	if errors.As(err, &problems) {
		t.Errorf("an interrupt is a problem of the database: %v", err)
	}
}

// TestAHugeValueIsAnError reads a value of 900 MB that the file of a few bytes makes, and one of a stored blob.
func TestAHugeValueIsAnError(t *testing.T) {
	for name, value := range map[string]string{
		"made when read": "ALTER TABLE c2 DROP COLUMN provider; CREATE VIEW clusters AS SELECT *, " +
			"hex(zeroblob(450000000)) AS provider FROM c2",
		"stored": "UPDATE c2 SET provider = zeroblob(2000000); CREATE VIEW clusters AS SELECT * FROM c2",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := table(t, dir, sqlitetest.Schema(), sqlitetest.Shipped(), "ALTER TABLE clusters RENAME TO c2", value)
			refused(t, s, "a value larger than 1 MiB")
		})
	}
}

// TestTooManyRowsAreAnError reads rows that are small, and too many.
func TestTooManyRowsAreAnError(t *testing.T) {
	dir := t.TempDir()
	table(t, dir, sqlitetest.Schema(), sqlitetest.Shipped(), "ALTER TABLE clusters RENAME TO c2",
		"CREATE VIEW clusters AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM r LIMIT 100000000) "+
			"SELECT c2.* FROM r, c2")
	o := options()
	o.Time = 300 * time.Millisecond
	refused(t, sqlite.New(filepath.Join(dir, "clusters.db"), o), "more than its budget")
}
