package resource_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

var snapshotKinds = []string{"bucket", "disk", "network", "server"}

// partOf draws a snapshot of some kinds: each is complete, unreachable, or was not asked for. IDs carry a mark.
func partOf(t *rapid.T, mark string, from []string) resource.Snapshot {
	s := resource.Snapshot{At: time.Unix(rapid.Int64Range(0, 100).Draw(t, "at"), 0), Complete: []string{}}
	for _, k := range from {
		switch rapid.IntRange(0, 2).Draw(t, k) {
		case 0:
			s.Complete = append(s.Complete, k)
			if rapid.Bool().Draw(t, "filtered") {
				s.Filtered = append(s.Filtered, k)
			}
			for i := range rapid.IntRange(0, 3).Draw(t, "n") {
				s.Resources = append(s.Resources, resource.Observed{
					Ref: resource.Ref{Kind: k, Name: string(rune('a' + i))}, ID: mark,
				})
			}
		case 1:
			s = s.Without(map[string]error{k: errors.New(mark)})
		}
	}
	return s
}

func idsOf(s resource.Snapshot, kind string) (ids []string) {
	for _, o := range s.Resources {
		if o.Ref.Kind == kind {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// same fails unless the snapshots say the same about a kind.
func same(t *rapid.T, what, kind string, got, want resource.Snapshot) {
	t.Helper()
	text := func(err error) string {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	if g, w := text(got.Covers(kind)), text(want.Covers(kind)); g != w {
		t.Errorf("%s: %s is covered: %q, want %q", what, kind, g, w)
	}
	if !slices.Equal(idsOf(got, kind), idsOf(want, kind)) {
		t.Errorf("%s: %s has %v, want %v", what, kind, idsOf(got, kind), idsOf(want, kind))
	}
	if slices.Contains(got.Filtered, kind) != slices.Contains(want.Filtered, kind) {
		t.Errorf("%s: %s is filtered: %v, want %v", what, kind, got.Filtered, want.Filtered)
	}
}

func TestWhatANewerSnapshotSaysReplacesItsKindsAlone(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		old, newer := partOf(t, "old", snapshotKinds), partOf(t, "new", snapshotKinds)
		was := len(old.Unreachable)
		got := old.Renewed(newer)
		for _, k := range snapshotKinds {
			from := old
			if slices.Contains(newer.Complete, k) || newer.Unreachable[k] != nil {
				from = newer
			}
			same(t, "renewed", k, got, from)
		}
		if !got.At.Equal(old.At) || len(old.Unreachable) != was {
			t.Errorf("the old snapshot changed, or its age: %+v, %+v", old, got)
		}
		if !slices.IsSortedFunc(got.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) }) {
			t.Error("not sorted")
		}
	})
}

func TestPartsOfASnapshotAreJoined(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		cut := rapid.IntRange(0, len(snapshotKinds)).Draw(t, "cut")
		one, two := partOf(t, "one", snapshotKinds[:cut]), partOf(t, "two", snapshotKinds[cut:])
		got := one.And(two)
		for i, k := range snapshotKinds {
			from := one
			if i >= cut {
				from = two
			}
			same(t, "joined", k, got, from)
		}
		if got.At.After(one.At) || got.At.After(two.At) {
			t.Errorf("it is as old as %s, want the older of %s and %s", got.At, one.At, two.At)
		}
		for i := range snapshotKinds[:cut] {
			kinds := []string{}
			for _, k := range snapshotKinds[:i] {
				if one.Covers(k) == nil {
					kinds = append(kinds, k)
				}
			}
			only := got.Only(kinds)
			for _, k := range snapshotKinds {
				if want := slices.Contains(kinds, k); (only.Covers(k) == nil) != want || len(idsOf(only, k)) > 0 && !want {
					t.Errorf("only %v: %s: %v, %v", kinds, k, only.Covers(k), idsOf(only, k))
				}
			}
		}
	})
}

func TestASnapshotOfAllKindsStaysOneOfAllKinds(t *testing.T) {
	old := resource.Snapshot{Resources: []resource.Observed{{Ref: resource.Ref{Kind: "disk", Name: "a"}, ID: "old"}}}
	got := old.Renewed(resource.Snapshot{Complete: []string{"disk"}})
	if got.Complete != nil || got.Covers("server") != nil || got.Covers("disk") != nil || len(got.Resources) != 0 {
		t.Errorf("%+v", got)
	}
	got = old.Renewed(resource.Snapshot{Complete: []string{}, Unreachable: map[string]error{"disk": errors.New("no answer")}})
	if got.Covers("disk") == nil || got.Covers("server") != nil {
		t.Errorf("%+v", got)
	}
}
