package engine_test

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/units"
)

// disksOf is a configuration of a stack.
func disksOf(name string, moved []resource.Move, disks ...resource.Desired) []resource.Intent {
	in := resource.Intent{Stack: name, Moved: moved, Scopes: []resource.Scope{here}}
	for _, d := range disks {
		d.Ref.Stack = name
		in.Resources = append(in.Resources, d)
	}
	sortByRef(in.Resources)
	return []resource.Intent{in}
}

// handing is a handover from the stack web to the stack shop, of which one apply is killed.
type handing struct {
	before [][]resource.Intent
	killed []resource.Intent
	after  [][]resource.Intent // applied by the next process, in this order
	moves  int
}

// TestEveryCrashOfAHandoverConverges crashes before and after every write and call of an apply that hands resources over
// to another stack: between the record and the tags, and between two resources. Whichever stack is applied next, nothing
// is created or deleted, each resource is recorded once, and its tags name its stack.
func TestEveryCrashOfAHandoverConverges(t *testing.T) {
	x := resource.Move{From: ref("disk", "x").In("web"), To: ref("disk", "y").In("shop")}
	unit := resource.Move{From: units.Ref("web", "old"), To: units.Ref("shop", "new")}
	kept, own := disk("kept", 20), disk("own", 20)
	has, shop := disksOf("web", nil, kept, disk("x", 20)), disksOf("shop", nil, own)
	gives := disksOf("web", []resource.Move{x}, kept)
	takes, grows := disksOf("shop", nil, own, disk("y", 20)), disksOf("shop", nil, own, disk("y", 30))
	claims := disksOf("shop", []resource.Move{x}, own, disk("y", 20))
	unitWas := disksOf("web", nil, kept, disk("old-a", 20), disk("old-b", 20))
	unitGives := disksOf("web", []resource.Move{unit}, kept)
	unitTakes := disksOf("shop", nil, own, disk("new-a", 20), disk("new-b", 20))
	unitClaims := disksOf("shop", []resource.Move{
		{From: ref("disk", "old-a").In("web"), To: ref("disk", "new-a").In("shop")},
		{From: ref("disk", "old-b").In("web"), To: ref("disk", "new-b").In("shop")},
	}, own, disk("new-a", 20), disk("new-b", 20))
	every := 5
	if os.Getenv("OVI_CRASHES") == "all" {
		every = 1
	}
	type all = [][]resource.Intent
	for name, c := range map[string]handing{
		"the new stack takes it":               {all{has, shop, gives}, takes, all{takes, gives}, 1},
		"the new stack takes it, former first": {all{has, shop, gives}, takes, all{gives, takes}, 1},
		"the new stack takes and changes it":   {all{has, shop, gives}, grows, all{gives, grows}, 1},
		"the former stack hands it over":       {all{has, shop, claims}, gives, all{gives, claims}, 1},
		"the former stack, new first":          {all{has, shop, claims}, gives, all{claims, gives}, 1},
		"a component":                          {all{unitWas, shop, unitGives}, unitTakes, all{unitGives, unitTakes}, 2},
		"a component, former stack":            {all{unitWas, shop, unitClaims}, unitGives, all{unitClaims, unitGives}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for nth := 1; ; nth += every {
				ended := false
				synctest.Test(t, func(t *testing.T) { ended = c.crashAt(t, nth) })
				if ended {
					if nth < 8 {
						t.Errorf("only %d points", nth)
					}
					return
				}
			}
		})
	}
}

// crashAt crashes at a point of the apply. It reports whether the apply ended before the point.
func (c handing) crashAt(t *testing.T, nth int) (ended bool) {
	b := blank(t)
	apply := func(b *bench, in []resource.Intent) {
		if _, err := b.engine.Apply(t.Context(), b.planToApply(in), engine.ApplyOptions{Tries: 1}); err != nil {
			t.Fatal(err)
		}
	}
	first := b.slotted(&crasher{})
	for _, in := range c.before {
		apply(first, in)
	}
	first.stop()
	m := &crasher{nth: nth}
	second := b.slotted(m)
	p := second.planToApply(c.killed)
	m.armed = true
	_, _ = second.engine.Apply(t.Context(), p, engine.ApplyOptions{Tries: 1})
	second.stop()
	time.Sleep(time.Minute)
	if !m.dead {
		return true
	}
	third := b.slotted(&crasher{})
	defer third.stop()
	for _, in := range c.after {
		apply(third, in)
	}
	want := []resource.Intent{{}}
	for _, in := range c.after[len(c.after)-2:] {
		third.settled(in)
		want[0].Resources = append(want[0].Resources, in[0].Resources...)
	}
	changed := 0
	for _, e := range third.recordsOf(event.TypeFinished) {
		if f := e.Event.(event.Finished); f.Action == "create" || f.Action == "delete" {
			changed++
		}
	}
	again := len(third.events(event.TypeMoved)) - c.moves
	refused := len(third.events(event.TypeRefused)) // in the log alone, so that it is done again
	if changed != len(want[0].Resources) || again < 0 || again > refused {
		t.Errorf("point %d: %d creates and deletes, %d renames again", nth, changed, again)
	}
	crashed{bench: third}.sound(want)
	return false
}
