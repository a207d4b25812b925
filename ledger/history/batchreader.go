package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// batchReader reads single batches of the log, by the revisions that they made, and keeps what they
// say of one resource. The store says where they are; each batch is checked against the chain value
// that the store has.
type batchReader struct {
	l      *Reader
	clock  *logClock
	picker *wal.RandomReader
	ref    resource.Ref
	needle []byte
	left   int // how many more may be read; negative: any number
}

// pages returns a reader of at most most batches; a negative number means any. The caller closes
// its picker.
func (l *Reader) pages(c *logClock, ref resource.Ref, most int) (*batchReader, error) {
	quoted, err := event.Marshal(ref)
	return &batchReader{
		l: l, clock: c, picker: l.Log().RandomReader(), ref: ref, needle: bytes.Trim(quoted, `"`), left: most,
	}, err
}

// at are the records that name the resource in the batch which made a revision, reduced to it. It is
// false where this log does not have the batch: it is of another instance, was trimmed, or enough
// were read.
func (p *batchReader) at(ctx context.Context, r storage.Revision) (records []event.Record, ok bool, err error) {
	t, exact, err := p.clock.of(ctx, r)
	if err != nil || !exact || t.instance != p.l.Instance() || p.left == 0 {
		return nil, false, err
	}
	p.left--
	b, err := p.picker.Batch(t.head.Seq)
	if errors.Is(err, wal.ErrTrimmed) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("history: read the batch of revision %d: %w", r, err)
	}
	if t.head.Chain != "" && b.Chain.String() != t.head.Chain {
		return nil, false, fmt.Errorf("history: the log and the store differ at record %d (revision %d): "+
			"run `ovi audit verify`", t.head.Seq, r)
	}
	records, err = p.naming(b)
	return records, true, err
}

// naming decodes the records of a batch that name the resource. A record without the bytes of the
// ref is not decoded: this makes a search through large observations affordable.
func (p *batchReader) naming(b wal.Batch) (out []event.Record, err error) {
	for i, raw := range b.Records {
		if !bytes.Contains(raw, p.needle) {
			continue
		}
		r, err := event.DecodeRecord(pruned(raw, p.needle))
		if r.Seq = b.First + seq(i); err != nil {
			return nil, fmt.Errorf("record %d: %w", r.Seq, err)
		}
		if r, ok := cutDown(r, p.ref); ok {
			out = append(out, r)
		}
	}
	return out, nil
}

// cutDown reduces an observation or a plan to one resource; false if the record does not name it. A
// plan may have thousands of decisions, and an observation as many resources.
func cutDown(r event.Record, ref resource.Ref) (event.Record, bool) {
	switch e := r.Event.(type) {
	case event.Observed:
		i := slices.IndexFunc(e.Changed, func(o resource.Observed) bool { return o.Ref == ref })
		gone := slices.Contains(e.Gone, ref)
		changed := e.Changed
		e.Changed, e.Gone, e.Displaced = nil, nil, nil
		if i >= 0 {
			e.Changed = []resource.Observed{changed[i]}
		}
		if gone {
			e.Gone = []resource.Ref{ref}
		}
		r.Event = e
		return r, i >= 0 || gone
	case event.Planned:
		i := slices.IndexFunc(e.Decisions, func(d event.Decision) bool { return d.Ref == ref })
		if i < 0 {
			return r, false
		}
		e.Decisions = []event.Decision{e.Decisions[i]}
		r.Event = e
		return r, true
	}
	return r, event.Concerns(r.Event, ref)
}

// plan returns the record of a plan that made a revision, if the log has it, with its decision on
// the resource. If the batch is trimmed, was recorded by another instance, or the limit of reads is
// reached, the record is made from the rows of the store and has no number.
func (p *batchReader) plan(ctx context.Context, r storage.Revision, v rows.Plan, stack string) (event.Record, error) {
	_, d, err := p.decided(ctx, r)
	if err != nil {
		return event.Record{}, err
	}
	t, _, err := p.clock.of(ctx, r)
	if err != nil {
		return event.Record{}, err
	}
	out := event.Record{At: v.At, Instance: t.instance, Event: event.Planned{
		Plan: v.Plan, Stacks: []string{stack}, Mode: v.Mode, Hash: v.Hash, Same: same(v), Counts: v.Counts,
		Digest: v.Digest, Approving: v.Approving, Decisions: d,
	}}
	if t.instance != p.l.Instance() || t.rev != r || p.left == 0 {
		return out, nil
	}
	p.left--
	b, err := p.picker.Batch(t.head.Seq)
	if errors.Is(err, wal.ErrTrimmed) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("history: read the batch of revision %d: %w", r, err)
	}
	for i, raw := range b.Records {
		if !bytes.Contains(raw, []byte(v.Plan)) {
			continue
		}
		rec, err := event.DecodeRecord(pruned(raw, p.needle))
		if err != nil {
			return out, fmt.Errorf("record %d: %w", b.First+seq(i), err)
		}
		if e, ok := rec.Event.(event.Planned); ok && e.Plan == v.Plan {
			rec.Seq = b.First + seq(i)
			if cut, ok := cutDown(rec, p.ref); ok {
				return cut, nil
			}
			e.Decisions = d
			rec.Event = e
			return rec, nil
		}
	}
	return out, nil
}

// same returns the plan that lists the decisions of a plan, or an empty text if the plan lists them
// itself.
func same(v rows.Plan) string {
	if v.Listed == v.Plan {
		return ""
	}
	return v.Listed
}
