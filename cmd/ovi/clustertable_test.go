package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// TestALockedDatabaseStopsNoApply: another process is writing to it the whole time. The clusters are
// created, and a warning tells that the status columns were not written.
func TestALockedDatabaseStopsNoApply(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "clusters.db")
	sqlitetest.Exec(t, path, sqlitetest.Schema(), sqlitetest.Shipped())
	other, err := sql.Open("sqlite", path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.Begin() // others can read, and not write
	if err != nil {
		t.Fatal(err)
	}
	cmd := ovi(t, dir, "apply", "--auto-approve", "clusters.db")
	cmd.Env = append(cmd.Env, "OVI_FAKE_CLUSTERS="+dir)
	out, err := cmd.CombinedOutput()
	text := strings.Join(strings.Fields(string(out)), " ")
	if err != nil || !strings.Contains(text, "6 created") || !strings.Contains(text, "the status columns of clusters.db were not written: the database is locked by another process") {
		t.Errorf("it ended with %v:\n%s", err, out)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	for _, state := range sqlitetest.Quoted(t, path, "SELECT actual_state FROM clusters") {
		if state != "unknown" {
			t.Errorf("a status was written: %s", state)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "dev.json")); err != nil {
		t.Error(err)
	}
}

// TestALockedDatabaseEndsEachCommandInTime: another process keeps it for itself for longer than ovi waits. Nothing is
// started, the exit code is that of a database that cannot be used, and the message says what to do.
func TestALockedDatabaseEndsEachCommandInTime(t *testing.T) {
	const waits, startsIn = 5 * time.Second, 10 * time.Second // what docs/clusters.md states, and what this host may need besides
	f := newTableHost(t, true)
	f.sql("UPDATE clusters SET desired_state = 'absent'")
	db, err := sql.Open("sqlite", f.file("clusters.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1) // the lock is of one connection
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	t.Run("each", func(t *testing.T) {
		for _, c := range []struct{ want, args string }{
			{"2", "cluster reconcile --prune-missing --max-prune=100% --log-file="},
			{"2", "cluster reconcile loop --once --log-file="},
			{"2", "cluster verify --cleanup-missing --max-prune=100%"},
			{"2", "cluster consistency"},
			{"1", "plan clusters.db"},
			{"1", "apply --auto-approve clusters.db"},
			{"1", "adopt clusters.db --existing"},
			{"1", "destroy --auto-approve clusters.db"},
		} {
			t.Run(c.args, func(t *testing.T) {
				t.Parallel()
				cmd := ovi(t, f.dir, strings.Fields(c.args)...)
				cmd.Env = append(cmd.Env, "OVI_FAKE_CLUSTERS="+f.dir)
				started := time.Now()
				out := strings.Join(strings.Fields(inShell(t, c.want, cmd)), " ")
				if took := time.Since(started); took < waits || took > waits+startsIn {
					t.Errorf("it ended after %v", took)
				}
				for _, part := range []string{"the database is locked by another process, for more than 5s", "run the command again when nothing writes to it"} {
					if !strings.Contains(out, part) {
						t.Errorf("it does not say %q:\n%s", part, out)
					}
				}
			})
		}
	})
	for _, name := range shippedNames[1:] {
		if !f.exists(name) {
			t.Errorf("%s was deleted", name)
		}
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shippedNames, f.names()); diff != "" {
		t.Errorf("rows were deleted:\n%s", diff)
	}
}
