package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

// exitText is the exit code of a command that ended with an error.
func exitText(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return strconv.Itoa(exit.ExitCode())
	}
	return err.Error()
}

// hangs is when a process hangs, however busy the machine is: no test lets one run for so long.
const hangs = 30 * time.Minute

// bounded is a command that says where it is and ends once it hangs. Without a limit, the test would wait until that of
// the package, which hides what it waited for behind the stacks of all tests.
func bounded(t *testing.T, path string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hangs)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) } // Go prints its stacks
	cmd.WaitDelay = time.Minute
	return cmd
}

// ovi runs this test binary as ovi.
func ovi(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("ovi") // where TestMain put it
	if err != nil {
		t.Fatal(err)
	}
	cmd := bounded(t, path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OVI_SANDBOX_SETTLE=100ms", "OVI_DATA_DIR=", "USER=ada", "AWS_REGION=", "AWS_DEFAULT_REGION=", "GORACE="+raceOptions(),
		"XDG_STATE_HOME="+filepath.Join(os.Getenv("XDG_STATE_HOME"), url.PathEscape(dir)))
	return cmd
}

// copyTo copies a folder with its data directory, which the state home of the copy does not know.
func copyTo(t *testing.T, to, from string) {
	t.Helper()
	err := os.CopyFS(to, os.DirFS(from))
	if err == nil {
		err = filepath.WalkDir(filepath.Join(to, ".ovi"), func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) { // nothing was applied there
				return nil
			}
			if err != nil {
				return err
			}
			return os.Chmod(path, map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()])
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// must runs ovi, which must exit with 0.
func must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := ovi(t, dir, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("ovi %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func writeConfig(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "ovi.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// instances counts the live instances of the sandbox by name.
func instances(t *testing.T, dir string) map[string]int {
	t.Helper()
	cloud, err := sandbox.Open(filepath.Join(dir, ".ovi", "sandbox", "aws.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer cloud.Close()
	all, err := cloud.Resources()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, x := range all {
		if x.Kind == "ec2" && x.State != "terminated" && x.State != "shutting-down" {
			out[x.Name]++
		}
	}
	return out
}

const fifty = `version: v1
provider: aws
region: us-east-1
stack: fleet
resources:
  - type: ec2
    name: web
    count: 50
    size: t3.micro
`

// TestKilledAtAnyMoment kills an apply of 50 instances with kill -9 at random moments, each in a
// sandbox of its own, and applies once more: 50 exist, none twice, none lost, and the log
// verifies. 10 moments; OVI_KILLS=100 for the promise in full.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	kills := killsOf(t, 10)
	whole := wholeApply(t)
	for i := range kills {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			killedAt(t, time.Duration(drawn.Rand(t).Float64()*float64(whole)))
		})
	}
}

// killsOf is how many moments to try: OVI_KILLS, else as many as the test usually does.
func killsOf(t *testing.T, usual int) int {
	t.Helper()
	text := os.Getenv("OVI_KILLS")
	switch {
	case testing.Short():
		return 2
	case text == "":
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// wholeApply is how long an apply takes that is not killed.
func wholeApply(t *testing.T) time.Duration {
	dir := t.TempDir()
	writeConfig(t, dir, fifty)
	start := time.Now()
	must(t, dir, "apply", "--sandbox", "--auto-approve", "--quiet")
	whole := time.Since(start)
	t.Logf("an apply of 50 takes %s", whole.Round(time.Millisecond))
	return whole
}

func killedAt(t *testing.T, moment time.Duration) {
	dir := t.TempDir()
	writeConfig(t, dir, fifty)
	cmd := ovi(t, dir, "apply", "--sandbox", "--auto-approve", "--claim-ttl", "3s")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(moment)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	made := 0
	if _, err := os.Stat(filepath.Join(dir, ".ovi", "sandbox", "aws.json")); err == nil {
		made = len(instances(t, dir))
	}
	t.Logf("killed after %s: %d instances were there", moment.Round(time.Millisecond), made)
	must(t, dir, "apply", "--sandbox", "--auto-approve", "--lock-timeout", "2m")
	there := instances(t, dir)
	if len(there) != 50 {
		t.Errorf("killed after %s: %d instances, want 50", moment, len(there))
	}
	for name, n := range there {
		if n != 1 {
			t.Errorf("killed after %s: %s is there %d times", moment, name, n)
		}
	}
	must(t, dir, "audit", "verify")
	if out := must(t, dir, "plan", "--sandbox", "--detailed-exitcode"); !strings.Contains(out, "No changes") {
		t.Errorf("killed after %s: something is left to do:\n%s", moment, out)
	}
}

// TestTwoAppliesAtOnce lets two processes apply one file on one data directory: each thing is
// made once, and both end 0, or 5 and say who holds what.
func TestTwoAppliesAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeConfig(t, dir, fifty)
	type end struct {
		out []byte
		err error
	}
	ends := make(chan end, 2)
	for range 2 {
		cmd := ovi(t, dir, "apply", "--sandbox", "--auto-approve", "--lock-timeout", "2m")
		go func() {
			out, err := cmd.CombinedOutput()
			ends <- end{out, err}
		}()
	}
	for range 2 {
		if e := <-ends; e.err != nil && exitText(e.err) != fmt.Sprint(cli.ExitClaimed) {
			t.Errorf("%v\n%s", e.err, e.out)
		}
	}
	there := instances(t, dir)
	for name, n := range there {
		if n != 1 {
			t.Errorf("%s is there %d times", name, n)
		}
	}
	if len(there) != 50 {
		t.Errorf("%d instances, want 50", len(there))
	}
	must(t, dir, "audit", "verify")
	must(t, dir, "plan", "--sandbox", "--detailed-exitcode")
}
