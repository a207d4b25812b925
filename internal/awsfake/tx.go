package awsfake

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strconv"
	"time"
)

// tx is one request's view of the state: it applies changes at once, keeps what
// is needed to take them back, and remembers them for the journal.
type tx struct {
	st   *state
	now  time.Time
	undo []func()
	ops  []op
	seq0 int64

	hide func(e entity) bool // answers of a read that lags behind; nil when none
}

// op is one change, in the form in which the journal keeps it.
type op struct {
	Kind   string `json:"k"`
	Region string `json:"r,omitempty"`
	Del    string `json:"del,omitempty"`
	Put    entity `json:"put,omitempty"`
	fresh  bool   `json:"-"`
}

func newTx(st *state, now time.Time) *tx { return &tx{st: st, now: now, seq0: st.seq} }

func (t *tx) put(e entity) {
	tab := t.st.tableOf(e)
	old := tab.get(e.meta().ID)
	tab.put(e)
	t.undo = append(t.undo, func() {
		if old != nil {
			tab.put(old)
		} else {
			tab.drop(e.meta().ID)
		}
	})
	t.ops = append(t.ops, op{Kind: t.st.kinds.of(e).Name, Region: e.meta().Region, Put: e, fresh: old == nil})
}

func (t *tx) drop(e entity) {
	tab := t.st.tableOf(e)
	old := tab.get(e.meta().ID)
	if old == nil {
		return
	}
	tab.drop(e.meta().ID)
	t.undo = append(t.undo, func() { tab.put(old); tab.mixed = true })
	t.ops = append(t.ops, op{Kind: t.st.kinds.of(e).Name, Region: e.meta().Region, Del: e.meta().ID})
}

// rollback takes every change back, newest first.
func (t *tx) rollback() {
	for i := len(t.undo) - 1; i >= 0; i-- {
		t.undo[i]()
	}
	t.st.seq = t.seq0
	t.undo, t.ops = nil, nil
}

// fresh gives the base of a new resource: an id in AWS's form that no other resource
// of this state has, and never had.
func (t *tx) fresh(prefix, region string) base {
	seq := t.next()
	return base{ID: prefix + t.st.hex(prefix+region, seq)[:17], Region: region, Seq: seq, Made: t.now}
}

// named is fresh for resources whose name is chosen by the caller.
func (t *tx) named(name, region string) base {
	return base{ID: name, Region: region, Seq: t.next(), Made: t.now}
}

func (t *tx) next() int64 { t.st.seq++; return t.st.seq }

// hex is a number that appears random and is the same for the same state, seed
// and sequence: two processes that open one file agree on it.
func (s *state) hex(label string, seq int64) string {
	sum := sha256.Sum256([]byte(s.salt + "|" + label + "|" + strconv.FormatInt(seq, 10)))
	return "0" + hex.EncodeToString(sum[:])
}

// find gives one resource. Resources that have expired are not found.
func find[T entity](t *tx, region, id string) (T, bool) {
	var zero T
	e := tableOf[T](t, region).get(id)
	if e == nil || t.unread(e) {
		return zero, false
	}
	return e.(T), true
}

// list gives the resources of one kind in one region, oldest first.
func list[T entity](t *tx, region string) []T {
	rows := tableOf[T](t, region).rows()
	out := make([]T, 0, len(rows))
	for _, e := range rows {
		if e != nil && !t.unread(e) {
			out = append(out, e.(T))
		}
	}
	return out
}

// below gives the resources of one kind that are under another one, oldest first, those that have expired too.
func below[T entity](t *tx, region, parent string) []T {
	all := tableOf[T](t, region).below(parent)
	out := make([]T, 0, len(all))
	for _, e := range all {
		out = append(out, e.(T))
	}
	return out
}

// countBelow is how many of one kind are under another one.
func countBelow[T entity](t *tx, region, parent string) int {
	return tableOf[T](t, region).count(parent)
}

func tableOf[T entity](t *tx, region string) *table {
	return t.st.table(t.st.kinds.byType[reflect.TypeFor[T]()].Name, region)
}

func (t *tx) unread(e entity) bool {
	if m, ok := e.(mortal); ok && m.gone(t.now) {
		return true
	}
	return t.hide != nil && t.hide(e)
}
