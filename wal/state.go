package wal

import (
	"fmt"
)

// state returns the end of the log, and an error if nothing can be appended.
func (l *Log) state() (position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return l.end, fmt.Errorf("%s: %w", l.dir, ErrClosed)
	case l.broken != nil:
		return l.end, fmt.Errorf("%s: %w (%w)", l.dir, ErrBroken, l.broken)
	}
	return l.end, nil
}

// advance moves the end of the log.
func (l *Log) advance(to position) {
	l.mu.Lock()
	l.end = to
	l.mu.Unlock()
}

// breakDown keeps the first error after which the content of the disk is unknown.
func (l *Log) breakDown(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		l.broken = err
	}
	return err
}

// TornWrite returns what recovery cut off, or, in a log opened with ReadOnly,
// would have to cut off; nil if nothing.
func (l *Log) TornWrite() *TornWrite {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tear
}

// Frontier returns the end of the log as far as this Log knows: its own appends,
// and those of others up to the time when it last had the append lock.
func (l *Log) Frontier() Frontier {
	end, _ := l.state()
	return Frontier{end.seq, end.chain}
}

// visible is the end of what any process acknowledged.
func (l *Log) visible() position {
	end, _ := l.state()
	t, ok := readHint(l.lock)
	if ok && t.log == l.id && (t.at.segment > end.segment || t.at.segment == end.segment && t.at.offset > end.offset) {
		return t.at
	}
	return end
}
