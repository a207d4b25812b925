package wal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ovi-project/ovi/internal/vfs"
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
	// The positions known from the lock file, from this Log itself and from the caller. The last has no segment: only
	// its number is known.
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
	if err := errors.Join(l.owner().admit(s.id, s.at, s.signed), l.owner().admitTrim(d.trim, s.at)); err != nil {
		return err
	}
	if check := l.o.check; check != nil {
		l.o.check = nil // Open is behind it
		has := func(f Frontier) (bool, error) { return findFrontier(l.o.fs, l.dir, s.at.segment, f) }
		if err := check(Opening{ID: s.id, End: Frontier{s.at.seq, s.at.chain}, Has: has}); err != nil {
			return err
		}
	}
	if repair {
		return l.repair(d, s, known, ok)
	}
	l.adopt(s)
	return nil
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
	if err := removeStale(l.o.fs, l.dir, d.stale); err != nil {
		return err
	}
	// The directories that Open created become durable. An upper one that is not accessible existed before.
	parent := filepath.Dir(l.dir)
	if err := l.o.fs.SyncDir(parent); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	if err := l.o.fs.SyncDir(filepath.Dir(parent)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("wal: %w", err)
	}
	var id logID
	if _, err := rand.Read(id[:]); err != nil {
		return fmt.Errorf("wal: generate the identity of the log: %w", err)
	}
	var err error
	if l.key, err = neededKey(l.o, l.key); err != nil {
		return err
	}
	l.id, l.o.check = id, nil
	return l.begin(segmentHeader{log: id, index: 1, first: 1})
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
	return &recovery{scanner: newScanner(f, h.log, start), header: h, signed: h.signed, fs: l.o.fs, dir: l.dir}, nil
}

// repair makes the end that the scan found durable and clean.
func (l *Log) repair(d directory, s *recovery, known tailHint, ok bool) error {
	var err error
	if l.key, err = neededKey(l.o, l.key); err == nil {
		err = resignTrim(l.o.fs, l.dir, d.trim, l.key)
	}
	if err == nil {
		err = removeStale(l.o.fs, l.dir, d.stale)
	}
	if err == nil && (!ok || known.locked || known.at != s.at) {
		err = secure(l.active, s, known, ok)
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
	return l.adoptSized(s)
}

// secure rewrites what was never acknowledged. Its writer may have crashed
// before its sync or after a sync that failed, and then a page can be in memory
// only without the system marking it: reading it back proves nothing. The space behind the end is cut for the same
// reason: the zeros there may be garbage on the disk, which a power cut would put behind the seal of the segment.
func secure(active vfs.File, s *recovery, known tailHint, ok bool) error {
	from := s.lastStart
	if ok && known.at.segment == s.at.segment {
		from = known.at.offset
	} else if ok {
		from = segmentHeaderSize
	}
	if n := s.at.offset - from; n > 0 {
		b := make([]byte, n)
		if err := readFull(active, b, from); err != nil {
			return err
		}
		if _, err := active.WriteAt(b, from); err != nil {
			return err
		}
	}
	size, err := active.Size()
	if err == nil && size > s.at.offset {
		err = active.Truncate(s.at.offset)
	}
	if err == nil {
		err = active.Sync()
	}
	if err != nil {
		return err
	}
	return s.fs.SyncDir(s.dir)
}

// adoptSized applies the result of the scan, and reads how much written space the last segment has.
func (l *Log) adoptSized(s *recovery) (err error) {
	l.adopt(s)
	l.space, err = l.active.Size()
	return err
}

// adopt applies the result of the scan.
func (l *Log) adopt(s *recovery) {
	l.sealed, l.endAt = s.sealed, s.endAt
	l.advance(s.at)
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.tear != nil {
		l.tear = s.tear
	}
}
