package wal

import (
	"context"
	"errors"
)

// Reopen opens a broken log again in place, and recovers it as Open does: records whose append failed are in it
// afterwards, or they are cut. It waits for the append lock, no longer than ctx allows. A log that is not broken is
// not changed. If Reopen fails, the log is still broken.
func (l *Log) Reopen(ctx context.Context) error {
	select {
	case l.token <- struct{}{}:
	case <-ctx.Done():
		return l.lockError(ctx.Err())
	}
	defer func() { <-l.token }()
	if _, err := l.state(); !errors.Is(err, ErrBroken) {
		return err
	}
	if err := l.enter(ctx); err != nil {
		return err
	}
	l.out = newEncoder(l.o.compress)
	err := l.recover(true)
	if err = errors.Join(err, l.leave(err == nil)); err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.broken = nil
	}
	return err
}
