package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// looked is a context that ends with its n-th use.
type looked struct {
	context.Context
	left      atomic.Int64
	interrupt context.CancelFunc
}

func interruptedAt(t *testing.T, n int) *looked {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	c := &looked{Context: ctx, interrupt: cancel}
	c.left.Store(int64(n))
	soon := time.AfterFunc(300*time.Millisecond, cancel) // it waits, and looks no more
	t.Cleanup(func() { soon.Stop() })
	c.look()
	return c
}

func (c *looked) look() {
	if c.left.Add(-1) < 0 {
		c.interrupt()
	}
}

func (c *looked) Done() <-chan struct{} {
	c.look()
	return c.Context.Done()
}

func (c *looked) Err() error {
	c.look()
	return c.Context.Err()
}

// TestWhatStaysEndsWithZeroWheneverItIsInterrupted: for a command that runs until it is interrupted, that is the normal
// end, even while it starts. Every other command exits with 130.
func TestWhatStaysEndsWithZeroWheneverItIsInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeConfig(t, dir, "version: v1\nprovider: aws\nregion: us-east-1\nstack: two\nresources: [{type: s3, name: bucket-of-practice}]\n")
	must(t, dir, "plan", "--sandbox")
	source, data := filepath.Join(dir, "ovi.yaml"), filepath.Join(dir, ".ovi")
	env := func(name string) (string, bool) {
		for _, pair := range slices.Backward(ovi(t, dir).Env) {
			if key, value, _ := strings.Cut(pair, "="); key == name {
				return value, true
			}
		}
		return "", false
	}
	for _, x := range []struct {
		want int
		args []string
	}{
		{0, []string{"audit", "log", "--follow", "--data-dir", data}},
		{130, []string{"audit", "log", "--data-dir", data}},
		{0, []string{"run", source, "--sandbox", "--data-dir", data, "--interval", "1s"}},
		{130, []string{"plan", source, "--sandbox", "--data-dir", data}},
		{0, []string{"sandbox", "serve", source, "--data-dir", data, "--listen", "127.0.0.1:0"}},
		{0, []string{"edge", "co", "--data-dir", filepath.Join(dir, "central"), "--listen", "127.0.0.1:0"}},
	} {
		t.Run(strings.Join(x.args[:2], " "), func(t *testing.T) {
			for _, n := range []int{0, 1, 2, 3, 5, 8, 13, 21} {
				ctx := interruptedAt(t, n)
				var stdout, stderr together
				code := run(ctx, ctx, x.args, env, strings.NewReader(""), &stdout, &stderr)
				if code != x.want && (x.want == 0 || code != 0) { // it may have ended before
					t.Errorf("interrupted at look %d: exit %d, want %d\n%s%s", n, code, x.want, stdout.all(), stderr.all())
				}
			}
		})
	}
}
