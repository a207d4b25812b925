package wal

import (
	"context"
	"errors"
)

// groupLimit bounds the payload of a shared batch, and so the time that a caller
// waits for the records of others.
const groupLimit = 4 << 20

// Append acquires the append lock, makes records durable and releases it. Calls
// that arrive while another one is writing are written together, with one sync:
// the records of one call stay together and in order. The returned batch gives
// the numbers of these records; its chain value is that of the shared batch. If
// ctx ends first, the records were not appended.
func (l *Log) Append(ctx context.Context, records ...[]byte) (Batch, error) {
	if len(records) == 0 {
		return Batch{}, errors.New("wal: append: no records")
	}
	if plainSize(records) > maxPayload {
		return Batch{}, ErrTooLarge
	}
	r := &request{records: records, done: make(chan struct{})}
	l.mu.Lock()
	l.queue = append(l.queue, r)
	l.mu.Unlock()
	t, err := l.lockOr(ctx, r.done)
	switch {
	case t != nil:
		l.lead(t, r)
	case err != nil && l.withdraw(r):
		return Batch{}, err
	}
	<-r.done
	return r.batch, r.err
}

// lockOr waits for the append lock, or until another goroutine has written the
// request: then it returns neither a lock nor an error.
func (l *Log) lockOr(ctx context.Context, done <-chan struct{}) (*AppendLock, error) {
	select {
	case <-done:
		return nil, nil
	default:
	}
	select {
	case <-done:
		return nil, nil
	case <-ctx.Done():
		return nil, l.lockError(ctx.Err())
	case l.token <- struct{}{}:
	}
	if l.o.readOnly {
		<-l.token
		return nil, ErrReadOnly
	}
	if err := l.take(ctx); err != nil {
		<-l.token
		return nil, err
	}
	return &AppendLock{l: l}, nil
}

// withdraw removes a request from the queue and reports whether it was still
// queued; if not, another goroutine is writing it.
func (l *Log) withdraw(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.queue {
		if other == r {
			l.queue = append(l.queue[:i:i], l.queue[i+1:]...)
			return true
		}
	}
	return false
}

// lead writes what is waiting, until the request of the leader is among it.
func (l *Log) lead(t *AppendLock, own *request) {
	for !own.taken {
		group := l.gather()
		b, err := l.write(Draft{Records: together(group)})
		if err == nil {
			err = l.acknowledge(!own.taken)
		}
		next := b.First
		for _, r := range group {
			r.batch, r.err = b, err
			r.batch.First, r.batch.Last = next, next+Seq(len(r.records))-1
			next += Seq(len(r.records))
			close(r.done)
		}
	}
	if err := t.Unlock(); err != nil {
		_ = l.breakDown(err) // the records are durable; the next append reports it
	}
}

// gather removes the requests of one batch from the queue. There is at least
// one: that of the leader.
func (l *Log) gather() []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, size := 0, int64(0)
	for ; n < len(l.queue); n++ {
		size += plainSize(l.queue[n].records)
		if n > 0 && size > groupLimit {
			break
		}
		l.queue[n].taken = true
	}
	group := l.queue[:n:n]
	l.queue = l.queue[n:]
	return group
}

func together(group []*request) [][]byte {
	if len(group) == 1 {
		return group[0].records
	}
	var records [][]byte
	for _, r := range group {
		records = append(records, r.records...)
	}
	return records
}
