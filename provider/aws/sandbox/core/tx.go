package core

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strconv"
	"time"
)

// Tx is one request's view of the state: it applies changes at once, keeps what
// is needed to take them back, and remembers them for the journal.
type Tx struct {
	St   *State
	Now  time.Time
	undo []func()
	Ops  []Op
	Seq0 int64

	Hide func(e Entity) bool // answers of a read that lags behind; nil when none
}

// Op is one change, in the form in which the journal keeps it.
type Op struct {
	Kind   string `json:"k"`
	Region string `json:"r,omitempty"`
	Del    string `json:"del,omitempty"`
	Put    Entity `json:"put,omitempty"`
	Fresh  bool   `json:"-"`
}

// NewTx begins a transaction.
func NewTx(st *State, now time.Time) *Tx { return &Tx{St: st, Now: now, Seq0: st.Seq} }

// Put adds an entity, or replaces the one with its ID.
func (t *Tx) Put(e Entity) {
	tab := t.St.tableOf(e)
	old := tab.Get(e.Meta().ID)
	tab.put(e)
	t.undo = append(t.undo, func() {
		if old != nil {
			tab.put(old)
		} else {
			tab.drop(e.Meta().ID)
		}
	})
	t.Ops = append(t.Ops, Op{Kind: t.St.Kinds.Of(e).Name, Region: e.Meta().Region, Put: e, Fresh: old == nil})
}

// Drop removes an entity.
func (t *Tx) Drop(e Entity) {
	tab := t.St.tableOf(e)
	old := tab.Get(e.Meta().ID)
	if old == nil {
		return
	}
	tab.drop(e.Meta().ID)
	t.undo = append(t.undo, func() { tab.put(old); tab.mixed = true })
	t.Ops = append(t.Ops, Op{Kind: t.St.Kinds.Of(e).Name, Region: e.Meta().Region, Del: e.Meta().ID})
}

// Rollback takes every change back, newest first.
func (t *Tx) Rollback() {
	for i := len(t.undo) - 1; i >= 0; i-- {
		t.undo[i]()
	}
	t.St.Seq = t.Seq0
	t.undo, t.Ops = nil, nil
}

// Fresh returns the base of a new resource: an id in AWS's form that no other resource
// of this state has, and never had.
func (t *Tx) Fresh(prefix, region string) Base {
	seq := t.Next()
	return Base{ID: prefix + t.St.Hex(prefix+region, seq)[:17], Region: region, Seq: seq, Made: t.Now}
}

// Named is fresh for resources whose name is chosen by the caller.
func (t *Tx) Named(name, region string) Base {
	return Base{ID: name, Region: region, Seq: t.Next(), Made: t.Now}
}

// Next returns the next sequence number.
func (t *Tx) Next() int64 { t.St.Seq++; return t.St.Seq }

// Hex is a number that appears random and is the same for the same state, seed
// and sequence: two processes that open one file agree on it.
func (s *State) Hex(label string, seq int64) string {
	sum := sha256.Sum256([]byte(s.Salt + "|" + label + "|" + strconv.FormatInt(seq, 10)))
	return "0" + hex.EncodeToString(sum[:])
}

// Find returns one resource. Resources that have expired are not found.
func Find[T Entity](t *Tx, region, id string) (T, bool) {
	var zero T
	e := tableOf[T](t, region).Get(id)
	if e == nil || t.Unread(e) {
		return zero, false
	}
	return e.(T), true
}

// List returns the resources of one kind in one region, oldest first.
func List[T Entity](t *Tx, region string) []T {
	rows := tableOf[T](t, region).Rows()
	out := make([]T, 0, len(rows))
	for _, e := range rows {
		if e != nil && !t.Unread(e) {
			out = append(out, e.(T))
		}
	}
	return out
}

// Below returns the resources of one kind that are under another one, oldest first, those that have expired too.
func Below[T Entity](t *Tx, region, parent string) []T {
	all := tableOf[T](t, region).Below(parent)
	out := make([]T, 0, len(all))
	for _, e := range all {
		out = append(out, e.(T))
	}
	return out
}

// CountBelow is how many of one kind are under another one.
func CountBelow[T Entity](t *Tx, region, parent string) int {
	return tableOf[T](t, region).Count(parent)
}

func tableOf[T Entity](t *Tx, region string) *table {
	return t.St.Table(t.St.Kinds.byType[reflect.TypeFor[T]()].Name, region)
}

// Unread reports whether an entity is not found: it has expired, or a planned fault hides it.
func (t *Tx) Unread(e Entity) bool {
	if m, ok := e.(mortal); ok && m.Gone(t.Now) {
		return true
	}
	return t.Hide != nil && t.Hide(e)
}
