package report

import (
	"context"
	"sync"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/storage"
)

// Writer writes the facts of one stack to its source. Its methods may be called from several
// goroutines.
type Writer struct {
	to   source.Reporter
	wake chan struct{}
	stop context.CancelFunc
	done sync.WaitGroup

	writing sync.Mutex // one report at a time
	mu      sync.Mutex
	seen    *View                  // nil until something was observed
	acted   map[resource.Ref]acted // since the start
}

// View holds the last observation of the resources of a stack.
type View struct {
	intent resource.Intent // with resolved locations
	live   resource.LiveState
	scans  map[resource.Scope]ledger.Scan
}

// Observed reads what the last observation recorded.
func Observed(ctx context.Context, r *ledger.Reader, in resource.Intent) (*View, error) {
	live, _, err := r.LiveState(ctx, storage.Now)
	if err != nil {
		return nil, err
	}
	scans, err := r.Scans(ctx, storage.Now)
	if err != nil {
		return nil, err
	}
	v := &View{intent: in, live: live, scans: map[resource.Scope]ledger.Scan{}}
	for _, s := range scans {
		v.scans[s.Scope] = s
	}
	return v, nil
}

// acted describes the actions on a resource.
type acted struct {
	doing   source.Doing
	failure string
	after   *resource.Observed // the resource after an action; nil if it is absent or unknown
	gone    bool
	at      time.Time // of the end of the last action
}

// Start starts a writer, which ends with Close. Until Observed is called it writes nothing. failed, if
// it is set, is called with the first error after a report that was written.
func Start(to source.Reporter, failed func(error)) *Writer {
	ctx, stop := context.WithCancel(context.Background())
	w := &Writer{to: to, wake: make(chan struct{}, 1), stop: stop, acted: map[resource.Ref]acted{}}
	w.done.Go(func() { w.run(ctx, failed) })
	return w
}

// run writes a report after each wake. Wakes during a report become one, which then has all of their
// facts. If reports fail one after another, only the first error is passed to failed.
func (w *Writer) run(ctx context.Context, failed func(error)) {
	for before := error(nil); ; {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
		err := w.write(ctx)
		if err != nil && before == nil && ctx.Err() == nil && failed != nil {
			failed(err)
		}
		before = err
	}
}

// Wake requests a report, and does not wait for it.
func (w *Writer) Wake() {
	select {
	case w.wake <- struct{}{}:
	default: // a report is due already
	}
}

// Observed passes a recorded observation to the writer.
func (w *Writer) Observed(ctx context.Context, r *ledger.Reader, in resource.Intent) error {
	v, err := Observed(ctx, r, in)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = v
	return nil
}

// Record takes a record of the audit log. It never waits for the source.
func (w *Writer) Record(r event.Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ref := r.Event.About()
	if w.seen == nil || ref.Stack != w.seen.intent.Stack {
		return
	}
	key := keyOf(ref)
	a := w.acted[key]
	switch e := r.Event.(type) {
	case event.Started:
		a.doing = doing(e.Action, e.Phase)
	case event.Finished:
		a = acted{failure: e.Error, after: e.Resource, at: r.At}
		a.gone = e.Error == "" && doing(e.Action, e.Phase) == source.Deleting
	case event.NotStarted:
		if e.Why != "check" {
			return
		}
		a.failure = e.Detail // nothing was done: what was observed is as recent as before
	default:
		return
	}
	w.acted[key] = a
	w.Wake()
}

// doing returns the running action as a source shows it. An update of a resource is Nothing: the
// resource stays.
func doing(a decider.Action, phase string) source.Doing {
	switch {
	case a == decider.Delete || phase == event.PhaseDelete:
		return source.Deleting
	case a == decider.Create || a == decider.Replace:
		return source.Creating
	}
	return source.Nothing
}

// Close ends the writer after one last report, and returns why that could not be written.
func (w *Writer) Close(ctx context.Context) error {
	w.stop()
	w.done.Wait()
	return w.write(ctx)
}

// write reports all known facts. Reports do not overlap, so that an older one cannot replace a newer
// one.
func (w *Writer) write(ctx context.Context) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	w.mu.Lock()
	known := w.seen != nil
	w.mu.Unlock()
	if !known {
		return nil
	}
	return w.to.Report(ctx, w.Fact)
}
