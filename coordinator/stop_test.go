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
		work := holder
		if os.Getenv("OVI_TEST_CROWD") != "" {
			work = crowd
		}
		if err := work(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const shortTTL = 3 * time.Second

// holder takes a claim, reports it, and on command tries to record what it did,
// whatever its context.
func holder(path string) error {
	store, err := bolt.Open(path)
	if err != nil {
		return err
	}
	c := coordinator.New(store, coordinator.Identity{Instance: "stopped"}, coordinator.WithTTL(shortTTL))
	return c.Hold(context.Background(), "thing", func(ctx context.Context, claim coordinator.Claim) error {
		fmt.Println("holding") // it may be stopped from here on
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			return err
		}
		fmt.Println("refused:", errors.Is(record(ctx, store, claim, "late"), storage.ErrConflict))
		<-ctx.Done()
		fmt.Println("lost:", errors.Is(context.Cause(ctx), coordinator.ErrLost))
		return nil
	})
}

// crowd holds one claim again and again, and makes sure by other means that it is alone.
func crowd(path string) error {
	store, err := bolt.Open(path)
	if err != nil {
		return err
	}
	name := fmt.Sprint(os.Getpid())
	c := coordinator.New(store, coordinator.Identity{Instance: name}, coordinator.WithLockTimeout(5*time.Minute))
	ctx := context.Background()
	for i := range 12 {
		err := c.Hold(ctx, "thing", func(ctx context.Context, claim coordinator.Claim) error {
			file, err := os.OpenFile(path+".inside", os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return fmt.Errorf("another holder is inside: %w", err)
			}
			file.Close()
			err = record(ctx, store, claim, fmt.Sprint(name, "/", i))
			return errors.Join(err, os.Remove(path+".inside"))
		})
		if err != nil {
			return err
		}
	}
	return c.Close(ctx)
}

// Several processes on one host claim through one file.
func TestACrowdOfProcessesTakesTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	var running []*exec.Cmd
	for range 3 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "OVI_TEST_STORE="+path, "OVI_TEST_CROWD=1")
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("a process: %v", err)
		}
	}
	store, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	facts := 0
	for _, err := range store.Changes(t.Context(), "fact/", 0, storage.Now) {
		if err != nil {
			t.Fatal(err)
		}
		facts++
	}
	if facts != 36 {
		t.Errorf("%d facts on record, want 36", facts)
	}
}

// stopOutside stops a process with SIGSTOP while it does not hold the lock of the store's file:
// the others would wait for that lock as long as the process is stopped.
func stopOutside(t *testing.T, p *os.Process, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if err := p.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		// The signal is delivered a moment after it was sent: the kernel reports when.
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(p.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
			t.Fatalf("the process did not stop: %v %v", status, err)
		}
		if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			if err := syscall.Flock(int(file.Fd()), syscall.LOCK_UN); err != nil {
				t.Fatal(err)
			}
			return
		}
		if err := p.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the process always held the store's file")
}

// A process that was stopped for longer than its TTL cannot do harm when it wakes: law 7.
func TestLaw7_OutcomesAreFenced(t *testing.T) {
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
	in, err := cmd.StdinPipe()
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
	stopOutside(t, cmd.Process, path)
	begun := time.Now()
	c := coordinator.New(store, coordinator.Identity{Instance: "next"}, coordinator.WithLockTimeout(2*time.Minute))
	err = c.Hold(t.Context(), "thing", func(ctx context.Context, claim coordinator.Claim) error {
		return record(ctx, store, claim, "next")
	})
	if err != nil {
		t.Fatalf("the next holder: %v", err)
	}
	t.Logf("taken over %s after the stop, TTL %s", time.Since(begun).Round(time.Millisecond), shortTTL)
	if _, err := io.WriteString(in, "overtaken\n"); err != nil {
		t.Fatal(err)
	}
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
