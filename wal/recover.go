package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// recover finds the end of the log on disk and opens the last segment. With
// repair (the caller has the turn) it cuts a torn tail, removes leftovers and
// begins a new log in an empty directory.
func (l *Log) recover(repair bool) error {
	known, ok := readTip(l.lock) // before the rest, which may grow meanwhile
	d, err := scanForward(l.o.fs, l.dir)
	if err != nil {
		return fmt.Errorf("wal: open %s: %w", l.dir, err)
	}
	marks := l.marks(known, ok)
	if len(d.segments) == 0 {
		return l.recoverEmpty(d, marks, repair)
	}
	if err := d.reach(marks); err != nil {
		return err
	}
	s, err := l.openLast(d.last(), repair)
	if err != nil {
		return err
	}
	if err := s.run(marks); err != nil {
		return err
	}
	if repair {
		return l.repair(d, s, known, ok)
	}
	l.adopt(s)
	return nil
}

// mark is a place that was acknowledged, so that the log must reach it.
type mark struct {
	position
	whence string
	met    bool
}

// marks are the places known from the lock file, from this Log's own past, and
// from the caller. The last has no segment: only its number is known.
func (l *Log) marks(known tailHint, ok bool) []*mark {
	var marks []*mark
	if ok && known.at.segment > 0 {
		marks = append(marks, &mark{position: known.at, whence: fromLock})
	}
	if end, _ := l.state(); end.segment > 0 {
		marks = append(marks, &mark{position: end, whence: "this process"})
	}
	if f := l.o.frontier; f != nil {
		marks = append(marks, &mark{position: position{seq: f.Seq, chain: f.Chain}, whence: "the frontier kept elsewhere"})
	}
	return marks
}

// fromLock is where the end is known from without anybody having kept it.
const fromLock = "the lock file (remove it if this is an older copy of the log)"

// cutOff is the error for a log that ends before a mark.
func (m *mark) cutOff(end position) error {
	return &CorruptError{
		Segment: segmentName(max(end.segment, 1)), Offset: end.offset, Seq: end.seq + 1,
		Reason: fmt.Sprintf("the log ends here, but by %s record %d was acknowledged", m.whence, m.seq),
	}
}

// recoverEmpty begins a log, unless there was one.
func (l *Log) recoverEmpty(d directory, marks []*mark, repair bool) error {
	for _, m := range marks {
		if m.seq > 0 || m.segment > 0 {
			return m.cutOff(position{})
		}
	}
	if !repair {
		return fmt.Errorf("wal: open %s: there is no log: %w", l.dir, fs.ErrNotExist)
	}
	if err := l.removeStale(d.stale); err != nil {
		return err
	}
	if err := l.syncParents(); err != nil {
		return err
	}
	id, err := newLogID()
	if err != nil {
		return err
	}
	l.id = id
	return l.begin(segmentHeader{log: id, index: 1, first: 1})
}

// syncParents makes the directories durable that were made for the log. The
// upper one may be out of reach; then it was not made for us.
func (l *Log) syncParents() error {
	parent := filepath.Dir(l.dir)
	if err := l.o.fs.SyncDir(parent); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	if err := l.o.fs.SyncDir(filepath.Dir(parent)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("wal: %w", err)
	}
	return nil
}

// reach checks that the segments go as far as the marks do.
func (d directory) reach(marks []*mark) error {
	last := d.last()
	for _, m := range marks {
		if m.segment > last.index {
			return m.cutOff(position{last.index, 0, last.first - 1, last.prev})
		}
	}
	return nil
}

// openLast opens the last segment for the scan that recovers it.
func (l *Log) openLast(want segmentHeader, repair bool) (*recovery, error) {
	flag := os.O_RDONLY
	if repair {
		flag = os.O_RDWR
	}
	f, h, chain, err := openSegment(l.o.fs, l.dir, want.index, flag)
	if err != nil {
		return nil, err
	}
	if l.active != nil {
		_ = l.active.Close() // everything in it was synced when it was written
	}
	l.active, l.id = f, h.log
	start := position{h.index, segmentHeaderSize, h.first - 1, chain}
	return &recovery{scanner: newScanner(f, h.log, start), header: h, fs: l.o.fs, dir: l.dir}, nil
}

// repair makes the end that the scan found durable and clean.
func (l *Log) repair(d directory, s *recovery, known tailHint, ok bool) error {
	err := l.removeStale(d.stale)
	if err == nil && (!ok || known.locked || known.at != s.at) {
		err = l.secure(s, known, ok)
	}
	if err == nil && s.tear != nil {
		err = l.active.Truncate(s.at.offset)
	}
	if err == nil && s.tear != nil {
		err = l.active.Sync()
	}
	if err != nil {
		return fmt.Errorf("wal: repair %s: %w", filepath.Join(l.dir, segmentName(s.at.segment)), err)
	}
	l.adopt(s)
	return l.measure()
}

// secure writes once more what nobody acknowledged. Its writer may have died
// before its sync, or because its sync failed, and after that a page may be in
// memory only without the system knowing: reading it back proves nothing.
func (l *Log) secure(s *recovery, known tailHint, ok bool) error {
	from := s.lastStart
	if ok && known.at.segment == s.at.segment {
		from = known.at.offset
	} else if ok {
		from = segmentHeaderSize
	}
	if n := s.at.offset - from; n > 0 {
		b := make([]byte, n)
		if err := readFull(l.active, b, from); err != nil {
			return err
		}
		if _, err := l.active.WriteAt(b, from); err != nil {
			return err
		}
	}
	if err := l.active.Sync(); err != nil {
		return err
	}
	return l.o.fs.SyncDir(l.dir)
}

// adopt takes over what the scan found.
func (l *Log) adopt(s *recovery) {
	l.sealed, l.since, l.signed = s.sealed, s.since, s.signed
	l.advance(s.at)
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.tear != nil {
		l.tear = s.tear
	}
}

// measure learns how much written space the last segment has.
func (l *Log) measure() (err error) {
	l.space, err = l.active.Size()
	return err
}
