package ledger

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

const (
	partSize  = 4096 // things in one record of a big look
	errorSize = 4096 // of a failed look's error on record
)

// looks turns a world into events: what is new, different or gone, scope by scope.
func (l *Ledger) looks(ctx context.Context, w resource.World, since storage.Revision) ([]Event, error) {
	touched, err := l.touched(ctx, since)
	if err != nil {
		return nil, err
	}
	var events []Event
	for _, s := range scopesOf(w) {
		if snapshot, ok := w.Seen[s]; ok {
			d := delta{touched: touched}
			if err := d.compare(ctx, l.store, snapshot); err != nil {
				return nil, err
			}
			events = append(events, d.events(snapshot)...)
			continue
		}
		text := w.Failed[s].Error()
		events = append(events, Observed{Scope: s, Looked: l.cfg.Clock().UTC().Round(0), Error: text[:min(len(text), errorSize)], Part: 1, Of: 1})
	}
	return events, nil
}

func scopesOf(w resource.World) []resource.Scope {
	var out []resource.Scope
	for s := range w.Seen {
		out = append(out, s)
	}
	for s := range w.Failed {
		out = append(out, s)
	}
	slices.SortFunc(out, resource.Scope.Compare)
	return out
}

// touched are the things on which something was recorded after a revision: a look that began
// there does not know of it.
func (l *Ledger) touched(ctx context.Context, since storage.Revision) (map[string]bool, error) {
	if since < 0 {
		return nil, nil
	}
	out := map[string]bool{}
	for e, err := range l.store.Changes(ctx, keyThing, since, storage.Now) {
		if err != nil {
			return nil, fmt.Errorf("ledger: what was recorded since revision %d: %w", since, err)
		}
		out[e.Key] = true
	}
	return out, nil
}

// delta is how a snapshot differs from what is on record.
type delta struct {
	touched map[string]bool
	changed []resource.Observed
	gone    []resource.Ref
}

// compare merges the snapshot with the things on record, both in key order, and compares
// canonical bytes. What is unchanged is not decoded.
func (d *delta) compare(ctx context.Context, store storage.Store, snapshot resource.Snapshot) error {
	prefix := thingPrefix(snapshot.Scope)
	entries, _, err := store.Range(ctx, prefix, storage.Now)
	if err != nil {
		return err
	}
	next, stop := iter.Pull2(entries)
	defer stop()
	known, err := nextThing(next, prefix)
	if err != nil {
		return err
	}
	var key, content []byte
	for i := range byKey(snapshot.Objects) {
		o := &snapshot.Objects[i]
		key = append(append(key[:0], keyThing...), o.Ref.String()...)
		for known.Key != "" && known.Key < string(key) {
			d.lost(known.Key)
			if known, err = nextThing(next, prefix); err != nil {
				return err
			}
		}
		content = o.AppendJSON(content[:0])
		if known.Key == string(key) {
			if !bytes.Equal(known.Value, content) {
				d.found(known.Key, o)
			}
			if known, err = nextThing(next, prefix); err != nil {
				return err
			}
			continue
		}
		d.found(string(key), o)
	}
	for known.Key != "" {
		d.lost(known.Key)
		if known, err = nextThing(next, prefix); err != nil {
			return err
		}
	}
	return nil
}

func (d *delta) found(key string, o *resource.Observed) {
	if !d.touched[key] {
		d.changed = append(d.changed, *o)
	}
}

func (d *delta) lost(key string) {
	ref, err := resource.ParseRef(strings.TrimPrefix(key, keyThing))
	if err == nil && !d.touched[key] {
		d.gone = append(d.gone, ref)
	}
}

// nextThing is the next thing of the scope itself; the zero Entry at the end.
func nextThing(next func() (storage.Entry, error, bool), prefix string) (storage.Entry, error) {
	for {
		e, err, ok := next()
		if !ok || err != nil {
			return storage.Entry{}, err
		}
		if _, in := inScope(e.Key, prefix); in {
			return e, nil
		}
	}
}

// byKey yields the indexes of the things in the order of their keys. That is mostly the
// order they stand in: refs sort by parts, keys by bytes.
func byKey(objects []resource.Observed) iter.Seq[int] {
	less := func(a, b resource.Observed) int { return strings.Compare(keyPart(a.Ref), keyPart(b.Ref)) }
	return func(yield func(int) bool) {
		if slices.IsSortedFunc(objects, func(a, b resource.Observed) int { return compareKeys(a.Ref, b.Ref) }) {
			for i := range objects {
				if !yield(i) {
					return
				}
			}
			return
		}
		order := make([]int, len(objects))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return less(objects[i], objects[j]) })
		for _, i := range order {
			if !yield(i) {
				return
			}
		}
	}
}

func keyPart(r resource.Ref) string { return r.Kind + "/" + r.Name }

// compareKeys is keyPart's order, mostly without building the keys.
func compareKeys(a, b resource.Ref) int {
	if a.Kind == b.Kind {
		return strings.Compare(a.Name, b.Name)
	}
	return strings.Compare(keyPart(a), keyPart(b))
}

// events are one Observed, or several if much has changed.
func (d *delta) events(s resource.Snapshot) []Event {
	base := Observed{Scope: s.Scope, Looked: s.At.UTC().Round(0), Complete: true, Count: len(s.Objects), Stacks: stacksOf(s)}
	n := max(1, (len(d.changed)+len(d.gone)+partSize-1)/partSize)
	out := make([]Event, n)
	for i := range n {
		e := base
		e.Part, e.Of = i+1, n
		room := partSize
		k := min(room, len(d.changed))
		e.Changed, d.changed = d.changed[:k:k], d.changed[k:]
		k = min(room-k, len(d.gone))
		e.Gone, d.gone = d.gone[:k:k], d.gone[k:]
		out[i] = e
	}
	return out
}

// stacksOf are the stacks that own something in the snapshot.
func stacksOf(s resource.Snapshot) []string {
	seen := map[string]bool{}
	var out []string
	for i := range s.Objects {
		if o := &s.Objects[i]; o.Managed && o.Stack != "" && !seen[o.Stack] {
			seen[o.Stack] = true
			out = append(out, o.Stack)
		}
	}
	slices.Sort(out)
	return out
}
