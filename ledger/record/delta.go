package record

import (
	"bytes"
	"iter"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// delta is the difference between a snapshot and the records.
type delta struct {
	snapshot resource.Snapshot
	touched  map[string]bool
	changed  [][]resource.Observed // in parts, each as many as one record takes
	odd      []event.Displaced
	gone     []resource.Ref
	stays    []string // stacks of resources that the snapshot misses because they are newer
}

// compare merges the snapshot with the recorded resources, both in key order, and compares
// canonical bytes. Unchanged resources are not decoded. A recorded resource that the snapshot does
// not have is gone only if its kind was read in full.
func (d *delta) compare(entries iter.Seq2[storage.Entry, error], snapshot resource.Snapshot) error {
	next, stop := iter.Pull2(entries)
	defer stop()
	d.snapshot = snapshot
	r := &recorded{next: next, prefix: rows.ResourcePrefix(snapshot.Scope)}
	r.advance()
	var key, content []byte
	for as, o := range keyed(snapshot) {
		key = rows.AppendOf(key[:0], rows.KeyResource, &as)
		for r.err == nil && r.at.Key != "" && r.at.Key < string(key) {
			d.lost(r.at)
			r.advance()
		}
		if r.err != nil {
			return r.err
		}
		if r.at.Key != string(key) {
			d.found(key, as, o)
			continue
		}
		if content = o.AppendJSON(content[:0]); !bytes.Equal(r.at.Value, content) {
			d.found(key, as, o)
		}
		r.advance()
	}
	for ; r.err == nil && r.at.Key != ""; r.advance() {
		d.lost(r.at)
	}
	return r.err
}

func (d *delta) found(key []byte, as resource.Ref, o *resource.Observed) {
	switch {
	case d.touched[string(key)]:
	case as != o.Ref:
		d.odd = append(d.odd, event.Displaced{As: as, Resource: *o})
	default:
		n := len(d.changed)
		if n == 0 || len(d.changed[n-1]) == partSize {
			var part []resource.Observed // mostly little has changed; if not, then much
			if n > 0 {
				part = make([]resource.Observed, 0, partSize)
			}
			d.changed = append(d.changed, part)
			n++
		}
		d.changed[n-1] = append(d.changed[n-1], *o)
	}
}

func (d *delta) lost(e storage.Entry) {
	ref, err := rows.RefOf(rows.KeyResource, e.Key)
	if err == nil && d.touched[e.Key] && ref.Stack != "" {
		d.stays = append(d.stays, ref.Stack)
	}
	if err == nil && !d.touched[e.Key] && d.snapshot.Covers(ref.Kind) == nil && !d.hidden(ref, e.Value) {
		d.gone = append(d.gone, ref)
	}
}

// hidden reports whether a filter may have hidden a recorded resource: only managed resources were read
// whatever their tags.
func (d *delta) hidden(ref resource.Ref, content []byte) bool {
	if !slices.Contains(d.snapshot.Filtered, ref.Kind) {
		return false
	}
	if ref.Stack == "" {
		return true
	}
	o, err := resource.ParseObserved(content)
	return err != nil || !o.Managed()
}

// recorded iterates over the recorded resources of a scope.
type recorded struct {
	next   func() (storage.Entry, error, bool)
	prefix string
	at     storage.Entry // the zero Entry at the end
	err    error
}

// advance goes to the next resource of the scope itself.
func (r *recorded) advance() {
	for {
		e, err, ok := r.next()
		if !ok || err != nil {
			r.at, r.err = storage.Entry{}, err
			return
		}
		if rows.InScope(e.Key, r.prefix) {
			r.at = e
			return
		}
	}
}
