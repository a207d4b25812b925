package wal

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Report is what Verify read, up to the first error.
type Report struct {
	Log      [16]byte
	Segments int
	Batches  int
	Records  int
	First    Seq                 // the oldest record that is kept
	Last     Seq                 // the newest one
	Chain    Chain               // at the end
	Trimmed  time.Time           // when the ones before First were removed; zero if never
	Tree     Tree                // over all batches, trimmed ones too
	Signed   Seq                 // the last record that a signature covers
	Keys     []ed25519.PublicKey // that signed, in order of appearance
	Torn     *TornWrite          // an append at the end that was never acknowledged
}

// Verify reads all of a log, changes nothing and returns a *CorruptError for
// the first difference from what was written: in a byte, a record, a batch, a
// segment, a signature, or the end of the log.
//
// With a key (and those of WithTrustedKey) every batch must be signed by it; with nil any key is accepted, so
// that a forger with write access is not detected: see Report.Keys. Where a key signed many batches of a segment,
// only its last signature is verified, because the chain covers the earlier ones. WithFrontier and WithAnchor name
// positions that the log must contain. Of what was trimmed the anchors that were given are found. In a log that is in
// use, Report.Torn may be an append in progress.
func Verify(dir string, key ed25519.PublicKey, opts ...Option) (Report, error) {
	o, err := newOptions(dir, opts)
	if err != nil {
		return Report{}, err
	}
	if key != nil {
		o.trusted = append(o.trusted, key)
	}
	v := &verifier{o: o, dir: dir}
	err = v.run()
	return v.report, err
}

type verifier struct {
	o       options
	dir     string
	marks   []*mark
	report  Report
	end     position
	tree    Tree     // over all batches so far, trimmed ones too
	anchors []Anchor // that are to be found in what is kept
	last    signed   // the signature read last, which is verified before another key signs
	lastAt  position // behind it
}

func (v *verifier) run() error {
	known, ok, err := v.hint() // first, because the segments may grow meanwhile
	if err != nil {
		return fmt.Errorf("wal: verify %s: %w", v.dir, err)
	}
	d, err := scanForward(v.o.fs, v.dir)
	if err != nil {
		return fmt.Errorf("wal: verify %s: %w", v.dir, err)
	}
	if len(d.segments) == 0 {
		return fmt.Errorf("wal: verify %s: no log found: %w", v.dir, fs.ErrNotExist)
	}
	v.report.Log, v.report.First = d.segments[0].log, d.segments[0].first
	v.report.Segments = len(d.segments)
	if t := d.trim; t != nil {
		v.report.Trimmed = t.end.At
		if !v.trusts(t.end.Key) {
			return &CorruptError{
				Segment: trimName, Seq: t.end.Seq + 1,
				Reason: "the oldest segments were removed under an untrusted key: " + FormatPublicKey(t.end.Key),
			}
		}
		v.note(t.end.Seq, t.end.Key)
	}
	if ok && known.log == v.report.Log && known.at.segment >= d.segments[0].index {
		v.marks = append(v.marks, &mark{position: known.at, source: fromLock})
	}
	if err := v.setMarks(d); err != nil {
		return err
	}
	v.end = position{seq: d.segments[0].first - 1, chain: d.segments[0].prev}
	for _, h := range d.segments {
		if err := v.checkSegment(h, h.index == d.last().index); err != nil {
			return err
		}
	}
	for _, m := range v.marks { // every required position must be met
		if !m.met {
			return &CorruptError{
				Segment: segmentName(max(m.segment, 1)), Offset: m.offset, Seq: m.seq,
				Reason: fmt.Sprintf("the log lacks what was acknowledged according to %s: chain value %s", m.source, m.chain),
			}
		}
	}
	return nil
}

// hint reads the lock file, which may be missing: a copy of the segments is a log.
func (v *verifier) hint() (t tailHint, ok bool, err error) {
	lock, err := v.o.fs.OpenFile(filepath.Join(v.dir, lockName), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return t, false, nil
	}
	if err == nil {
		t, ok = readHint(lock)
		err = lock.Close()
	}
	return t, ok, err
}

