package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/ovi-project/ovi/internal/needs"
)

// TestDiskFull fills a small file system during an apply, at several moments. The apply ends with
// an error that names the cause; while the disk is full everything can be read; once there is
// space the next apply does the rest, and nothing exists twice.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	needs.Root(t, "mounting a small file system")
	var refused atomic.Int32
	for _, left := range []int64{0, 4, 12, 24, 48, 96} {
		t.Run(fmt.Sprintf("%d kB left", left), func(t *testing.T) {
			t.Parallel()
			if fullApply(t, left<<10) {
				refused.Add(1)
			}
		})
	}
	t.Cleanup(func() { t.Logf("%d applies ended at a full disk", refused.Load()) })
}

// small is a folder whose data directory is on a file system of its own; its sandbox is not.
func small(t *testing.T) (dir string, run func(args ...string) *exec.Cmd) {
	dir = t.TempDir()
	rec := filepath.Join(dir, "rec")
	if err := os.Mkdir(rec, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", rec, "tmpfs", 0, "size=4m,mode=0700"); err != nil {
		needs.Missing(t, "a tmpfs cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(rec, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir, func(args ...string) *exec.Cmd {
		cmd := ovi(t, dir, append(args, "--data-dir", "rec")...)
		cmd.Env = append(cmd.Env, "OVI_SANDBOX_FILE="+filepath.Join(dir, ".ovi", "sandbox", "aws.json"), "OVI_SANDBOX_SETTLE=20ms")
		return cmd
	}
}

func fullApply(t *testing.T, left int64) (refused bool) {
	dir, run := small(t)
	good := func(args ...string) string {
		t.Helper()
		out, err := run(args...).CombinedOutput()
		if err != nil {
			t.Fatalf("ovi %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	writeConfig(t, dir, faultBefore)
	good("apply", "--sandbox", "--auto-approve", "--quiet")
	ballast := fill(t, filepath.Join(dir, "rec"), left)
	writeConfig(t, dir, fifty)
	out, err := run("apply", "--sandbox", "--auto-approve").CombinedOutput()
	refused = err != nil
	said := strings.Join(strings.Fields(string(out)), " ") // it is wrapped
	if refused && (!strings.Contains(said, "rec/") || !strings.Contains(said, "no space left") || !strings.Contains(said, "Suggestion: free some space and run the same command again")) {
		t.Errorf("it does not say what is wrong and what to do:\n%s", out)
	}
	for _, args := range [][]string{{"status", "--sandbox"}, {"audit", "log"}, {"audit", "verify"}, {"history", "ec2/kept", "--sandbox"}, {"claims"}} {
		good(args...)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	good("apply", "--sandbox", "--auto-approve", "--quiet", "--lock-timeout", "2m")
	want := map[string]int{"ec2/kept t3.micro": 1, "s3/small-old ": 1}
	for i := range 50 {
		want[fmt.Sprintf("ec2/web-%d t3.micro", i)] = 1
	}
	counts, _ := managed(t, dir)
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("after there was room again (-want +got):\n%s", diff)
	}
	good("audit", "verify")
	if said := good("audit", "replay"); !strings.Contains(said, "Equal") {
		t.Error(said)
	}
	return refused
}

// fill writes a file until so many bytes are left.
func fill(t *testing.T, dir string, left int64) string {
	t.Helper()
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "ballast")
	if err := os.WriteFile(name, make([]byte, int64(s.Bavail)*s.Bsize-left), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
