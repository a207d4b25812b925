//go:build linux

package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ovi-project/ovi/storage"
)

// A disk that is full refuses a commit and nothing else: what was acknowledged is there,
// reads continue, and so do commits once there is space. (The limit on the size of a file
// replaces the disk; it is of one process, so this runs in another one.)
func TestAFullDiskRefusesCommitsOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "OVI_TEST_STORE="+path, "OVI_TEST_ROUNDS=full")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	check(t, path)
}

func fillUp(s storage.Store) error {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for round := range 3 {
		low := syscall.Rlimit{Cur: uint64(round+1) * 400 << 10, Max: limit.Max}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
			return err
		}
		if err := untilFull(s, round); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return nil
}

// untilFull commits until it is refused, and looks at what is there then.
func untilFull(s storage.Store, round int) error {
	ctx := context.Background()
	for i := 0; i < 1000; i++ {
		value := []byte(strings.Repeat(fmt.Sprint(i), 2000))
		_, err := s.Commit(ctx, storage.Tx{Ops: []storage.Op{{Key: fmt.Sprintf("r%d/%03d", round, i), Value: value}}})
		if err == nil {
			continue
		}
		if i == 0 {
			return fmt.Errorf("no room to begin with: %w", err)
		}
		if !errors.Is(err, syscall.EFBIG) && !strings.Contains(err.Error(), "file too large") {
			return fmt.Errorf("another error: %w", err)
		}
		seen := 0
		seq, _, rangeErr := s.Range(ctx, fmt.Sprintf("r%d/", round), storage.Now)
		if rangeErr != nil {
			return rangeErr
		}
		for e, err := range seq {
			if err != nil {
				return err
			}
			if want := strings.Repeat(fmt.Sprint(seen), 2000); e.Key != fmt.Sprintf("r%d/%03d", round, seen) || string(e.Value) != want {
				return fmt.Errorf("entry %d is %s", seen, e.Key)
			}
			seen++
		}
		if seen != i && !(seen == i+1 && errors.Is(err, storage.ErrUnknown)) {
			return fmt.Errorf("%d were acknowledged, %d are there, after: %w", i, seen, err)
		}
		return nil
	}
	return errors.New("it was never full")
}
