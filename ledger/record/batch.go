package record

import (
	"context"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// refuse records that the batch before was not projected. The log is append-only: a batch that must
// not count stays in it, and the refusal after it tells every replay to skip it.
func (w *Writer) refuse(ctx context.Context, turn *wal.AppendLock, from, to wal.Seq, why string) error {
	now := w.cfg.Clock().UTC().Round(0)
	b := batch{at: now, first: to + 1}
	refused := event.Refused{From: from, To: to, Reason: why}
	if err := b.add(w.stamp(now), []event.Event{refused}, nil); err != nil {
		return err
	}
	tx, err := w.project(ctx, b.records, storage.Now)
	if err != nil {
		return err
	}
	done, err := turn.AppendBatch(wal.Draft{At: now, Meta: w.mark(storage.Now), Records: b.encoded})
	if err != nil {
		return err
	}
	_, err = w.commit(ctx, tx, done, tx.Guards)
	return err
}

// batch collects the records of one append.
type batch struct {
	at      time.Time
	first   wal.Seq
	records []event.Record
	encoded [][]byte
}

func (b *batch) add(stamp event.Record, events []event.Event, under *event.Guard) error {
	for _, e := range events {
		r := stamp
		r.ID = ulid.MustNew(ulid.Timestamp(b.at), ulid.DefaultEntropy()).String()
		r.Event, r.Seq = e, b.first+wal.Seq(len(b.records))
		raw, err := event.Encode(r, under)
		if err != nil {
			return err
		}
		b.records, b.encoded = append(b.records, r), append(b.encoded, raw)
	}
	return nil
}

// stamp has the fields that all records of this run share.
func (w *Writer) stamp(at time.Time) event.Record {
	return event.Record{
		At: at, Instance: w.Instance(), Run: w.cfg.Run, User: w.cfg.User, UID: w.cfg.UID, Host: w.cfg.Host,
	}
}
