package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/internal/needs"
)

const faultBefore = `version: v1
provider: aws
region: us-east-1
stack: small
resources:
  - {type: ec2, name: kept, size: t3.micro}
  - {type: s3, name: small-old}
`

const faultAfter = `version: v1
provider: aws
region: us-east-1
stack: small
resources:
  - {type: ec2, name: kept, size: t3.small}
  - {type: ec2, name: fresh, size: t3.micro}
  - {type: s3, name: small-fresh}
`

func faultDesired() map[string]int {
	return map[string]int{"ec2/kept t3.small": 1, "ec2/fresh t3.micro": 1, "s3/small-fresh ": 1}
}

// faultCalls are the system calls that fail, and with what.
func faultCalls() map[string][]string {
	return map[string][]string{
		"pwrite64": {"EIO", "ENOSPC"}, "write": {"EIO", "ENOSPC"}, "fdatasync": {"EIO", "ENOSPC"}, "fsync": {"EIO", "ENOSPC"},
		"ftruncate": {"EIO", "ENOSPC"}, "openat": {"EIO", "ENOSPC"}, "mkdirat": {"EIO", "ENOSPC"}, "linkat": {"EIO", "ENOSPC"},
		"renameat": {"EIO", "ENOSPC"}, "unlinkat": {"EIO"}, "getdents64": {"EIO"}, "pread64": {"EIO"}, "newfstatat": {"EIO"},
		"fstat": {"EIO"}, "flock": {"EIO"}, "fcntl": {"EIO"},
	}
}

// TestAnySystemCallFails lets strace fail the k-th call of each kind that an apply makes, once
// (EIO) and from then on (ENOSPC). The apply must report nothing false and leave log and store
// readable, and the next one must finish. strace counts for each thread, so that sometimes two
// calls fail in one run. About 17 random calls; OVI_FAULTS=all for every k.
func TestAnySystemCallFails(t *testing.T) {
	t.Parallel()
	strace := needs.Program(t, "strace")
	if testing.Short() {
		t.Skip("takes a while")
	}
	base := t.TempDir()
	writeConfig(t, base, faultBefore)
	must(t, base, "apply", "--sandbox", "--auto-approve", "--quiet")
	draws := drawn.Rand(t)
	for _, begin := range []string{"the first apply", "a later apply"} {
		from := base
		if begin == "the first apply" {
			from = t.TempDir()
		}
		counts := callsOf(t, strace, from)
		var hits, runs atomic.Int32
		faults := faultCalls()
		for _, call := range slices.Sorted(maps.Keys(faults)) {
			for _, errno := range faults[call] {
				for _, k := range sampled(draws, counts[call]) {
					runs.Add(1)
					t.Run(fmt.Sprintf("%s/%s %d %s", begin, call, k, errno), func(t *testing.T) {
						t.Parallel()
						if failedApply(t, strace, from, call, errno, k) {
							hits.Add(1)
						}
					})
				}
			}
		}
		t.Cleanup(func() {
			t.Logf("%s: %d runs, in %d of them the call failed", begin, runs.Load(), hits.Load())
		})
	}
}

// sampled are the calls that are made to fail, of n: all, or one in a third of the draws.
func sampled(draws *rand.Rand, n int) (out []int) {
	if os.Getenv("OVI_FAULTS") != "all" {
		if n == 0 || draws.IntN(3) > 0 {
			return nil
		}
		return []int{1 + draws.IntN(n)}
	}
	for k := 1; k <= n; k++ {
		out = append(out, k)
	}
	return out
}

func straced(t *testing.T, strace, dir, trace, ttl string, flags ...string) *exec.Cmd {
	cmd := ovi(t, dir, "apply", "--sandbox", "--auto-approve", "--claim-ttl", ttl, "--lock-timeout", "30s")
	args := append([]string{strace, "-f", "--seccomp-bpf", "-qq", "-o", trace}, flags...)
	cmd.Args = append(append(args, cmd.Path), cmd.Args[1:]...)
	cmd.Path = strace
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1", "OVI_SANDBOX_SETTLE=20ms")
	return cmd
}

func copyOf(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	copyTo(t, dir, from)
	writeConfig(t, dir, faultAfter)
	return dir
}

