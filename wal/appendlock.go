package wal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
)

// Waiting for another process polls, because flock has no wait with a bound.
// Within a process a channel is waited for.
const (
	firstWait = 200 * time.Microsecond
	longWait  = 5 * time.Millisecond
)

// AppendLock is the right to append. At most one exists at a time among all
// processes of the host. Its methods are not for concurrent use.
type AppendLock struct {
	l    *Log
	done bool
}

// Lock waits for the append lock, no longer than ctx allows, and catches up with
// the last batch that any process appended. A *LockedError names the holder.
//
// The wait is fair among processes: one that returns at once queues behind one
// that is already waiting.
func (l *Log) Lock(ctx context.Context) (*AppendLock, error) {
	if l.o.readOnly {
		return nil, fmt.Errorf("%s: %w", l.dir, ErrReadOnly)
	}
	if err := ctx.Err(); err != nil {
		return nil, l.lockError(err)
	}
	select {
	case l.token <- struct{}{}:
	case <-ctx.Done():
		return nil, l.lockError(ctx.Err())
	}
	if err := l.take(ctx); err != nil {
		<-l.token
		return nil, err
	}
	return &AppendLock{l: l}, nil
}

// take acquires the append lock among processes; the caller has it in this one.
func (l *Log) take(ctx context.Context) error {
	if _, err := l.state(); err != nil {
		return err
	}
	if err := l.enter(ctx); err != nil {
		return err
	}
	if err := l.catchUp(); err != nil {
		return errors.Join(err, l.lock.Unlock())
	}
	return nil
}

// enter locks the directory. A process that waits for the lock holds nextLock
// meanwhile, so that no later one gets it first.
func (l *Log) enter(ctx context.Context) error {
	ok, err := await(ctx, l.nextLock)
	if err != nil {
		return err
	}
	if !ok {
		return l.lockError(ctx.Err())
	}
	ok, err = await(ctx, l.lock)
	if !ok && err == nil {
		err = l.lockError(ctx.Err())
	}
	return errors.Join(err, l.nextLock.Unlock())
}

// await polls a lock until it is taken, or ctx ends: then ok is false.
func await(ctx context.Context, f vfs.File) (ok bool, err error) {
	for wait := firstWait; ; wait = min(2*wait, longWait) {
		if ok, err := f.TryLock(); ok || err != nil {
			return ok, err
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return false, nil
		case <-t.C:
		}
	}
}

// lockError is the error of a wait that ended without the lock.
func (l *Log) lockError(err error) error {
	e := &LockedError{Dir: l.dir, Err: err}
	if t, ok := readHint(l.lock); ok && t.locked {
		e.PID, e.Since = int(t.pid), time.Unix(0, t.since)
	}
	return e
}

// catchUp brings this Log to the end of the log. If the tail hint shows that no
// other process appended, there is nothing to read. It then marks the hint as
// locked; a process that acquires the lock and finds that mark knows that the
// holder before it crashed.
func (l *Log) catchUp() error {
	t, ok := readHint(l.lock)
	end, _ := l.state()
	var err error
	switch {
	case ok && !t.locked && t.log == l.id && t.at == end:
	case ok && !t.locked && t.log == l.id && t.at.segment == end.segment && t.at.offset > end.offset:
		err = l.follow(t.at)
	default:
		err = l.recover(true)
	}
	if err != nil {
		return err
	}
	return l.notice(true)
}

// follow reads what others appended to the segment that this Log is in.
func (l *Log) follow(to position) error {
	end, _ := l.state()
	r := &recovery{scanner: newScanner(l.active, l.id, end), endAt: l.endAt}
	r.sealed = l.sealed
	for r.at.offset < to.offset {
		f, err := r.next()
		var bad *flaw
		switch {
		case errors.Is(err, errEnd):
			return r.corrupt(fmt.Sprintf("zeros in place of the acknowledged record %d", to.seq))
		case errors.As(err, &bad):
			return r.corrupt(bad.reason)
		case err != nil:
			return fmt.Errorf("wal: read %s: %w", segmentName(end.segment), err)
		}
		r.note(f)
	}
	if r.at != to {
		return r.corrupt("the log differs from the acknowledged records")
	}
	if err := l.owner().admit(r.id, r.at, r.signed); err != nil {
		return err
	}
	return l.adoptSized(r)
}

// notice writes the tail hint.
func (l *Log) notice(held bool) error {
	end, _ := l.state()
	t := tailHint{locked: held, pid: uint64(l.o.pid), log: l.id, at: end}
	if held {
		t.since = l.o.clock().UnixNano()
	}
	if _, err := l.lock.WriteAt(t.encode(), 0); err != nil {
		return fmt.Errorf("wal: lock file of %s: %w", l.dir, err)
	}
	l.lastNotice = lastNotice{held, end}
	return nil
}

// leave releases the append lock among processes. A broken log leaves the hint
// marked as locked, so that the next holder scans the last segment.
func (l *Log) leave(clean bool) error {
	var err error
	if end, _ := l.state(); clean && l.lastNotice != (lastNotice{false, end}) {
		err = l.notice(false)
	}
	return errors.Join(err, l.lock.Unlock())
}

// Append makes records durable as one batch: when it returns nil, they are on
// disk, in order, behind everything that was appended before. It does not keep
// the slices. After an error that is not ErrTooLarge the log is broken; opening
// it again shows whether the records are in it.
func (t *AppendLock) Append(records ...[]byte) (Batch, error) {
	return t.AppendBatch(Draft{Records: records})
}

// AppendBatch is Append with a number and a time that the caller chooses.
func (t *AppendLock) AppendBatch(d Draft) (Batch, error) {
	if t.done {
		return Batch{}, fmt.Errorf("append after Unlock: %w", ErrClosed)
	}
	b, err := t.l.write(d)
	if err != nil {
		return Batch{}, err
	}
	return b, t.l.acknowledge(true)
}

// acknowledge writes the new end to the tail hint before the caller gets its
// result, so that damage in the batch is never taken for a torn write. With
// held false the hint already shows the append lock as free.
func (l *Log) acknowledge(held bool) error {
	if err := l.notice(held); err != nil {
		return l.breakDown(err)
	}
	return nil
}

// Frontier returns the end of the log, which no other process can move now.
func (t *AppendLock) Frontier() Frontier { return t.l.Frontier() }

// Unlock releases the append lock. The second call does nothing.
func (t *AppendLock) Unlock() error {
	if t.done {
		return nil
	}
	t.done = true
	_, broken := t.l.state()
	err := t.l.leave(broken == nil)
	<-t.l.token
	return err
}

// LockedError reports that another process kept the append lock for longer than
// the caller could wait. It wraps the error of the caller's context.
type LockedError struct {
	Dir   string
	PID   int       // 0 if not known
	Since time.Time // zero if not known
	Err   error
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	if !e.Since.IsZero() {
		who += " since " + e.Since.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("wal: %s: %s has the append lock: %v", e.Dir, who, e.Err)
}

// Unwrap returns the error of the context.
func (e *LockedError) Unwrap() error { return e.Err }
