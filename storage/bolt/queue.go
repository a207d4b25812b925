package bolt

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// errStuck: an operation of this process has the file and does not end, as on a disk that hangs.
var errStuck = fmt.Errorf("%w: an operation of this process has not ended", storage.ErrBusy)

// queue lets one operation of the process after the other have the file. Hundreds may wait while a slow disk syncs for
// each, so no length of a wait is too long: a waiter gives up once no other operation has started or ended for a time.
type queue struct {
	turn chan struct{} // holds one value while an operation has its turn

	mu     sync.Mutex
	moved  time.Time // when an operation got the file, or left it
	inside bool      // an operation has the file
}

func newQueue() queue { return queue{turn: make(chan struct{}, 1)} }

// since is the time from which a wait counts that started at a time.
func (q *queue) since(begun time.Time) time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.moved.After(begun) {
		return q.moved
	}
	return begun
}

func (q *queue) enter(ctx context.Context, patience time.Duration) error {
	select {
	case q.turn <- struct{}{}:
		return nil
	default:
	}
	begun := time.Now()
	for {
		left := time.NewTimer(time.Until(q.since(begun).Add(patience)))
		select {
		case q.turn <- struct{}{}:
			left.Stop()
			return nil
		case <-ctx.Done():
			left.Stop()
			return context.Cause(ctx)
		case <-left.C:
			if time.Since(q.since(begun)) >= patience {
				return q.stuck()
			}
		}
	}
}

func (q *queue) stuck() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.inside {
		return errStuck
	}
	return storage.ErrBusy
}

// begin notes that the operation whose turn it is got the file.
func (q *queue) begin() { q.note(true) }

func (q *queue) leave() {
	q.note(false)
	<-q.turn
}

func (q *queue) note(inside bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if inside || q.inside { // an operation that did not get the file moves nothing
		q.moved = time.Now()
	}
	q.inside = inside
}