// callsOf counts how often the busiest thread of an apply makes each call.
func callsOf(t *testing.T, strace, from string) map[string]int {
	t.Helper()
	dir, trace := copyOf(t, from), filepath.Join(t.TempDir(), "trace")
	if out, err := straced(t, strace, dir, trace, "1m", "-e", "trace=desc,file").CombinedOutput(); err != nil {
		if strings.Contains(string(out), "ptrace") {
			needs.Missing(t, "strace may not trace: %s", out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	each, most := map[string]int{}, map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^(\d+) +(\w+)\(`).FindAllStringSubmatch(string(text), -1) {
		each[m[1]+m[2]]++
		most[m[2]] = max(most[m[2]], each[m[1]+m[2]])
	}
	return most
}

// runtimeFell is how Go's runtime gives up where a call of its own fails that never does but here:
// the look at the standard files before main, and the write that wakes its poller.
var runtimeFell = regexp.MustCompile(`cannot open standard fds|netpollBreak write failed`)

// saidDone is a line of an apply that says that something was made.
var saidDone = regexp.MustCompile(`(?m)^\S (\S+/\S+)  +(?:created|updated) (i-\w+)`)

func failedApply(t *testing.T, strace, from, call, errno string, k int) (hit bool) {
	dir, trace := copyOf(t, from), filepath.Join(t.TempDir(), "trace")
	when := strconv.Itoa(k)
	if errno == "ENOSPC" {
		when += "+"
	}
	out, err := straced(t, strace, dir, trace, "3s", "-e", "trace="+call, "-e", "inject="+call+":error="+errno+":when="+when).CombinedOutput()
	text, err2 := os.ReadFile(trace)
	if err2 != nil {
		t.Fatal(err2)
	}
	for _, bad := range []string{"panic:", "fatal error:", "goroutine 1 ["} {
		if bytes.Contains(out, []byte(bad)) && !runtimeFell.Match(out) {
			t.Errorf("it fell over:\n%s", out)
			break
		}
	}
	if err == nil {
		noLie(t, dir, out)
	} else if len(bytes.TrimSpace(out)) == 0 && call != "write" {
		t.Errorf("it ended with %v and said nothing", err)
	}
	afterFault(t, dir, out)
	return bytes.Contains(text, []byte("(INJECTED)"))
}

// noLie holds an apply to its word that all went well.
func noLie(t *testing.T, dir string, out []byte) {
	t.Helper()
	if counts, _ := managed(t, dir); !cmp.Equal(faultDesired(), counts) {
		t.Errorf("it ended with 0, and there is %v:\n%s", counts, out)
	}
	if said := must(t, dir, "plan", "--sandbox", "--detailed-exitcode"); !strings.Contains(said, "No changes") {
		t.Errorf("it ended with 0, and something is left to do:\n%s\n%s", out, said)
	}
}

// afterFault checks that the data directory is readable, that what was reported as done is, and that the next apply can
// do the rest.
func afterFault(t *testing.T, dir string, out []byte) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, ".ovi", "wal", "000000000001.wal")); err == nil {
		said, err := ovi(t, dir, "audit", "verify").CombinedOutput()
		if err != nil && !bytes.Contains(said, []byte("nothing is signed: the audit log has no record")) {
			t.Errorf("ovi audit verify: %v\n%s", err, said)
		}
		must(t, dir, "status", "--sandbox")
	}
	must(t, dir, "apply", "--sandbox", "--auto-approve", "--quiet", "--lock-timeout", "2m")
	counts, ids := managed(t, dir)
	if diff := cmp.Diff(faultDesired(), counts); diff != "" {
		t.Errorf("after the next apply (-want +got):\n%s\n%s", diff, out)
	}
	for _, m := range saidDone.FindAllSubmatch(out, -1) {
		if ids[string(m[1])] != string(m[2]) {
			t.Errorf("it said %q, and %s is %s now", m[0], m[1], ids[string(m[1])])
		}
	}
	must(t, dir, "audit", "verify")
	if said := must(t, dir, "audit", "replay"); !strings.Contains(said, "Equal") {
		t.Error(said)
	}
	if said := must(t, dir, "plan", "--sandbox", "--detailed-exitcode"); !strings.Contains(said, "No changes") {
		t.Errorf("something is left to do:\n%s", said)
	}
}
