package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

// TestPlanTakesPagesNotCalls: planning many instances takes at most a fiftieth of the calls
// that describing each of them would.
func TestPlanTakesPagesNotCalls(t *testing.T) {
	t.Parallel()
	const n = 500 // 1,000 take the same few pages, and longer to make
	dir := t.TempDir()
	writeConfig(t, dir, strings.Replace(fifty, "count: 50", "count: 500", 1))
	must(t, dir, "apply", "--sandbox", "--auto-approve", "--quiet", "--parallelism", "100")
	before := requests(t, dir)
	must(t, dir, "plan", "--sandbox", "--detailed-exitcode")
	if calls := requests(t, dir) - before; calls > n/50 {
		t.Errorf("a plan of %d instances took %d calls, want at most %d", n, calls, n/50)
	} else {
		t.Logf("a plan of %d instances took %d calls", n, calls)
	}
}

func requests(t *testing.T, dir string) int {
	t.Helper()
	all, err := sandbox.ReadRequests(filepath.Join(dir, ".ovi", "sandbox", "aws.json"))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
