package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const oneServer = `version: v1
provider: aws
region: us-east-1
stack: one
resources:
  - {type: ec2, name: web, size: t3.micro}
`

// recorded is a folder with one server made and on record.
func recorded(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeConfig(t, dir, oneServer)
	must(t, dir, "apply", "--sandbox", "--auto-approve", "--quiet")
	return dir
}

// spoil changes a file of the data directory.
func spoil(t *testing.T, dir, name string, change func([]byte) []byte) {
	t.Helper()
	path := filepath.Join(dir, ".ovi", name)
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const segment = "wal/000000000001.wal"

func TestATornTailIsCutAndReported(t *testing.T) {
	t.Parallel()
	dir := recorded(t)
	spoil(t, dir, segment, func(b []byte) []byte {
		return append(bytes.TrimRight(b, "\x00"), bytes.Repeat([]byte{0x55}, 300)...)
	})
	if out := must(t, dir, "plan", "--sandbox"); !strings.Contains(out, "Warning: cut 300 bytes") || !strings.Contains(out, "No changes") {
		t.Errorf("the tear is not reported:\n%s", out)
	}
	if out := must(t, dir, "plan", "--sandbox"); strings.Contains(out, "Warning") {
		t.Errorf("it is reported twice:\n%s", out)
	}
	must(t, dir, "audit", "verify")
}

// TestADamagedStoreHasAWayBack: nothing is done with a damaged store, the error says what to
// do, and doing that brings all of it back.
func TestADamagedStoreHasAWayBack(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func([]byte) []byte{
		"a flipped bit": func(b []byte) []byte { b[20] ^= 0x40; return b },
		"cut short":     func(b []byte) []byte { return b[:len(b)/4] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := recorded(t)
			spoil(t, dir, "store.db", change)
			out, err := ovi(t, dir, "apply", "--sandbox", "--auto-approve").CombinedOutput()
			if err == nil || exitText(err) != "1" || !strings.Contains(string(out), "\n  Suggestion: rebuild the store from the audit log") {
				t.Fatalf("it ended with %v:\n%s", err, out)
			}
			must(t, dir, "audit", "replay", "--repair")
			if out := must(t, dir, "plan", "--sandbox", "--detailed-exitcode"); !strings.Contains(out, "No changes. 1 unchanged") {
				t.Errorf("after the repair:\n%s", out)
			}
		})
	}
}

func TestADamagedLogStopsEverything(t *testing.T) {
	t.Parallel()
	dir := recorded(t)
	spoil(t, dir, segment, func(b []byte) []byte { b[2000] ^= 0x40; return b })
	for _, args := range [][]string{{"plan", "--sandbox"}, {"apply", "--sandbox", "--auto-approve"}, {"status"}, {"audit", "verify"}} {
		out, err := ovi(t, dir, args...).CombinedOutput()
		if err == nil || exitText(err) != "1" || !strings.Contains(string(out), "000000000001.wal") || !strings.Contains(string(out), "\n  Suggestion: ") {
			t.Errorf("ovi %s ended with %v:\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// TestARecordThatCannotBeWritten: a data directory that cannot be written stops an apply before
// anything is created.
func TestARecordThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeConfig(t, dir, oneServer)
	data := filepath.Join(dir, ".ovi")
	if err := os.Mkdir(data, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // may write in spite of the mode
		mountReadOnly(t, data)
	}
	out, err := ovi(t, dir, "apply", "--sandbox", "--auto-approve").CombinedOutput()
	if err == nil || exitText(err) != "1" || !strings.Contains(string(out), "make the data directory writable") {
		t.Errorf("it ended with %v:\n%s", err, out)
	}
}
