package history

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// Filter selects records of the log; zero fields select all.
type Filter struct {
	Ref      resource.Ref // records about it, and observations and plans that name it
	Types    []string
	Since    time.Time
	Until    time.Time
	Run      string // or its beginning
	Instance string // or its beginning
	From     wal.Seq
}

func seq(i int) wal.Seq { return wal.Seq(i) }

// matcher returns a function that decodes records which may match and reports whether they do. A
// record without the bytes of the ref is not decoded.
func (f Filter) matcher() func([]byte) (event.Record, bool, error) {
	var needle []byte
	if !f.Ref.IsZero() {
		quoted, _ := event.Marshal(f.Ref)
		needle = bytes.Trim(quoted, `"`)
	}
	return func(raw []byte) (event.Record, bool, error) {
		if !bytes.Contains(raw, needle) {
			return event.Record{}, false, nil
		}
		r, err := event.DecodeRecord(raw)
		return r, err == nil && f.matches(r), err
	}
}

// matches reports whether a record satisfies every condition. Both bounds of time are inclusive.
func (f Filter) matches(r event.Record) bool {
	switch {
	case len(f.Types) > 0 && !slices.Contains(f.Types, r.Event.Type()):
	case !f.Since.IsZero() && r.At.Before(f.Since):
	case !f.Until.IsZero() && r.At.After(f.Until):
	case !strings.HasPrefix(r.Run, f.Run) || !strings.HasPrefix(r.Instance, f.Instance):
	case !f.Ref.IsZero() && !names(r.Event, f.Ref):
	default:
		return true
	}
	return false
}

// names reports whether the event is about the resource, or lists it.
func names(e event.Event, ref resource.Ref) bool {
	switch e := e.(type) {
	case event.Observed:
		return slices.Contains(e.Gone, ref) ||
			slices.ContainsFunc(e.Changed, func(o resource.Observed) bool { return o.Ref == ref })
	case event.Planned:
		return slices.ContainsFunc(e.Decisions, func(d event.Decision) bool { return d.Ref == ref })
	}
	return event.Concerns(e, ref)
}
