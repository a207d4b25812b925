package engine_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// fate is what becomes of a new image.
type fate struct {
	image  string
	denied bool // its create fails
	left   string
}

var fates = []fate{
	{image: "web:2", left: "web:2"},
	{image: "slow", left: "slow"},
	{image: "crash", left: "web:1"},
	{image: "typo", left: "web:1"}, // refused by Check, or by the create where nothing is checked
	{image: "web:3", denied: true, left: "web:1"},
}

// keepOld are the strategies that keep the old resource until the new one is in service.
var keepOld = []resource.Strategy{resource.Swap, resource.StartFirst, resource.CreateFirst}

var errDenied = &provider.Error{Cause: provider.Denied, Op: "box.Create", Err: errors.New("the quota is used up")}

func started(t *testing.T, s resource.Strategy, f fate) *dock {
	t.Helper()
	y := newDock(t)
	y.apply(boxed(kindFor(s), "web:1", s))
	y.stop()
	if f.denied {
		y.denied = errDenied
	}
	switch s {
	case resource.CreateFirst:
		y.serves = routesRun
	case resource.StartFirst:
		y.serves = someRuns
	}
	return y
}

// TestTheStepsOfAReplacementAreOnRecord: what the audit log has of each strategy and fate.
func TestTheStepsOfAReplacementAreOnRecord(t *testing.T) {
	swap := func(strategy string, rest ...string) []string {
		return append([]string{"replace started: " + strategy, "started set_aside box-1", "done set_aside box-1", "started create"}, rest...)
	}
	ends := []string{"started switch box-2", "done switch box-2", "started delete_old box-1", "done delete_old box-1", "replace finished: box-2"}
	back := []string{"started restore box-1", "done restore box-1", "replace finished: box-1 reverted"}
	away := []string{"started delete_new box-2", "done delete_new box-2"}
	switched := []string{"done create box-2", "started switch box-2"}
	pod := func(rest ...string) []string {
		return append([]string{"replace started: create-first", "started create"}, rest...)
	}
	denied := "box.Create: the quota is used up"
	for name, c := range map[string]struct {
		s    resource.Strategy
		f    int
		want []string
	}{
		"swap":                        {resource.Swap, 0, swap("swap", slices.Concat([]string{"done create box-2"}, ends)...)},
		"swap, slow":                  {resource.Swap, 1, swap("swap", slices.Concat([]string{"done create box-2"}, ends)...)},
		"swap, failing":               {resource.Swap, 2, swap("swap", slices.Concat(switched, []string{"done switch box-2", "reverted: box-2 is failing: exited with 1"}, away, back)...)},
		"swap, refused by the check":  {resource.Swap, 3, []string{"not started: check"}},
		"swap, refused by the create": {resource.Swap, 4, swap("swap", slices.Concat([]string{"failed create ", "recovered not_done ", "reverted: " + denied}, back)...)},
		"start-first":                 {resource.StartFirst, 0, swap("start-first", slices.Concat([]string{"done create box-2"}, ends)...)},
		"start-first, failing":        {resource.StartFirst, 2, swap("start-first", slices.Concat(switched, []string{"done switch box-2", "reverted: box-2 is failing: exited with 1"}, away, back)...)},
		"create-first":                {resource.CreateFirst, 0, pod("done create pod-4", "started delete_old pod-1", "done delete_old pod-1", "replace finished: pod-4")},
		"create-first, failing":       {resource.CreateFirst, 2, pod("done create pod-4", "reverted: pod-4 is failing: exited with 1", "started delete_new pod-4", "done delete_new pod-4", "replace finished: pod-1 reverted")},
		"create-first, refused":       {resource.CreateFirst, 4, pod("failed create ", "recovered not_done ", "reverted: "+denied, "replace finished: pod-1 reverted")},
		"create-first, a typo":        {resource.CreateFirst, 3, pod("failed create ", "recovered not_done ", "reverted: toy: image typo does not exist", "replace finished: pod-1 reverted")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := fates[c.f]
				y := started(t, c.s, f)
				kind := kindFor(c.s)
				r := y.try(&crasher{}, boxed(kind, f.image, c.s))
				y.open(&crasher{})
				defer y.stop()
				got := y.told(dockRef(kind, "web"))
				got = got[2:] // what created web:1
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("records (-want +got):\n%s", d)
				}
				y.whole(kind, f.left)
				if len(y.gaps) > 0 {
					t.Errorf("without service around %v", y.gaps)
				}
				if f.left == f.image != (r.Counts.Replace == 1) || (f.left == f.image) != (r.Counts.Failed == 0) {
					t.Errorf("counts %+v, outcomes %+v", r.Counts, r.Outcomes)
				}
				if f.left == f.image {
					y.settled(boxed(kind, f.image, c.s))
				}
				y.replays()
			})
		})
	}
}

