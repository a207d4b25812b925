package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ovi-project/ovi/internal/drawn"
)

// ages differ between two runs of a command on one data directory, with the columns they widen.
var ages = regexp.MustCompile(`\d+(\.\d+)?(ms|s|m|h|d)\b|just now|now| +`)

// theStore is the store by name, not a part of "restore".
var theStore = regexp.MustCompile(`(?:AGO|\b)store`)

// TestAFlippedBitIsNamed flips single bits in the store and in the log and runs the commands
// that read them: each shows what it showed before, or ends with an error that names the file
// and what to do. Never wrong output, never a panic. A damaged log is found by `audit verify`,
// a damaged store is replaced by `audit replay --repair`. 4 flips a file; OVI_FLIPS=200 for more.
func TestAFlippedBitIsNamed(t *testing.T) {
	t.Parallel()
	flips := 4
	if text := os.Getenv("OVI_FLIPS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		flips = n
	}
	if testing.Short() {
		flips = 2
	}
	dir := t.TempDir()
	writeConfig(t, dir, faultBefore)
	must(t, dir, "apply", "--sandbox", "--auto-approve", "--quiet")
	writeConfig(t, dir, faultAfter)
	must(t, dir, "apply", "--sandbox", "--auto-approve", "--quiet")
	truth := readers(t, dir)
	draws := drawn.Rand(t)
	for _, name := range []string{"store.db", filepath.Join("wal", "000000000001.wal")} {
		whole, err := os.ReadFile(filepath.Join(dir, ".ovi", name))
		if err != nil {
			t.Fatal(err)
		}
		written := len(bytes.TrimRight(whole, "\x00")) // behind it are zeros for later records
		var found atomic.Int32
		for range flips {
			at, bit := draws.IntN(written), byte(1)<<draws.IntN(8)
			t.Run(name+" byte "+strconv.Itoa(at), func(t *testing.T) {
				t.Parallel()
				own := t.TempDir()
				copyTo(t, own, dir)
				if flipped(t, own, filepath.Join(own, ".ovi", name), whole, at, bit, truth) {
					found.Add(1)
				}
			})
		}
		t.Cleanup(func() {
			t.Logf("%s: %d flips, %d found by some command, the others changed nothing that is shown", name, flips, found.Load())
		})
	}
}

type shown struct {
	out string
	err error
}

// readers runs what reads the record.
func readers(t *testing.T, dir string) map[string]shown {
	t.Helper()
	all := map[string]shown{}
	for _, line := range []string{"status --sandbox", "history ec2/kept", "why ec2/fresh", "audit log", "audit verify", "audit replay"} {
		out, err := ovi(t, dir, strings.Fields(line)...).CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		all[line] = shown{ages.ReplaceAllString(strings.ReplaceAll(string(out), dir, "DIR"), "AGO"), err}
	}
	return all
}

func flipped(t *testing.T, dir, path string, whole []byte, at int, bit byte, truth map[string]shown) (found bool) {
	must(t, dir, "audit", "log") // notes the copy, whose log is not checked as far otherwise
	damaged := bytes.Clone(whole)
	damaged[at] ^= bit
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Base(path)
	for line, got := range readers(t, dir) {
		switch {
		case strings.Contains(got.out, "panic:") || strings.Contains(got.out, "goroutine "):
			t.Errorf("ovi %s fell over:\n%s", line, got.out)
		case got.err == nil && got.out != truth[line].out:
			t.Errorf("ovi %s is silently wrong:\n%s\nwas:\n%s", line, got.out, truth[line].out)
		case got.err != nil:
			found = true
			if !strings.Contains(got.out, file) && !theStore.MatchString(got.out) || !strings.Contains(got.out, "Suggestion:") {
				t.Errorf("ovi %s does not name %s or what to do:\n%s", line, file, got.out)
			}
		}
	}
	if file == "store.db" {
		must(t, dir, "audit", "replay", "--repair")
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	for line, got := range readers(t, dir) {
		if got.err != nil {
			t.Errorf("ovi %s after the file was brought back: %v\n%s", line, got.err, got.out)
		}
	}
	return found
}
