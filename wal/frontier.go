package wal

import (
	"errors"
	"fmt"
	"os"

	"github.com/ovi-project/ovi/internal/vfs"
)

// findFrontier searches from the last segment backwards for a position with this
// number and this chain value. Several frames may end at one record (the batch,
// then a seal), so segments are read until one starts before it. What was
// trimmed cannot be searched and counts as met.
func findFrontier(fsys vfs.FS, dir string, last uint64, want Frontier) (bool, error) {
	if want.Seq == 0 {
		return true, nil
	}
	for index := last; index > 0; index-- {
		f, h, chain, err := openSegment(fsys, dir, index, os.O_RDONLY)
		if errors.Is(err, os.ErrNotExist) {
			return true, nil // trimmed
		}
		if err != nil {
			return false, err
		}
		met := want == Frontier{h.first - 1, h.prev} || want == Frontier{h.first - 1, chain}
		var bad *flaw
		if !met && h.first <= want.Seq+1 {
			met, err = passes(f, h, chain, want)
		}
		if errors.As(err, &bad) && index == last {
			err = nil // the caller has judged its tail
		} else if bad != nil {
			err = &CorruptError{Segment: segmentName(index), Offset: bad.offset, Seq: h.first, Reason: bad.reason}
		}
		if err = errors.Join(err, f.Close()); met || err != nil {
			return met, err
		}
		if h.first <= want.Seq {
			return false, nil
		}
	}
	return true, nil
}

// passes reports whether a scan of the segment meets the position.
func passes(f vfs.File, h segmentHeader, chain Chain, want Frontier) (bool, error) {
	s := newScanner(f, h.log, position{h.index, segmentHeaderSize, h.first - 1, chain})
	for s.at.seq <= want.Seq {
		if want == (Frontier{s.at.seq, s.at.chain}) {
			return true, nil
		}
		if _, err := s.next(); errors.Is(err, errEnd) {
			return false, nil
		} else if err != nil {
			return false, fmt.Errorf("wal: read %s: %w", segmentName(h.index), err)
		}
	}
	return false, nil
}
