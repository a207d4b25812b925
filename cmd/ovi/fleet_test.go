package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/needs"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// TestTheCycleOfTheFleet runs the example twice with the fake engine: six clusters each time, also from
// the first one's, and a run that fails ends the script.
func TestTheCycleOfTheFleet(t *testing.T) {
	t.Parallel()
	needs.Program(t, "sqlite3")
	script, err := filepath.Abs("../../examples/fleet/cycle.sh")
	if err != nil {
		t.Fatal(err)
	}
	f := tableHost{t, t.TempDir()}
	report := f.file("docs/TEST_REPORT.md")
	if err := os.Mkdir(filepath.Dir(report), 0o700); err != nil {
		t.Fatal(err)
	}
	run := func() (string, error) {
		cmd := ovi(t, f.dir)
		cmd.Env = append(cmd.Env, "OVI_FAKE_CLUSTERS="+f.dir, "OVI="+cmd.Path)
		cmd.Path, cmd.Args = script, []string{script, "clusters.db"}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for range 2 {
		out, err := run()
		if err != nil || !strings.Contains(out, `DB_VERIFY_SUMMARY={"total":6,"missing":0,"drift":0`) || !strings.Contains(out, `CONSISTENCY_SUMMARY={"consistent":true`) {
			t.Fatalf("%v:\n%s", err, out)
		}
	}
	if states := sqlitetest.Quoted(t, f.file("clusters.db"), "SELECT DISTINCT actual_state FROM clusters"); strings.Join(states, " ") != "running" {
		t.Errorf("states %v", states)
	}
	if b, err := os.ReadFile(report); strings.Count(string(b), "6 clusters declared, 6 healthy") != 2 {
		t.Errorf("the report: %v\n%s", err, b)
	}
	f.sql("DELETE FROM clusters WHERE name = 'uat'")
	f.touch(".vanish-dev")
	out, err := run()
	if err == nil || strings.Contains(out, "== validate") {
		t.Errorf("a cluster never appears, and the script goes on: %v\n%s", err, out)
	}
}

// TestTheScriptsOfTheFleetAreSound: shellcheck finds nothing in them.
func TestTheScriptsOfTheFleetAreSound(t *testing.T) {
	t.Parallel()
	check := needs.Program(t, "shellcheck")
	if out, err := exec.Command(check, "../../examples/fleet/cycle.sh", "../../examples/fleet/management.sh").CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}
