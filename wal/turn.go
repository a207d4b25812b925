package wal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
)

// Waiting for another process is done by asking again: flock cannot be waited
// for with a bound. Within a process a channel is waited for.
const (
	firstWait = 200 * time.Microsecond
	longWait  = 5 * time.Millisecond
)

// AppendLock is the right to append. One is out at a time, among all processes of
// the host. Its methods are not for concurrent use.
type AppendLock struct {
	l    *Log
	done bool
}

// lastNotice is the last notice that this Log wrote, so that none is written twice.
type lastNotice struct {
	locked bool
	end    position
}

// Lock waits for the turn, no longer than ctx allows, and brings the log up to
// the last batch that anybody appended. A *HeldError says who kept it.
//
// The wait is fair among processes: one that comes back at once stands behind
// one that is waiting.
func (l *Log) Lock(ctx context.Context) (*AppendLock, error) {
	if l.o.readOnly {
		return nil, fmt.Errorf("%s: %w", l.dir, ErrReadOnly)
	}
	if err := ctx.Err(); err != nil {
		return nil, l.locked(err)
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, l.locked(ctx.Err())
	}
	if err := l.take(ctx); err != nil {
		<-l.turn
		return nil, err
	}
	return &AppendLock{l: l}, nil
}

// take takes the turn among processes; the caller has it in this one.
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

// enter takes the lock of the directory. Who wants it holds the door while
// waiting, so that nobody who comes later gets in first.
func (l *Log) enter(ctx context.Context) error {
	if err := l.await(ctx, l.nextLock); err != nil {
		return err
	}
	err := l.await(ctx, l.lock)
	return errors.Join(err, l.nextLock.Unlock())
}

// await asks for a lock until it is free or ctx ends.
func (l *Log) await(ctx context.Context, f vfs.File) error {
	for wait := firstWait; ; wait = min(2*wait, longWait) {
		if ok, err := f.TryLock(); ok || err != nil {
			return err
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return l.locked(ctx.Err())
		case <-t.C:
		}
	}
}

// locked is the error for a wait that was in vain.
func (l *Log) locked(err error) error {
	e := &LockedError{Dir: l.dir, Err: err}
	if t, ok := readTip(l.lock); ok && t.locked {
		e.PID, e.Since = int(t.pid), t.sinceTime()
	}
	return e
}

// catchUp brings this Log to the end of the log. Mostly nobody else was there,
// and the notice says so. The notice then says who has the turn; found so by
// the next one, it tells that the holder died.
func (l *Log) catchUp() error {
	t, ok := readTip(l.lock)
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
	r := &recovery{scanner: newScanner(l.active, l.id, end), since: l.since, signed: l.signed}
	r.sealed = l.sealed
	for r.at.offset < to.offset {
		f, err := r.next()
		var bad *flaw
		switch {
		case errors.Is(err, errEnd):
			return r.corrupt(fmt.Sprintf("zeros stand where record %d was acknowledged", to.seq))
		case errors.As(err, &bad):
			return r.corrupt(bad.reason)
		case err != nil:
			return fmt.Errorf("wal: read %s: %w", segmentName(end.segment), err)
		}
		r.note(f)
	}
	if r.at != to {
		return r.corrupt("the log holds something else than was acknowledged")
	}
	l.adopt(r)
	return l.measure()
}

// notice writes the tip.
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

// leave gives the turn back to the other processes. A log that broke leaves
// the notice that it was held, so that the next one looks for itself.
func (l *Log) leave(clean bool) error {
	var err error
	if end, _ := l.state(); clean && l.lastNotice != (lastNotice{false, end}) {
		err = l.notice(false)
	}
	return errors.Join(err, l.lock.Unlock())
}

// Append makes records durable as one batch: when it returns nil, they are on
// disk, in order, behind everything that was appended before. It does not keep
// the slices. After an error that is not ErrTooLarge the log is broken; whether
// the records are in it is found when it is opened again.
func (t *AppendLock) Append(records ...[]byte) (Batch, error) {
	return t.AppendBatch(Draft{Records: records})
}

// AppendBatch is Append with a number, and a time, of the caller's own.
func (t *AppendLock) AppendBatch(d Draft) (Batch, error) {
	if t.done {
		return Batch{}, fmt.Errorf("append after the turn: %w", ErrClosed)
	}
	b, err := t.l.write(d)
	if err != nil {
		return Batch{}, err
	}
	return b, t.l.acknowledge(true)
}

// Checkpoint signs what the log holds and returns the signed statement. If
// nothing was appended since the last one, it returns that.
func (t *AppendLock) Checkpoint() (Checkpoint, error) {
	if t.done {
		return Checkpoint{}, fmt.Errorf("checkpoint after the turn: %w", ErrClosed)
	}
	if _, err := t.l.state(); err != nil {
		return Checkpoint{}, err
	}
	if t.l.since == 0 && t.l.signed.Key != nil {
		return t.l.signed, nil
	}
	return t.l.sign(kindCheckpoint)
}

// acknowledge notes what was appended before the caller hears of it, so that
// damage in it is never taken for a torn append. With held false the notice
// says at once that the turn is free; the lock is still held.
func (l *Log) acknowledge(held bool) error {
	if err := l.notice(held); err != nil {
		return l.breakDown(err)
	}
	return nil
}

// Frontier returns the end of the log; nobody else can move it now.
func (t *AppendLock) Frontier() Frontier { return t.l.Frontier() }

// Unlock gives the turn back. The second call does nothing.
func (t *AppendLock) Unlock() error {
	if t.done {
		return nil
	}
	t.done = true
	_, broken := t.l.state()
	err := t.l.leave(broken == nil)
	<-t.l.turn
	return err
}

// Checkpoint takes the turn and signs what the log holds; see Turn.Checkpoint.
func (l *Log) Checkpoint() (Checkpoint, error) {
	ctx, cancel := context.WithTimeout(context.Background(), l.o.lockWait)
	defer cancel()
	t, err := l.Lock(ctx)
	if err != nil {
		return Checkpoint{}, err
	}
	c, err := t.Checkpoint()
	return c, errors.Join(err, t.Unlock())
}
