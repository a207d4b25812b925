package bolt

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/ovi-project/ovi/storage"
)

const rebuild = "rebuild the store from the log: ovi audit replay --repair"

// busy says why the waiting ended.
func (s *Store) busy(err error) error {
	switch {
	case errors.Is(err, errStuck):
		return fmt.Errorf("store %s: %w for %s; check the disk that %s is on", s.path, err, s.timeout, s.path)
	case !errors.Is(err, storage.ErrBusy):
		return err
	}
	return fmt.Errorf("store %s: %w: another process has locked it for %s; to find it, run fuser -v %s",
		s.path, storage.ErrBusy, s.timeout, s.path)
}

func (s *Store) corrupt(cause error) error {
	return fmt.Errorf("store %s: %w: %w; %s", s.path, storage.ErrCorrupt, cause, rebuild)
}

// gone is the error of a store that was there and is not: it must not pass for an empty one.
func (s *Store) gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store %s was removed: %w; %s", s.path, err, rebuild)
	}
	return fmt.Errorf("store %s: %w", s.path, err)
}