// setMarks collects the positions that the caller requires.
func (v *verifier) setMarks(d directory) error {
	if f := v.o.frontier; f != nil {
		v.marks = append(v.marks, &mark{
			position: position{seq: f.Seq, chain: f.Chain},
			source:   "the frontier kept elsewhere",
		})
	}
	for _, s := range v.o.seen {
		if s.at.Seq+1 >= v.report.First {
			v.marks = append(v.marks, &mark{position: position{seq: s.at.Seq, chain: s.at.Chain}, source: s.source})
		}
	}
	v.tree = d.trimmedTree()
	for _, c := range v.o.anchors {
		switch {
		case c.Log != v.report.Log:
			return fmt.Errorf("wal: verify %s: the checkpoint of record %d %w", v.dir, c.Seq, ErrOtherLog)
		case !c.Valid() || !v.trusts(c.Key):
			return fmt.Errorf("wal: verify %s: the checkpoint of record %d is not signed by a trusted key", v.dir, c.Seq)
		}
		if d.trim != nil && c.Batches <= d.trim.end.Batches {
			if err := d.trim.locate(c); err != nil {
				return err
			}
			continue
		}
		v.anchors = append(v.anchors, c)
		v.marks = append(v.marks, &mark{
			position: position{seq: c.Seq, chain: c.Chain},
			source:   "a checkpoint kept elsewhere",
		})
	}
	return d.reach(v.marks)
}

// checkSegment checks one segment, and that it continues the one before.
func (v *verifier) checkSegment(want segmentHeader, last bool) error {
	f, h, chain, err := openSegment(v.o.fs, v.dir, want.index, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	if h.prev != v.end.chain || h.first != v.end.seq+1 {
		return corruptHeader(h, "it does not continue the segment before it")
	}
	meet(v.marks, v.end)
	s := newScanner(f, h.log, position{h.index, segmentHeaderSize, h.first - 1, chain})
	r := &recovery{scanner: s, header: h, fs: v.o.fs, dir: v.dir, signed: h.signed}
	v.last, v.lastAt = h.signed, s.at
	bad, err := r.frames(v.marks, func(f frame) error { return v.check(r, f) })
	v.end = r.at
	v.report.Last, v.report.Chain, v.report.Tree = r.at.seq, r.at.chain, v.tree
	if err == nil {
		err = v.verifyLast()
	}
	if err != nil {
		return err
	}
	if last {
		for _, m := range v.marks {
			if m.beyond(r.at) {
				return r.cutOff(m, bad)
			}
		}
		err := r.judge(bad)
		v.report.Torn = r.tear
		return err
	}
	switch { // an older segment must end with its seal
	case bad != nil:
		return r.explain(bad)
	case !r.sealed:
		return r.explain(errEnd)
	}
	return r.atSeal()
}

// check decodes and checks a frame.
func (v *verifier) check(r *recovery, f frame) error {
	if !v.last.key.Equal(f.signed.key) {
		if err := v.verifyLast(); err != nil {
			return err
		}
	}
	v.last, v.lastAt = f.signed, r.at
	if f.kind != kindRecords {
		return nil
	}
	e := &CorruptError{Segment: segmentName(r.at.segment), Offset: f.start, Seq: f.first}
	v.report.Batches++
	v.report.Records += int(f.count)
	if _, err := f.records(); err != nil {
		e.Reason = err.Error()
		return e
	}
	v.tree.Append(leafOf(r.at.chain))
	for _, a := range v.anchors {
		if a.Batches == v.tree.End && a.Root != v.tree.Root() {
			e.Reason = fmt.Sprintf("the records do not match the checkpoint of record %d", a.Seq)
			return e
		}
	}
	return nil
}

// verifyLast verifies the signature read last.
func (v *verifier) verifyLast() error {
	e := &CorruptError{Segment: segmentName(v.lastAt.segment), Offset: v.lastAt.offset, Seq: v.lastAt.seq}
	switch {
	case !v.last.valid(v.report.Log):
		e.Reason = "invalid signature"
	case !v.trusts(v.last.key):
		key := FormatPublicKey(v.last.key)
		e.Reason = fmt.Sprintf("record %d is signed by an untrusted key: %s", v.lastAt.seq, key)
	default:
		v.note(v.lastAt.seq, v.last.key)
		return nil
	}
	return e
}

// note records what a valid signature covers, and its key.
func (v *verifier) note(seq Seq, key ed25519.PublicKey) {
	v.report.Signed = seq
	for _, k := range v.report.Keys {
		if k.Equal(key) {
			return
		}
	}
	v.report.Keys = append(v.report.Keys, key)
}

func (v *verifier) trusts(key ed25519.PublicKey) bool {
	for _, k := range v.o.trusted {
		if k.Equal(key) {
			return true
		}
	}
	return len(v.o.trusted) == 0
}
