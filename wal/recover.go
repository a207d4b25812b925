package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// recover finds the end of the log on disk and opens the last segment. With
// repair (the caller holds the append lock) it cuts a torn tail, removes leftovers and
// starts a new log in an empty directory.
func (l *Log) recover(repair bool) error {
	known, ok := readHint(l.lock) // first, because the segments may grow meanwhile
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

// mark is an acknowledged position, which the log must reach.
type mark struct {
	position
	source string
	met    bool
}

// marks are the positions known from the lock file, from this Log itself and
// from the caller. The last has no segment: only its number is known.
func (l *Log) marks(known tailHint, ok bool) []*mark {
	var marks []*mark
	if ok && known.at.segment > 0 {
		marks = append(marks, &mark{position: known.at, source: fromLock})
	}
	if end, _ := l.state(); end.segment > 0 {
		marks = append(marks, &mark{position: end, source: "this process"})
	}
	if f := l.o.frontier; f != nil {
		marks = append(marks, &mark{position: position{seq: f.Seq, chain: f.Chain}, source: "the frontier kept elsewhere"})
	}
	return marks
}

// fromLock is the source of an end that the caller did not keep.
const fromLock = "the lock file (remove it if this is an older copy of the log)"

// cutOff is the error for a log that ends before a mark.
func (m *mark) cutOff(end position) error {
	return &CorruptError{
		Segment: segmentName(max(end.segment, 1)), Offset: end.offset, Seq: end.seq + 1,
		Reason: fmt.Sprintf("the log ends here, but record %d was acknowledged according to %s", m.seq, m.source),
	}
}

// recoverEmpty starts a log, unless one existed.
func (l *Log) recoverEmpty(d directory, marks []*mark, repair bool) error {
	for _, m := range marks {
		if m.seq > 0 || m.segment > 0 {
			return m.cutOff(position{})
		}
	}
	if !repair {
		return fmt.Errorf("wal: open %s: no log found: %w", l.dir, fs.ErrNotExist)
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

// syncParents makes the directories durable that Open created. An upper one
// that is not accessible existed before.
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

// secure rewrites what was never acknowledged. Its writer may have crashed
// before its sync or after a sync that failed, and then a page can be in memory
// only without the system marking it: reading it back proves nothing.
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

// adopt applies the result of the scan.
func (l *Log) adopt(s *recovery) {
	l.sealed, l.since, l.signed = s.sealed, s.since, s.signed
	l.advance(s.at)
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.tear != nil {
		l.tear = s.tear
	}
}

// measure reads how much written space the last segment has.
func (l *Log) measure() (err error) {
	l.space, err = l.active.Size()
	return err
}
