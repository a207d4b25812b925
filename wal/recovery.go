package wal

import (
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
)

// recovery is a scan of the last segment up to its end.
type recovery struct {
	*scanner
	fs     vfs.FS
	dir    string
	header segmentHeader

	lastStart int64 // of the last frame
	endAt     time.Time
	signed    signed // at the end
	tear      *TornWrite
}

// run scans to the end, decides whether what follows is a torn write or
// damage, and checks that every mark was met.
func (r *recovery) run(marks []*mark) error {
	r.lastStart = r.at.offset
	bad, err := r.frames(marks, func(frame) error { return nil })
	if err != nil {
		return err
	}
	for _, m := range marks {
		if m.beyond(r.at) {
			return r.cutOff(m, bad)
		}
	}
	if err := r.judge(bad); err != nil {
		return err
	}
	for _, m := range marks {
		if err := r.resolve(m); err != nil {
			return err
		}
	}
	return nil
}

// frames reads all valid frames, checks each, and returns what is wrong with the next one.
func (r *recovery) frames(marks []*mark, check func(frame) error) (bad *flaw, err error) {
	for {
		meet(marks, r.at)
		if r.sealed {
			return nil, nil
		}
		f, err := r.next()
		if errors.As(err, &bad) {
			return bad, nil
		}
		if errors.Is(err, errEnd) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("wal: read %s: %w", segmentName(r.at.segment), err)
		}
		r.note(f)
		if err := check(f); err != nil {
			return nil, err
		}
	}
}

// note keeps what the writer needs of a frame.
func (r *recovery) note(f frame) {
	r.lastStart, r.endAt, r.signed = f.start, time.Unix(0, f.at).UTC(), f.signed
}

// meet sets met on the marks at this position.
func meet(marks []*mark, at position) {
	for _, m := range marks {
		here := m.position == at
		if m.segment == 0 {
			here = m.seq == at.seq && m.chain == at.chain
		}
		m.met = m.met || here
	}
}

// beyond reports whether a mark is behind the end of the log.
func (m *mark) beyond(end position) bool {
	return m.seq > end.seq || m.segment == end.segment && m.offset > end.offset
}

// cutOff is the error for a log that does not reach a mark.
func (r *recovery) cutOff(m *mark, bad *flaw) error {
	if bad == nil {
		return m.cutOff(r.at)
	}
	reason := fmt.Sprintf("%s, but record %d was acknowledged according to %s", bad.reason, m.seq, m.source)
	return r.corrupt(reason)
}

func (r *recovery) corrupt(reason string) error {
	return &CorruptError{Segment: segmentName(r.at.segment), Offset: r.at.offset, Seq: r.at.seq + 1, Reason: reason}
}

// judge distinguishes a torn write from damage. One append is in flight at a
// time and nothing is written behind it before it is durable, so a complete
// header of a later batch proves damage.
func (r *recovery) judge(bad *flaw) error {
	rest, impossible, err := r.tail()
	if err != nil {
		return fmt.Errorf("wal: read %s: %w", segmentName(r.at.segment), err)
	}
	if bad == nil && rest > 0 {
		bad = &flaw{r.at.offset, "no batch starts here"}
	}
	switch {
	case impossible && bad != nil:
		return r.corrupt(bad.reason + ", but complete batches follow")
	case impossible:
		return r.corrupt("no batch starts here, but complete batches follow")
	case bad == nil:
		return nil
	}
	r.tear = &TornWrite{Segment: segmentName(r.at.segment), Offset: r.at.offset, Bytes: max(rest, 1), Reason: bad.reason}
	return nil
}

// resolve checks a mark that the scan passed without meeting it. A mark that
// came from outside is searched for in the older segments; a hint of this host
// that is older than the last segment is obsolete.
func (r *recovery) resolve(m *mark) error {
	switch {
	case m.met || m.segment != 0 && m.segment < r.header.index:
		return nil
	case m.segment == 0:
		met, err := findFrontier(r.fs, r.dir, r.header.index, Frontier{m.seq, m.chain})
		if err != nil || met {
			return err
		}
	}
	return &CorruptError{
		Segment: segmentName(r.at.segment), Offset: m.offset, Seq: m.seq,
		Reason: fmt.Sprintf("the log differs from the records acknowledged according to %s: chain value %s", m.source,
			m.chain),
	}
}

// mark is an acknowledged position, which the log must reach.
type mark struct {
	position
	source string
	met    bool
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
