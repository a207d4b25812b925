package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/sqlite"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func facts(by map[string]source.Fact) func(resource.Ref) (source.Fact, bool) {
	return func(r resource.Ref) (source.Fact, bool) {
		f, ok := by[r.Name]
		return f, ok && r == resource.Ref{Provider: "fleet", Kind: "cluster", Name: r.Name}
	}
}

// declaredColumns are all columns that the reporter may not write, byte by byte.
const declaredColumns = "SELECT quote(id)||quote(name)||quote(provider)||quote(subnet)||quote(node_port)||quote(pf_port)||quote(http_port)||quote(https_port)||quote(created_at)||quote(updated_at) FROM clusters ORDER BY id"

const statuses = "SELECT name||' '||quote(status)||' '||quote(actual_state)||' '||quote(last_reconciled_at)||' " +
	"'||quote(reconcile_error)||' '||quote(server_ip) FROM clusters ORDER BY id"

// TestOnlyStatusColumnsAreWritten: the declared ones are the same bytes before and after, also those
// of a type that the column does not have.
func TestOnlyStatusColumnsAreWritten(t *testing.T) {
	for name, schema := range map[string]string{"new": sqlitetest.Schema(), "old": sqlitetest.Old()} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := table(t, dir, schema, sqlitetest.Shipped(),
				"UPDATE clusters SET subnet = x'0001', updated_at = '2026-01-01T10:00:00.123' WHERE name = 'dev-c'")
			path := filepath.Join(dir, "clusters.db")
			before := sqlitetest.Quoted(t, path, declaredColumns)
			err := s.Report(context.Background(), facts(map[string]source.Fact{
				"dev": {
					ID: "a", Health: resource.Healthy, Observed: noon,
					Attrs: resource.NewAttrs(resource.Attr{Name: "server_ip", Value: resource.String("10.101.0.3")}),
				},
				"uat":    {Doing: source.Creating, Observed: noon},
				"prod":   {Failure: "port 18092 is in use", Observed: noon},
				"dev-a":  {ID: "b", Doing: source.Deleting, Health: resource.Healthy},
				"dev-b":  {ID: "c", Health: resource.Stopped, Message: "exited (137)", Observed: noon},
				"dev-c":  {Observed: noon},
				"devops": {ID: "x", Health: resource.Healthy, Observed: noon},
				"other":  {ID: "y", Health: resource.Healthy, Observed: noon},
			}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, sqlitetest.Quoted(t, path, declaredColumns)); diff != "" {
				t.Errorf("declared columns were written:\n%s", diff)
			}
			const at = "'2026-11-22 12:00:00'"
			want := []string{
				"devops 'unknown' 'unknown' NULL NULL NULL",
				"dev 'running' 'running' " + at + " NULL '10.101.0.3'",
				"uat 'creating' 'creating' " + at + " NULL NULL",
				"prod 'failed' 'failed' " + at + " 'port 18092 is in use' NULL",
				"dev-a 'deleting' 'deleting' NULL NULL NULL",
				"dev-b 'failed' 'failed' " + at + " 'exited (137)' NULL",
				"dev-c 'absent' 'absent' " + at + " NULL NULL",
			}
			if diff := cmp.Diff(want, sqlitetest.Quoted(t, path, statuses)); diff != "" {
				t.Errorf("statuses (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatIsNotKnownStays: a row without a fact keeps its status.
func TestWhatIsNotKnownStays(t *testing.T) {
	dir := t.TempDir()
	s := table(t, dir, sqlitetest.Schema(), sqlitetest.Shipped(), "UPDATE clusters SET actual_state = 'running'")
	if err := s.Report(context.Background(), facts(nil)); err != nil {
		t.Fatal(err)
	}
	for _, row := range sqlitetest.Quoted(t, filepath.Join(dir, "clusters.db"), "SELECT actual_state FROM clusters") {
		if row != "running" {
			t.Errorf("got %s", row)
		}
	}
}

const everything = "SELECT quote(id)||quote(name)||quote(provider)||quote(subnet)||quote(http_port)||quote(server_ip)||quote(status)||quote(desired_state)||quote(actual_state)||quote(last_reconciled_at)||quote(reconcile_error)||quote(created_at)||quote(updated_at) FROM clusters ORDER BY id"

// TestRemovedRowsCanBeInsertedAgain: the statements of the journal restore every byte.
func TestRemovedRowsCanBeInsertedAgain(t *testing.T) {
	dir := t.TempDir()
	s := table(t, dir, sqlitetest.Schema(), sqlitetest.Shipped(),
		"UPDATE clusters SET desired_state = 'absent', reconcile_error = 'it''s gone'||char(10), subnet = x'0001' WHERE "+
			"name IN ('dev', 'uat')")
	path := filepath.Join(dir, "clusters.db")
	before := sqlitetest.Quoted(t, path, everything)
	var journal string
	err := s.Remove(context.Background(),
		[]sqlite.Row{{Name: "dev", Provider: "k3d", Desired: "absent"}, {Name: "uat", Provider: "k3d", Desired: "absent"}},
		func(undo string) error {
			journal = undo
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if rows := sqlitetest.Quoted(t, path, everything); len(rows) != len(before)-2 {
		t.Errorf("%d rows after removing 2 of %d", len(rows), len(before))
	}
	sqlitetest.Exec(t, path, journal)
	if diff := cmp.Diff(before, sqlitetest.Quoted(t, path, everything)); diff != "" {
		t.Errorf("the journal does not restore the rows:\n%s", diff)
	}
}

// TestNoRowIsRemovedWithoutItsJournal: nor one that declares something else by now, nor a part of them.
func TestNoRowIsRemovedWithoutItsJournal(t *testing.T) {
	dir := t.TempDir()
	s := table(t, dir, sqlitetest.Schema(), sqlitetest.Shipped(),
		"UPDATE clusters SET desired_state = 'absent' WHERE name = 'dev'")
	path := filepath.Join(dir, "clusters.db")
	before := sqlitetest.Quoted(t, path, everything)
	dev := sqlite.Row{Name: "dev", Provider: "k3d", Desired: "absent"}
	full := errors.New("the disk is full")
	if err := s.Remove(context.Background(), []sqlite.Row{dev}, func(string) error { return full }); !errors.Is(err,
		full) {
		t.Errorf("got %v", err)
	}
	err := s.Remove(context.Background(), []sqlite.Row{dev, {Name: "uat", Provider: "k3d", Desired: "absent"}},
		func(string) error { return nil })
	if !errors.Is(err, sqlite.ErrChanged) || !strings.Contains(err.Error(), "uat") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, sqlitetest.Quoted(t, path, everything)); diff != "" {
		t.Errorf("rows were removed:\n%s", diff)
	}
}
