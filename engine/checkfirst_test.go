package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// choosy is a provider whose check refuses single names.
type choosy struct {
	*fake.Cloud
	refuses map[string]error
	asked   *atomic.Int32
}

func (c choosy) Check(_ context.Context, r provider.Request) error {
	c.asked.Add(1)
	return c.refuses[r.Desired.Ref.Name]
}

// refusing lets the checks of these names fail, and counts all checks.
func (b *bench) refusing(refuses map[string]error) *atomic.Int32 {
	asked := &atomic.Int32{}
	b.engine = engine.New(engine.Config{Providers: provider.Set{"fake": choosy{b.cloud, refuses, asked}}, Ledger: b.ledger, Claims: b.claims})
	return asked
}

// TestAPlanThatWasCheckedIsNotCheckedAgain before the first action of its apply.
func TestAPlanThatWasCheckedIsNotCheckedAgain(t *testing.T) {
	b := newBench(t)
	b.cloud.ChecksFirst("server")
	asked := b.refusing(map[string]error{"bad": &provider.Error{Cause: provider.InUse, Err: errors.New("port 80 is in use")}})
	p, err := b.engine.Plan(t.Context(), wants(network("main"), server("bad", "main"), server("good", "main")), engine.PlanOptions{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]engine.Status{"network/main": engine.Done, "server/bad": engine.Refused, "server/good": engine.Done}
	if diff := cmp.Diff(want, statuses(r)); diff != "" || asked.Load() != 3 {
		t.Errorf("%d checks of 3 resources; outcomes (-want +got):\n%s", asked.Load(), diff)
	}
}

// TestCreatesAreCheckedFirst: what a check refuses is not started, nor what depends on it, nor what
// only they need; the rest is.
func TestCreatesAreCheckedFirst(t *testing.T) {
	b := newBench(t)
	b.cloud.ChecksFirst("server")
	b.refusing(map[string]error{"bad": &provider.Error{Op: "check", Cause: provider.InUse, Err: errors.New("port 80 is in use")}})
	in := wants(network("lone"), server("bad", "lone"), network("main"), server("good", "main"), disk("d", 20))
	r := b.apply(in)
	want := map[string]engine.Status{
		"server/bad": engine.Refused, "network/lone": engine.Unneeded,
		"network/main": engine.Done, "server/good": engine.Done, "disk/d": engine.Done,
	}
	if diff := cmp.Diff(want, statuses(r)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if r.Counts.Failed != 1 || r.Counts.NotStarted != 1 || r.Counts.Create != 3 {
		t.Errorf("counts: %+v", r.Counts)
	}
	if diff := cmp.Diff([]string{"not_started network/lone", "not_started server/bad"}, b.events(event.TypeNotStarted)); diff != "" {
		t.Errorf("not started (-want +got):\n%s", diff)
	}
	for _, o := range r.Outcomes {
		if o.Status == engine.Refused && o.Detail != "nothing was changed: port 80 is in use" {
			t.Errorf("it says %q", o.Detail)
		}
	}
	b.refusing(nil)
	b.apply(in)
	b.settled(in)
}

// TestWhatACheckCannotKnowIsTried: a check that may pass by itself, one of a kind that is not checked
// first, and a conflict with what the same apply deletes, stop nothing.
func TestWhatACheckCannotKnowIsTried(t *testing.T) {
	b := newBench(t)
	b.cloud.ChecksFirst("server")
	b.apply(wants(network("main"), server("old", "main")))
	b.refusing(map[string]error{
		"slow": &provider.Error{Cause: provider.Unreachable, Err: errors.New("the registry does not answer")},
		"new":  &provider.Error{Cause: provider.InUse, Err: errors.New("old has the port")},
		"d":    errors.New("not of this kind"),
	})
	in := wants(network("main"), server("slow", "main"), server("new", "main"), disk("d", 20))
	for name, s := range statuses(b.apply(in)) {
		if s != engine.Done {
			t.Errorf("%s: %s", name, s)
		}
	}
	b.settled(in)
}

var _ provider.Checker = choosy{}

// interrupting is a provider whose nth check comes with an interrupt.
type interrupting struct {
	*fake.Cloud
	nth       *atomic.Int32
	interrupt func()
}

func (i interrupting) Check(context.Context, provider.Request) error {
	if i.nth.Add(-1) == 0 {
		i.interrupt()
	}
	return nil
}

// TestNothingStartsAfterAnInterrupt: an action that has its claim and is still checked does not start either.
func TestNothingStartsAfterAnInterrupt(t *testing.T) {
	for _, x := range []struct {
		name string
		nth  int32
		was  []resource.Intent
		want []resource.Intent
	}{
		{"create", 1, wants(network("main")), wants(network("main"), server("a", "main"))},
		{
			"replacement", 1, wants(network("main"), image(server("a", "main"), "linux-1")),
			wants(network("main"), image(server("a", "main"), "linux-2")),
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			b := newBench(t)
			b.cloud.ChecksFirst("server")
			b.apply(x.was)
			before := len(verbs(b.cloud))
			ctx, cancel := context.WithCancel(t.Context())
			nth := &atomic.Int32{}
			nth.Store(x.nth)
			b.engine = engine.New(engine.Config{
				Providers: provider.Set{"fake": interrupting{b.cloud, nth, cancel}}, Ledger: b.ledger, Claims: b.claims,
			})
			r, err := b.engine.Apply(ctx, b.plan(x.want), engine.ApplyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := statuses(r)["server/a"]; got != engine.Interrupted || len(verbs(b.cloud)) != before {
				t.Errorf("outcomes %+v, calls %v", r.Outcomes, verbs(b.cloud)[before:])
			}
			b.apply(x.want)
			b.settled(x.want)
		})
	}
}
