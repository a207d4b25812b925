package faultrun

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/test/faultrun/check"
)

// attempt is one line about an attempt of an instance on claims: written when it starts, and again
// with its answer. An attempt without an answer has only the first line.
type attempt struct {
	ID     string    `json:"id"`
	Ref    string    `json:"ref"`
	Take   bool      `json:"take,omitempty"`
	Token  int64     `json:"token,omitempty"`
	Nonce  string    `json:"nonce,omitempty"`
	Run    string    `json:"run,omitempty"`
	At     time.Time `json:"at"`
	Result string    `json:"result,omitempty"`
}

const skipped = "skipped" // not about the claim: no lease, nothing tried

// witnessed is a store that records all attempts on claims.
type witnessed struct {
	storage.Store
	name string
	mu   sync.Mutex
	file *os.File
	n    int
}

func (w *witnessed) write(a attempt) {
	a.At = time.Now()
	b, err := json.Marshal(a)
	if err == nil {
		_, err = w.file.Write(append(b, '\n'))
	}
	if err != nil {
		panic(err) // without this record a run proves nothing
	}
}

func (w *witnessed) begin(tx storage.Tx) (attempt, bool) {
	if len(tx.Ops) != 1 || len(tx.Guards) != 1 || !strings.HasPrefix(tx.Ops[0].Key, coordinator.Prefix) {
		return attempt{}, false
	}
	op := tx.Ops[0]
	a := attempt{Ref: strings.TrimPrefix(op.Key, coordinator.Prefix), Take: !op.Delete, Token: int64(tx.Guards[0].Created)}
	if a.Take {
		if json.Unmarshal(op.Value, &a) != nil { // run and nonce; no other field has the same name
			return attempt{}, false
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	a.ID = w.name + "/" + time.Now().Format("150405.000000") + "/" + string(rune('a'+w.n%26))
	w.write(a)
	return a, true
}

// Commit implements storage.Store.
func (w *witnessed) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	a, is := w.begin(tx)
	rev, err := w.Store.Commit(ctx, tx)
	if !is {
		return rev, err
	}
	switch {
	case err == nil:
		a.Result = string(check.OpDone)
		if a.Take {
			a.Token = int64(rev)
		}
	case errors.Is(err, storage.ErrConflict):
		a.Result = string(check.OpRefused)
	case errors.Is(err, storage.ErrNoLease), errors.Is(err, storage.ErrInvalid):
		a.Result = skipped
	default:
		a.Result = string(check.OpUnknown)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write(a)
	return rev, err
}

// GrantWithin implements storage.BoundedLeaser.
func (w *witnessed) GrantWithin(ctx context.Context, within time.Duration) (storage.LeaseID, time.Duration, error) {
	return storage.GrantWithin(ctx, w.Store, within)
}

// Watch implements storage.Watcher.
func (w *witnessed) Watch(ctx context.Context, prefix string, notice func() bool) error {
	return w.Store.(storage.Watcher).Watch(ctx, prefix, notice)
}

// unfenced is a store that ignores the tokens of claims: what an instance commits is applied
// whether its claim exists or not. It shows that the checker can fail.
type unfenced struct {
	storage.Store
	mu    sync.Mutex
	taken map[string]storage.Revision
}

// Commit implements storage.Store.
func (u *unfenced) Commit(ctx context.Context, tx storage.Tx) (storage.Revision, error) {
	about := len(tx.Ops) == 1 && strings.HasPrefix(tx.Ops[0].Key, coordinator.Prefix)
	if !about {
		tx.Guards = slices.DeleteFunc(slices.Clone(tx.Guards), func(g storage.Guard) bool { return strings.HasPrefix(g.Key, coordinator.Prefix) })
	}
	rev, err := u.Store.Commit(ctx, tx)
	if about && err == nil && !tx.Ops[0].Delete {
		u.mu.Lock()
		u.taken[tx.Ops[0].Key] = rev
		u.mu.Unlock()
	}
	return rev, err
}

// GrantWithin implements storage.BoundedLeaser.
func (u *unfenced) GrantWithin(ctx context.Context, within time.Duration) (storage.LeaseID, time.Duration, error) {
	return storage.GrantWithin(ctx, u.Store, within)
}

// Watch implements storage.Watcher.
func (u *unfenced) Watch(ctx context.Context, prefix string, notice func() bool) error {
	return u.Store.(storage.Watcher).Watch(ctx, prefix, notice)
}

// Range implements storage.Store: a claim once acquired seems to exist forever.
func (u *unfenced) Range(ctx context.Context, prefix string, at storage.Revision) (iter.Seq2[storage.Entry, error], storage.Revision, error) {
	u.mu.Lock()
	token, mine := u.taken[prefix]
	u.mu.Unlock()
	if !mine {
		return u.Store.Range(ctx, prefix, at)
	}
	return func(yield func(storage.Entry, error) bool) {
		yield(storage.Entry{Key: prefix, Value: []byte("{}"), Created: token, Modified: token}, nil)
	}, 0, nil
}

// deaf are claims whose holder is never notified that it has lost one.
type deaf struct{ *coordinator.Claims }

// Hold implements engine.Claims.
func (d deaf) Hold(ctx context.Context, ref string, do func(context.Context, engine.Claim) error) error {
	return d.Claims.Hold(ctx, ref, func(ctx context.Context, c engine.Claim) error { return do(context.WithoutCancel(ctx), c) })
}
