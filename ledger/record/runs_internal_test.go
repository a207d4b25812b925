package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"testing"
)

// TestARunThatStartsIsNotForgotten: other processes look for crashed runs while a run creates its file, which has no lock
// yet. A run that is registered has its file, and removes it without an error.
func TestARunThatStartsIsNotForgotten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var sweeping sync.WaitGroup
	done := make(chan struct{})
	for i := range 3 {
		sweeping.Go(func() {
			other := NewRuns(dir, fmt.Sprint("sweeper-", i))
			for {
				select {
				case <-done:
					return
				default:
				}
				all, err := other.DeadRuns()
				for _, run := range all {
					err = errors.Join(err, other.ForgetRun(run))
				}
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
			}
		})
	}
	for i := range 2000 {
		r := NewRuns(dir, fmt.Sprint("run-", i))
		if err := r.register(); err != nil {
			t.Fatal(err)
		}
		if r.life == nil {
			t.Fatal("it has no lock")
		}
		if _, err := os.Stat(r.runFile(r.run)); err != nil {
			t.Errorf("run %d is forgotten: %v", i, err)
		}
		if err := r.unregister(false); err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
	}
	close(done)
	sweeping.Wait()
}
