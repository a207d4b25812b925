package bolt_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
)

// TestMain lets the test binary be the other process of TestTwoProcesses.
func TestMain(m *testing.M) {
	if path := os.Getenv("OVI_TEST_STORE"); path != "" {
		if err := count(path, os.Getenv("OVI_TEST_ROUNDS")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// count adds 1 to a number in the store, guarded, many times.
func count(path, rounds string) error {
	s, err := bolt.Open(path)
	if err != nil {
		return err
	}
	switch rounds {
	case "pairs":
		return pairs(s)
	case "full":
		return fillUp(s)
	}
	n, _ := strconv.Atoi(rounds)
	ctx := context.Background()
	for done := 0; done < n; {
		e, value := storage.Entry{}, 0
		seq, _, err := s.Range(ctx, "n", storage.Now)
		if err != nil {
			return err
		}
		for found, err := range seq {
			if err != nil {
				return err
			}
			e = found
			value, _ = strconv.Atoi(string(e.Value))
		}
		_, err = s.Commit(ctx, storage.Tx{
			Guards: []storage.Guard{{Key: "n", Created: e.Created, Modified: e.Modified}},
			Ops:    []storage.Op{{Key: "n", Value: []byte(strconv.Itoa(value + 1))}},
		})
		switch {
		case err == nil:
			done++
		case !errors.Is(err, storage.ErrConflict):
			return err
		}
	}
	return nil
}

// E7: several processes use one store, and all make progress.
func TestTwoProcessesShareOneStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	const processes, rounds = 3, 60
	var running []*exec.Cmd
	for range processes {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "OVI_TEST_STORE="+path, "OVI_TEST_ROUNDS="+strconv.Itoa(rounds))
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
	check(t, path)
	if got := read(t, reopen(t, path), "n")["n"]; got != strconv.Itoa(processes*rounds) {
		t.Fatalf("the count is %s, want %d", got, processes*rounds)
	}
}

// What Commit returned for survives kill -9 at any moment, whole, and what it had not
// returned for is there whole or not at all.
func TestKilledAtAnyMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := reopen(t, path)
	acknowledged, draws := 0, drawn.Rand(t)
	for range 12 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "OVI_TEST_STORE="+path, "OVI_TEST_ROUNDS=pairs")
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		if !lines.Scan() { // it works; from here on it may die
			t.Fatal("the process ended before its first commit")
		}
		time.Sleep(time.Duration(draws.Int64N(int64(60 * time.Millisecond))))
		must(t, cmd.Process.Kill())
		for ok := true; ok; ok = lines.Scan() {
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				acknowledged = n
			}
		}
		cmd.Wait()
		got := read(t, s, "pair/")
		if got["pair/a"] != got["pair/b"] {
			t.Fatalf("half a transaction: %v", got)
		}
		n, _ := strconv.Atoi(got["pair/a"])
		if n < acknowledged || n > acknowledged+1 {
			t.Fatalf("%d was acknowledged, the store has %d", acknowledged, n)
		}
		acknowledged = n
	}
	check(t, path)
}

// pairs commits the same number under two keys, with some weight, and prints it.
func pairs(s storage.Store) error {
	n := 0
	for e, err := range s.History(context.Background(), "pair/a") {
		if err != nil {
			return err
		}
		n, _ = strconv.Atoi(string(e.Value))
	}
	for {
		n++
		value := []byte(strconv.Itoa(n))
		ops := []storage.Op{{Key: "pair/a", Value: value}, {Key: "pair/b", Value: value}}
		for i := range 20 {
			ops = append(ops, storage.Op{Key: fmt.Sprintf("weight/%d", (n+i)%100), Value: bytes.Repeat(value, 200)})
		}
		if _, err := s.Commit(context.Background(), storage.Tx{Ops: ops}); err != nil {
			return err
		}
		fmt.Println(n)
	}
}
