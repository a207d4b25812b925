package podmantest

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// slots is how many hosts a machine can run at a time.
const slots = 64

// slot is a place for one host: a directory and a range of addresses, locked while a process
// uses it. The images in it are kept for the next Podman of the same name.
type slot struct {
	n    int
	dir  string
	lock *os.File
}

func takeSlot(t testing.TB, podman string) *slot {
	t.Helper()
	for n := range slots {
		dir := filepath.Join(os.TempDir(), "ovi-"+podman+"-"+strconv.Itoa(n))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
			_ = lock.Close() // in use
			continue
		}
		s := &slot{n: n, dir: dir, lock: lock}
		s.recover(t)
		return s
	}
	t.Fatalf("all %d places for a Podman are in use", slots)
	return nil
}

// release ends the use of a slot in which nothing runs.
func (s *slot) release() {
	_ = os.Remove(s.running())
	_ = s.lock.Close()
}
