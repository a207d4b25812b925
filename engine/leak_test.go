package engine_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider/fake"
)

// TestNoGoroutineIsLeft: an apply with every type of result leaves no goroutine running.
func TestNoGoroutineIsLeft(t *testing.T) {
	b := newBench(t)
	want := wants(network("main"), server("a", "main"), disk("d", 20), disk("e", 20))
	b.cloud.Break(fake.Faults{Before: fake.Any(fake.Every(fake.Create, ref("disk", "d"), fake.ErrConfiguration), fake.Nth(fake.Create, 2, fake.ErrThrottled))})
	b.apply(want)
	b.cloud.Break(fake.Faults{})
	b.apply(want)
	b.settled(want)
	b.stop()
	var left string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if left = running(); left == "" {
			return
		}
	}
	t.Errorf("still running:\n%s", left)
}

// running returns the stacks of goroutines in ovi's code, except the test itself.
func running() string {
	buf := make([]byte, 1<<20)
	var out []string
	for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(g, "ovi-project/ovi/") && !strings.Contains(g, "_test.running") && !strings.Contains(g, "_test.TestMain") {
			out = append(out, g)
		}
	}
	return strings.Join(out, "\n\n")
}
