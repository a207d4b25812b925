package history

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// odd is a text that looks like the end of a list.
const odd = `a "changed":[ or ] or } \ in a text, and "decisions":[{"ref":`

func prunable9(i int) resource.Ref {
	return resource.Ref{Stack: "web", Provider: "aws", Location: "1/eu", Kind: "ec2", Name: fmt.Sprintf("web-%d", i)}
}

// TestPrunedKeepsEverythingAboutAResource: what a pruned record says of one thing is what the whole
// record says, whatever texts contain.
func TestPrunedKeepsEverythingAboutAResource(t *testing.T) {
	obs := event.Observed{Scope: prunable9(0).Scope(), Complete: true, Part: 1, Of: 1}
	plan := event.Planned{Plan: "p", Stacks: []string{odd}, Hash: "h", Digest: "d", Owned: map[string]int{odd: 3}}
	for i := range 300 {
		obs.Changed = append(obs.Changed, resource.Observed{
			Ref: prunable9(i), ID: odd, Health: resource.Healthy,
			Attrs: resource.NewAttrs(resource.Attr{Name: "changed", Value: resource.List{resource.String(odd), resource.Int(i)}}),
		})
		obs.Gone = append(obs.Gone, prunable9(1000+i))
		plan.Decisions = append(plan.Decisions, event.Decision{Ref: prunable9(i), Difference: comparator.Drifted, Action: decider.Update, Proposed: decider.Update, Message: odd})
	}
	for _, e := range []event.Event{obs, plan} {
		raw, err := event.EncodeRecord(event.Record{ID: "1", User: odd, Event: e})
		if err != nil {
			t.Fatal(err)
		}
		whole, err := event.DecodeRecord(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{0, 1, 29, 299, 1000, 1299, 5000} {
			needle := []byte(prunable9(i).String())
			short := pruned(raw, needle)
			if len(short) > len(raw)/2 {
				t.Errorf("%s: %d of %d bytes are left", e.Type(), len(short), len(raw))
			}
			got, err := event.DecodeRecord(short)
			if err != nil {
				t.Fatalf("%s, %s: %v", e.Type(), needle, err)
			}
			a, named := cutDown(whole, prunable9(i))
			b, ok := cutDown(got, prunable9(i))
			if diff := cmp.Diff(a, b); named && diff != "" || ok != named {
				t.Errorf("%s, %s: named %v, %v (-whole +pruned)\n%s", e.Type(), needle, named, ok, diff)
			}
		}
	}
}

// FuzzPruned: whatever the bytes are, it ends, and adds nothing.
func FuzzPruned(f *testing.F) {
	f.Add([]byte(`{"data":{"changed":[{"a":"x"},{"b":[1,"\""]}],"gone":["x","y"]}}`), []byte("x"))
	f.Add([]byte(`{"data":{"changed":["\`), []byte(""))
	f.Fuzz(func(t *testing.T, raw, needle []byte) {
		long := append(bytes.Repeat([]byte(" "), pruneFrom), raw...)
		if out := pruned(long, needle); len(out) > len(long) {
			t.Errorf("%q became %q", long, out)
		}
	})
}
