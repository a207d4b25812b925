package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
