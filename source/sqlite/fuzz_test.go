package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/sqlite"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// FuzzRow reads a row with any values of any types, beside one that is right: an intent or problems
// with positions come of them, the same each time, and never a panic.
func FuzzRow(f *testing.F) {
	f.Add("dev", "kind", "", "18090", int64(18443), 1.5, []byte{0}, "present", uint8(0))
	f.Add("devops", "k3d", "10.101.0.0/16", "", int64(-1), 0.0, []byte(nil), "absent", uint8(0xff))
	f.Add("a", "k3d", "10.101.0.0/33", "99999999999999999999", int64(1)<<62, 1e300, []byte("\xff"), "paused", uint8(0x0f))
	f.Add("Name\x00", "", "::1/128", "x", int64(20000), math.Copysign(0, -1), []byte("x"), "", uint8(0xaa))
	path := filepath.Join(f.TempDir(), "clusters.db")
	sqlitetest.Exec(f, path, "PRAGMA journal_mode=memory", "PRAGMA synchronous=off",
		"CREATE TABLE clusters (name, provider, subnet, node_port, pf_port, http_port, https_port, desired_state)")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	s := sqlite.New(path, options())
	f.Fuzz(func(t *testing.T, name, provider, subnet, port string, number int64, float float64, blob []byte, state string,
		null uint8,
	) {
		values := []any{name, provider, subnet, port, number, float, blob, state}
		for i := range values {
			if null&(1<<i) != 0 {
				values[i] = nil
			}
		}
		for _, q := range []string{
			"DELETE FROM clusters",
			"INSERT INTO clusters VALUES ('right', 'kind', NULL, NULL, NULL, 20000, NULL, 'present')",
		} {
			if _, err := db.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := db.Exec("INSERT INTO clusters VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values...); err != nil {
			t.Skip(err)
		}
		in, err := source.Load(context.Background(), s)
		var problems source.Problems
		if err != nil && (!errors.As(err, &problems) || len(problems) == 0) {
			t.Fatalf("neither an intent nor problems: %v, %v", in, err)
		}
		for _, p := range problems {
			if p.Summary == "" || p.Suggestion == "" || p.At.Cell == "" {
				t.Fatalf("a bad problem: %+v", p)
			}
		}
		again, err2 := source.Load(context.Background(), s)
		if diff := cmp.Diff(in, again); diff != "" || (err == nil) != (err2 == nil) || err != nil &&
			err.Error() != err2.Error() {
			t.Fatalf("two loads differ: %s\n%v\n%v", diff, err, err2)
		}
	})
}
