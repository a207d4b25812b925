package render_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// TestAWaitForHealthIsShown: while others of a count wait for one that starts, a terminal shows which and why,
// and does not say that another run has a claim.
func TestAWaitForHealthIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b screen
		one, two := ref("ec2", "web-0"), ref("ec2", "web-1")
		p := render.NewProgress(&b, term.Style{Width: 100, Live: true}, names(), one, two)
		p.Record(event.Record{At: time.Now(), Event: event.Started{Ref: one, Action: decider.Restart}})
		p.Record(event.Record{At: time.Now(), Event: event.Finished{Ref: one, Action: decider.Restart, Outcome: event.Done}})
		p.Record(event.Record{At: time.Now(), Event: event.Started{Ref: two, Action: decider.Restart}})
		p.Record(event.Record{At: time.Now(), Event: event.Finished{Ref: two, Action: decider.Restart, Outcome: event.Done}})
		p.Waits(two, "pending: its checks run")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		shown := strings.Join(play(b.String()), "\n")
		if !strings.Contains(shown, "# ec2/web-1  waiting until it is healthy; it is pending: its checks run... 5s") || strings.Contains(shown, "claimed") {
			t.Errorf("shown:\n%s", shown)
		}
		p.Waits(two, "")
		time.Sleep(time.Second)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if shown = strings.Join(play(b.String()), "\n"); strings.Contains(shown, "waiting") {
			t.Errorf("shown at the end:\n%s", shown)
		}
	})
}

func TestAWaitForHealthIsWrittenOnce(t *testing.T) {
	t.Parallel()
	var b screen
	web := ref("ec2", "web-0")
	p := render.NewProgress(&b, term.Style{Width: 100}, names(), []resource.Ref{web}...)
	p.Waits(web, "pending: its checks run")
	p.Waits(web, "pending: its checks still run")
	p.Waits(web, "")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "# ec2/web-0  waiting until it is healthy; it is pending: its checks run\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
