package render_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// TestAnInterruptDoesNotScrollTheScreenAway: of the actions that were not started for one reason
// ten are named and the rest is counted; an eleventh alone is named as well.
func TestAnInterruptDoesNotScrollTheScreenAway(t *testing.T) {
	for name, s := range map[string]term.Style{"pipe": {}, "terminal": {Width: 80, Live: true}} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			p := render.NewProgress(&b, s, render.NewNames())
			idle := func(why string, n int) {
				for i := range n {
					ref := resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: "ec2", Name: fmt.Sprintf("%s-%d", why, i)}
					p.Record(event.Record{Event: event.NotStarted{Ref: ref, Action: decider.Create, Why: why}})
				}
			}
			idle("interrupted", 500)
			idle("waiting", 60)
			idle("stale", 11)
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(b.String()), "\n")
			want := []string{
				"# and 490 more not started: the apply was interrupted",
				"# and 50 more not started: their dependencies were not applied",
				"# ec2/stale-10  create not started: changed since the plan was made",
			}
			if got := lines[max(len(lines)-3, 0):]; len(lines) != 33 || strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%d lines, the last\n%s", len(lines), strings.Join(got, "\n"))
			}
		})
	}
}

// TestNamesAreAligned: names are as wide as the longest, up to a bound and never more than a third
// of a terminal.
func TestNamesAreAligned(t *testing.T) {
	refs := []resource.Ref{ref("ec2", "web-9"), ref("ec2", "web-10"), ref("ec2", strings.Repeat("x", 60))}
	for _, c := range []struct {
		width int
		about []resource.Ref
		want  string
	}{
		{0, refs[:2], "+ ec2/web-9   creating...\n"},
		{0, refs, "+ ec2/web-9" + strings.Repeat(" ", 17) + "  creating...\n"},
		{48, refs, "+ ec2/web-9" + strings.Repeat(" ", 9) + "creating...\n"},
		{0, nil, "+ ec2/web-9  creating...\n"},
	} {
		var b bytes.Buffer
		p := render.NewProgress(&b, term.Style{Width: c.width}, names(), c.about...)
		p.Record(event.Record{Event: event.Started{Ref: refs[0], Action: decider.Create}})
		if err := p.Close(); err != nil || b.String() != c.want {
			t.Errorf("width %d: %q, %v; want %q", c.width, b.String(), err, c.want)
		}
	}
}

// TestNumbersHaveTheirNouns: one is singular.
func TestNumbersHaveTheirNouns(t *testing.T) {
	got := []string{render.Many(0, "log"), render.Many(1, "batch"), render.Many(2, "batch"), render.Many(uint64(3), "key")}
	if text := strings.Join(got, ", "); text != "0 logs, 1 batch, 2 batches, 3 keys" {
		t.Error(text)
	}
	if text := (render.Trial{Decisions: 1, Plans: 2, Flips: 1}).Sentence(); text != "1 decision of 2 plans tested; 1 result changes." {
		t.Error(text)
	}
}

// TestWaitingForAnotherRunIsShown: when no action runs for a while and some are left, a terminal
// shows that, until one runs, at an interrupt, and at the end.
func TestWaitingForAnotherRunIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b screen
		one, two := ref("ec2", "one"), ref("ec2", "two")
		p := render.NewProgress(&b, term.Style{Width: 80, Live: true}, names(), one, two)
		shown := func(want bool) {
			t.Helper()
			synctest.Wait()
			if got := strings.Contains(strings.Join(play(b.String()), "\n"), "1 left, claimed by another run (`ovi claims`)"); got != want {
				t.Errorf("waiting is shown: %v\n%s", got, strings.Join(play(b.String()), "\n"))
			}
		}
		started := func(r resource.Ref) {
			p.Record(event.Record{At: time.Now(), Event: event.Started{Ref: r, Action: decider.Create}})
		}
		started(one)
		time.Sleep(5 * time.Second)
		shown(false)
		p.Record(event.Record{At: time.Now(), Event: event.Finished{Ref: one, Action: decider.Create, Outcome: event.Done}})
		time.Sleep(time.Second)
		shown(false)
		time.Sleep(2 * time.Second)
		shown(true)
		started(two)
		shown(false)
		p.Record(event.Record{At: time.Now(), Event: event.Finished{Ref: two, Action: decider.Create, Outcome: event.Done}})
		time.Sleep(5 * time.Second)
		shown(false)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		shown(false)
	})
}

// screen is a buffer that is read while it is drawn to.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
