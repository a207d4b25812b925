package history_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage/mem"
)

func TestUnmanagedResourcesHaveAnAge(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l, err := ledger.Open(t.Context(), ledger.Config{Dir: t.TempDir(), Store: mem.New(), Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx := t.Context()
	stray := func(name string) resource.Observed { return resource.Observed{Ref: ref(name), ID: name} }
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(stray("old"), res("ours", "s")), ledger.ObservationOptions{Since: -1}))
	now = now.Add(time.Hour)
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(stray("new"), stray("old"), res("ours", "s")), ledger.ObservationOptions{Since: -1}))
	got := must[[]history.Unmanaged](t)(history.New(l.Reader()).Unmanaged(ctx))
	if len(got) != 2 || got[0].ID != "new" || got[1].ID != "old" {
		t.Fatalf("unmanaged: %+v", got)
	}
	if !got[0].FirstSeen.Equal(now) || got[0].Before {
		t.Errorf("new: %+v, want first observed now", got[0])
	}
	if !got[1].FirstSeen.Equal(now.Add(-time.Hour)) || !got[1].Before {
		t.Errorf("old: %+v, want there since before the first look", got[1])
	}
	if r, err := history.New(l.Reader()).RevisionAt(ctx, now.Add(-time.Minute)); err != nil || r != 1 {
		t.Errorf("revision a minute ago: %d %v, want 1", r, err)
	}
	if _, err := history.New(l.Reader()).RevisionAt(ctx, now.Add(-2*time.Hour)); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("a time before all: %v", err)
	}
}

func TestFindRef(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	location := resource.Scope{Provider: "aws", Location: "123/eu-1"}
	far := res("a", "s")
	far.Ref, far.ID = resource.Ref{Stack: "shop", Provider: "aws", Location: location.Location, Kind: "ec2", Name: "a"}, "i-1"
	w := liveState(res("a", "s"), res("b", "s"))
	w.Scopes[location] = resource.Snapshot{Scope: location, Resources: []resource.Observed{far}}
	long := far
	long.Ref.Name, long.ID = "long", strings.Repeat("0123456789abcdef", 4)
	w.Scopes[location] = resource.Snapshot{Scope: location, Resources: []resource.Observed{far, long}}
	must[ledger.Receipt](t)(l.RecordObservation(ctx, w, ledger.ObservationOptions{Since: -1}))
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", "s")), ledger.ObservationOptions{Since: -1})) // b is gone
	for spelling, want := range map[string]resource.Ref{
		"fake/here/box/a": ref("a"), "box/a": ref("a"), "aws/eu-1/ec2/a": far.Ref, "eu-1/ec2/a": far.Ref,
		"ec2/a": far.Ref, "i-1": far.Ref, phrase.ID(long.ID): long.Ref, long.ID: long.Ref, "aws/123/eu-1/ec2/a": far.Ref, "fake/here/box/b": ref("b"), "web:fake/here/box/b": ref("b"), "web:box/a": ref("a"), "shop:a": far.Ref, "shop:ec2/a": far.Ref, "shop:aws/eu-1/ec2/a": far.Ref,
	} {
		if got, err := history.New(l.Reader()).FindRef(ctx, spelling); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", spelling, got, err, want)
		}
	}
	var several *history.AmbiguousError
	if _, err := history.New(l.Reader()).FindRef(ctx, "a"); !errors.As(err, &several) || len(several.Refs) != 2 {
		t.Errorf("a: %v, want two", err)
	}
	if _, err := history.New(l.Reader()).FindRef(ctx, "web:ec2/a"); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("a resource of another stack: %v", err)
	}
	if _, err := history.New(l.Reader()).FindRef(ctx, long.ID[:phrase.ShortID-1]); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("fewer digits than are shown: %v", err)
	}
	if _, err := history.New(l.Reader()).FindRef(ctx, "nothing"); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("nothing: %v", err)
	}
}

// TestNamesOfSeveralStacks: a name that two stacks use needs the stack; what a provider calls so is
// found where no stack has the name.
func TestNamesOfSeveralStacks(t *testing.T) {
	l := fresh(t)
	web, shop := res("a", "s"), res("a", "s")
	shop.Ref.Stack, shop.ID = "shop", "id-2"
	natural, lone := res("a", "s"), res("b", "s")
	natural.Ref, natural.ID, natural.Ownership = natural.Ref.Bare(), "id-3", resource.Unmanaged
	lone.Ref, lone.ID, lone.Ownership = lone.Ref.Bare(), "id-4", resource.Unmanaged
	must[ledger.Receipt](t)(l.RecordObservation(t.Context(), liveState(natural, shop, web, lone), ledger.ObservationOptions{Since: -1}))
	find := history.New(l.Reader()).FindRef
	for _, spelling := range []string{"a", "box/a", "here/box/a", "fake/box/a"} {
		_, err := find(t.Context(), spelling)
		var several *history.AmbiguousError
		if !errors.As(err, &several) || err.Error() != fmt.Sprintf("%q fits 2 resources: shop:box/a, web:box/a", spelling) {
			t.Errorf("%s: %v", spelling, err)
		}
	}
	for spelling, want := range map[string]resource.Ref{
		"web:a": web.Ref, "shop:box/a": shop.Ref, "id-2": shop.Ref, "id-3": natural.Ref, "fake/here/box/a": natural.Ref, "box/b": lone.Ref,
	} {
		if got, err := find(t.Context(), spelling); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", spelling, got, err, want)
		}
	}
}

func TestTheLogIsFiltered(t *testing.T) {
	l := fresh(t)
	ctx := t.Context()
	must[ledger.Receipt](t)(l.RecordObservation(ctx, liveState(res("a", "s"), res("b", "s")), ledger.ObservationOptions{Since: -1}))
	must[ledger.Receipt](t)(l.Record(ctx, event.Blessed{Ref: ref("a"), On: true}, event.Blessed{Ref: ref("ab"), On: true}))
	count := func(f history.Filter) (n int) {
		for _, err := range history.New(l.Reader()).LogRecords(ctx, f) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	for name, c := range map[string]struct {
		f    history.Filter
		want int
	}{
		"all":       {history.Filter{}, 3},
		"a thing":   {history.Filter{Ref: ref("a")}, 2},
		"a prefix":  {history.Filter{Ref: ref("ab")}, 1},
		"a type":    {history.Filter{Types: []string{event.TypeBlessed}}, 2},
		"from":      {history.Filter{From: 3}, 1},
		"a run":     {history.Filter{Run: l.Run()[:20]}, 3},
		"other run": {history.Filter{Run: "zzz"}, 0},
		"the past":  {history.Filter{Until: time.Now().Add(-time.Hour)}, 0},
		"since":     {history.Filter{Since: time.Now().Add(-time.Hour)}, 3},
		"instance":  {history.Filter{Instance: l.Instance()}, 3},
	} {
		if got := count(c.f); got != c.want {
			t.Errorf("%s: %d records, want %d", name, got, c.want)
		}
	}
}
