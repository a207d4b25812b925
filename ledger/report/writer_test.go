package report_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/ledgertest"
	"github.com/ovi-project/ovi/ledger/report"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// rows is a source with one fact for each name.
type rows struct {
	names []string
	block chan struct{} // a report waits for it; nil: it does not
	err   error

	mu      sync.Mutex
	facts   map[string]source.Fact
	reports int
}

func (r *rows) Report(ctx context.Context, of func(resource.Ref) (source.Fact, bool)) error {
	if r.block != nil {
		select {
		case <-r.block:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports++
	if r.err != nil {
		return r.err
	}
	r.facts = map[string]source.Fact{}
	for _, name := range r.names {
		if f, known := of(resource.Ref{Provider: "p", Kind: "cluster", Name: name}); known {
			f.Observed = f.Observed.Round(0)
			r.facts[name] = f
		}
	}
	return nil
}

var scope = resource.Scope{Provider: "p", Location: "here"}

func ref(name string) resource.Ref {
	return resource.Ref{Stack: "s", Provider: "p", Location: "here", Kind: "cluster", Name: name}
}

func intent(names ...string) resource.Intent {
	in := resource.Intent{Stack: "s", Scopes: []resource.Scope{scope}}
	for _, n := range names {
		in.Resources = append(in.Resources, resource.Desired{Ref: ref(n)})
	}
	return in
}

// observe records an observation and gives it to the writer.
func observe(t *testing.T, w *report.Writer, l *ledger.Ledger, in resource.Intent, live resource.LiveState) {
	t.Helper()
	if _, err := l.RecordObservation(context.Background(), live, ledger.ObservationOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Observed(context.Background(), l.Reader(), in); err != nil {
		t.Fatal(err)
	}
}

func seen(at time.Time, all ...resource.Observed) resource.LiveState {
	return resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{scope: {Scope: scope, At: at, Resources: all}}}
}

func owned(name string, h resource.Health) resource.Observed {
	return resource.Observed{Ref: ref(name), ID: "id-" + name, Health: h, Ownership: resource.Proven}
}

func TestFactsOfAnObservationAndOfActions(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	l := ledgertest.Fresh(t)
	to := &rows{names: []string{"here", "gone", "made", "refused", "leaving", "left", "foreign", "checked"}}
	w := report.Start(to, nil)
	foreign := owned("foreign", resource.Healthy)
	foreign.Ref, foreign.Ownership = foreign.Ref.Bare(), resource.Unmanaged
	in := intent("here", "made", "refused", "foreign")
	observe(t, w, l, in, seen(at, foreign, owned("here", resource.Healthy), owned("leaving", resource.Healthy), owned("left", resource.Healthy)))
	record := func(seq int, e event.Event) {
		w.Record(event.Record{At: at.Add(time.Duration(seq) * time.Minute), Event: e})
	}
	made := owned("made", resource.Healthy)
	record(1, event.Started{Ref: ref("made"), Action: decider.Create})
	record(2, event.Finished{Ref: ref("made"), Action: decider.Create, Resource: &made})
	record(3, event.Finished{Ref: ref("refused"), Action: decider.Create, Error: "port in use; Suggestion: use another"})
	record(3, event.NotStarted{Ref: ref("checked"), Action: decider.Create, Why: "check", Detail: "no program; Suggestion: install it"})
	record(3, event.NotStarted{Ref: ref("here"), Action: decider.Update, Why: "interrupted", Detail: "interrupted"})
	record(4, event.Started{Ref: ref("leaving"), Action: decider.Delete})
	record(5, event.Finished{Ref: ref("left"), Action: decider.Delete})
	other := ref("here")
	other.Stack = "other"
	record(6, event.Finished{Ref: other, Action: decider.Delete})
	if err := w.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := map[string]source.Fact{
		"here":    {ID: "id-here", Health: resource.Healthy, Observed: at},
		"gone":    {Observed: at},
		"made":    {ID: "id-made", Health: resource.Healthy, Observed: at.Add(2 * time.Minute)},
		"refused": {Failure: "port in use", Suggestion: "use another", Observed: at.Add(3 * time.Minute)},
		"checked": {Failure: "no program", Suggestion: "install it", Observed: at},
		"leaving": {ID: "id-leaving", Health: resource.Healthy, Doing: source.Deleting, Observed: at},
		"left":    {Observed: at.Add(5 * time.Minute)},
		"foreign": {ID: "id-foreign", Health: resource.Healthy, Observed: at, Failure: "it exists and is unmanaged", Suggestion: "run `ovi adopt --existing`"},
	}
	if diff := cmp.Diff(want, to.facts); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

// TestWhatWasNotReadIsUnclear: it is never reported as absent.
func TestWhatWasNotReadIsUnclear(t *testing.T) {
	to := &rows{names: []string{"a", "b"}}
	w := report.Start(to, nil)
	observe(t, w, ledgertest.Fresh(t), intent("a"), resource.LiveState{Unreachable: map[resource.Scope]error{scope: errors.New("no engine")}})
	if err := w.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, name := range to.names {
		if f := to.facts[name]; f.Health != resource.Unclear || f.Failure != "no engine" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestASourceThatIsLockedDelaysNoAction: records are taken all the same, the first failure is
// reported, and the last report has everything.
func TestASourceThatIsLockedDelaysNoAction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &rows{names: []string{"a"}, block: make(chan struct{}), err: errors.New("locked")}
		var failed []error
		w := report.Start(to, func(err error) { failed = append(failed, err) })
		observe(t, w, ledgertest.Fresh(t), intent("a"), seen(time.Now()))
		for range 100 {
			w.Record(event.Record{At: time.Now(), Event: event.Started{Ref: ref("a"), Action: decider.Create}})
		}
		to.block <- struct{}{}
		synctest.Wait()
		w.Wake()
		to.block <- struct{}{}
		synctest.Wait()
		if len(failed) != 1 {
			t.Errorf("reported %v", failed)
		}
		to.mu.Lock()
		to.err = nil
		to.mu.Unlock()
		close(to.block)
		if err := w.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if f := to.facts["a"]; f.Doing != source.Creating {
			t.Errorf("got %+v", f)
		}
	})
}
