//go:build unix

package coordinator_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
)

// TestMain lets the test binary be the holder that is stopped.
func TestMain(m *testing.M) {
	if path := os.Getenv("OVI_TEST_STORE"); path != "" {
		if err := holder(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const shortTTL = 600 * time.Millisecond

// holder takes a claim, says so, and as soon as it sees that time has passed, tries to
// record what it did, deaf to its context.
func holder(path string) error {
	store, err := bolt.Open(path)
	if err != nil {
		return err
	}
	c := coordinator.New(store, coordinator.Identity{Instance: "stopped"}, coordinator.WithTTL(shortTTL))
	return c.Hold(context.Background(), "thing", func(ctx context.Context, claim coordinator.Claim) error {
		before := time.Now()
		fmt.Println("holding") // it may be stopped from here on
		for begun := before; time.Since(before) < shortTTL && time.Since(begun) < time.Minute; time.Sleep(time.Millisecond) {
			before = time.Now()
		}
		fmt.Println("refused:", errors.Is(record(ctx, store, claim, "late"), storage.ErrConflict))
		<-ctx.Done()
		fmt.Println("lost:", errors.Is(context.Cause(ctx), coordinator.ErrLost))
		return nil
	})
}

// A process that was stopped for longer than its TTL cannot do harm when it wakes: law 7.
func TestLaw7_ALostClaimLosesItsVoice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	store, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "OVI_TEST_STORE="+path)
	cmd.Stderr = io.Discard
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "holding" {
		t.Fatalf("the holder says %q", lines.Text())
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	c := coordinator.New(store, coordinator.Identity{Instance: "next"}, coordinator.WithTTL(shortTTL), coordinator.WithLockTimeout(20*shortTTL))
	err = c.Hold(t.Context(), "thing", func(ctx context.Context, claim coordinator.Claim) error {
		return record(ctx, store, claim, "next")
	})
	if err != nil {
		t.Fatalf("the next holder: %v", err)
	}
	t.Logf("taken over %s after the stop, TTL %s", time.Since(begun).Round(time.Millisecond), shortTTL)
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"refused: true", "lost: true"} {
		if !lines.Scan() || lines.Text() != want {
			t.Errorf("the woken holder says %q, want %q", lines.Text(), want)
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the woken holder's Hold returned no error")
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