// TestARevertedReplacementIsAFailedAttempt: it is reported as one, and tried again when an operator applies.
func TestARevertedReplacementIsAFailedAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := started(t, resource.Swap, fates[2])
		in := boxed("box", "crash", resource.Swap)
		r := y.try(&crasher{}, in)
		if o := r.Outcomes[0]; o.Status != engine.Failed || !o.Reverted || o.Detail != "box-2 is failing: exited with 1; the replacement was reverted, and box-1 is kept" {
			t.Errorf("outcome %+v", o)
		}
		y.open(&crasher{})
		defer y.stop()
		tried, err := y.ledger.Attempts(t.Context())
		if a := tried[dockRef("box", "web")].Last(); err != nil || a.Failures != 1 || a.Desired != in[0].Resources[0].Digest() {
			t.Errorf("attempts: %+v, %v", tried, err)
		}
		in[0].Rules.Attempts.Count = 1
		p, err := y.engine.Plan(t.Context(), in, engine.PlanOptions{})
		if err != nil || len(p.Plan.Decisions) != 1 || p.Plan.Decisions[0].Action != decider.Notify {
			t.Errorf("with one attempt the plan is %v, %v", brief(p), err)
		}
		in[0].Rules.Attempts.Count = 2
		if p := y.plan(in); brief(p)[0] != "replace box/web" {
			t.Errorf("the next plan is %v", brief(p))
		}
	})
}

// converges crashes at points of applies in a row and checks what one more apply leaves.
func converges(t *testing.T, s resource.Strategy, f fate, replays bool, crashes ...*crasher) (last *crasher) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		y := started(t, s, f)
		kind := kindFor(s)
		in := boxed(kind, f.image, s)
		for _, m := range crashes {
			y.try(m, in)
		}
		y.try(&crasher{}, in)
		y.open(&crasher{})
		defer y.stop()
		y.whole(kind, f.left)
		told := y.told(dockRef(kind, "web"))
		begun, made := 0, 0
		for _, s := range told {
			if strings.HasPrefix(s, "replace started") {
				begun++
			}
		}
		for id := range y.made {
			if strings.HasPrefix(id, kind+"-") {
				made++
			}
		}
		if made-1 > begun || f.left == f.image && made != 2 {
			t.Errorf("%d were created in %d replacements", made-1, begun)
		}
		if s != resource.Swap && len(y.gaps) > 0 {
			t.Errorf("without service around %v", y.gaps)
		}
		if f.left == f.image {
			y.settled(in)
		} else if f.image != "typo" && !slices.ContainsFunc(told, func(s string) bool { return strings.HasPrefix(s, "reverted: ") }) {
			t.Error("the audit log does not say why it was reverted")
		}
		if replays {
			y.replays()
		}
		if t.Failed() {
			t.Logf("%s to %s, the records:\n%s", s, f.image, strings.Join(told, "\n"))
		}
	})
	return crashes[len(crashes)-1]
}

// TestEveryCrashOfEveryStrategyConverges: before and after every write of the log and the store and
// every effect of the provider.
func TestEveryCrashOfEveryStrategyConverges(t *testing.T) {
	every := 7
	if os.Getenv("OVI_CRASHES") == "all" {
		every = 1 // half a minute; with the race detector twelve of them
	}
	for _, s := range keepOld {
		for _, f := range fates {
			t.Run(fmt.Sprint(s, " ", f.image), func(t *testing.T) {
				t.Parallel()
				points := converges(t, s, f, true, &crasher{}).count
				for nth := 1; nth <= points && !t.Failed(); nth += every {
					m := converges(t, s, f, nth%5 == 0, &crasher{nth: nth})
					if t.Failed() {
						t.Errorf("after a crash at point %d of %d, %s", nth, points, m.steps[len(m.steps)-1])
					}
				}
			})
		}
	}
}

// TestEveryPairOfCrashesConverges: around every effect of the provider, then around every effect of
// the apply that goes on.
func TestEveryPairOfCrashesConverges(t *testing.T) {
	every := 3
	if os.Getenv("OVI_CRASHES") == "all" {
		every = 1
	}
	at := func(nth int) *crasher { return &crasher{nth: nth, coarse: true} }
	for _, s := range keepOld {
		for _, f := range fates {
			t.Run(fmt.Sprint(s, " ", f.image), func(t *testing.T) {
				t.Parallel()
				points := converges(t, s, f, false, at(0)).count
				for first := 1; first <= points; first += every {
					left := converges(t, s, f, false, at(first), at(0)).count
					for second := 1 + first%every; second <= left; second += every {
						if converges(t, s, f, false, at(first), at(second)); t.Failed() {
							t.Fatalf("after crashes at effect %d of %d and then %d of %d", first, points, second, left)
						}
					}
				}
			})
		}
	}
}
