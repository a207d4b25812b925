package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// TestScripts runs each promise as a user would type it. A script is an archive: commands
// first, then the files they use.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, params(t, "testdata/script"))
}

func params(t *testing.T, dir string) testscript.Params {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	staff, states := &crew{}, t.TempDir()
	t.Cleanup(func() { staff.end(t) })
	return testscript.Params{
		Condition: where(false),
		Dir:       dir, UpdateScripts: *update, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			e.Setenv("USER", "ada")
			e.Setenv("XDG_STATE_HOME", filepath.Join(states, filepath.Base(e.WorkDir)))
			e.Setenv("GORACE", raceOptions())
			// A weekday on which no window of a test can be open now, wherever now is.
			e.Setenv("FARDAY", strings.ToLower(time.Now().Add(72 * time.Hour).Weekday().String()[:3]))
			e.Setenv("OVI_SANDBOX_SETTLE", "50ms")
			e.Setenv("AMI", "ami-0a1b2c3d4e5f60718") // of the sandbox
			// Nothing of the machine's own accounts.
			e.Setenv("AWS_EC2_METADATA_DISABLED", "true")
			e.Setenv("AWS_CONFIG_FILE", os.DevNull)
			e.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"ovi": staff.inside, "code": staff.code, "until": staff.until, "grow": grow, "written": written, "elsewhere": elsewhere, "bindings": bindings(), "capture": capture, "sql": sqlDo, "rows": sqlRows, "hand": hand, "bucket": bucket, "renumbered": renumbered},
	}
}

// capture keeps what the group of a pattern matches in the last output: capture ID '(i-[0-9a-f]+)'.
func capture(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: capture NAME PATTERN")
	}
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	found := pattern.FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("no match of %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// grow makes the log of a data directory, or adds to it, as it was filled a hundred days ago over
// several segments, which are small here: grow .ovi. It begins with a blessing of ec2/old.
func grow(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: grow DIR")
	}
	then := time.Now().Add(-100 * 24 * time.Hour)
	l, err := local.Open(context.Background(), ledger.Config{
		Dir: ts.MkAbs(args[0]), User: "eve", Clock: func() time.Time { return then }, Home: logHome(ts.Getenv("XDG_STATE_HOME")),
		LogOptions: []wal.Option{wal.WithSegmentSize(64 << 10), wal.WithPrefill(0), wal.WithoutCompression()},
	})
	ts.Check(err)
	old := resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: "ec2", Name: "old"}
	_, err = l.Record(context.Background(), event.Blessed{Ref: old, On: true, Who: "eve", Reason: "data"})
	ts.Check(err)
	for i := range 300 {
		_, err := l.Record(context.Background(), event.Loaded{Stack: "past", Version: fmt.Sprintf("%0900d", i)})
		ts.Check(err)
	}
	ts.Check(l.Close())
}

// elsewhere makes a record of an account of AWS: elsewhere DIR.
func elsewhere(ts *testscript.TestScript, _ bool, args []string) {
	l, err := local.Open(context.Background(), ledger.Config{
		Dir: ts.MkAbs(args[0]), User: "eve", Home: logHome(ts.Getenv("XDG_STATE_HOME")),
	})
	ts.Check(err)
	there := resource.Scope{Provider: "aws", Location: "123456789012/us-east-1"}
	_, err = l.RecordObservation(context.Background(), resource.LiveState{
		Scopes: map[resource.Scope]resource.Snapshot{there: {Scope: there, At: time.Now()}},
	}, ledger.ObservationOptions{})
	ts.Check(err)
	ts.Check(l.Close())
}

// written waits until a process that runs beside the script has written a match to a
// file: written PATTERN FILE.
func written(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: written PATTERN FILE")
	}
	pattern, err := regexp.Compile(args[0])
	ts.Check(err)
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		text, err := os.ReadFile(ts.MkAbs(args[1]))
		if err == nil && pattern.Match(text) {
			return
		}
		if time.Since(start) > never {
			ts.Fatalf("%s has no match of %q within %s: %v\n%s", args[1], args[0], never, err, text)
		}
	}
}
