package outbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

func open(t *testing.T, name string, o outbox.Options) *outbox.Outbox {
	t.Helper()
	b, err := outbox.Open(name, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func event(n int) link.Event {
	return link.Event{Site: "berlin", Node: "n1", Deployment: fmt.Sprintf("d%d", n%3), To: link.StatusInstalled, Message: fmt.Sprint(n)}
}

// chain is a node, the orchestrator of its site and the central one, each of which may be killed at any time.
type chain struct {
	t              *testing.T
	draws          *rand.Rand
	files          [3]string
	boxes          [3]*outbox.Outbox
	unacknowledged bool // a fault to find: what was sent is not kept until it is acknowledged
	kills          int
}

func newChain(t *testing.T) *chain {
	c := &chain{t: t, draws: drawn.Rand(t)}
	dir := t.TempDir()
	for i, name := range []string{"node", "lo", "co"} {
		c.files[i] = filepath.Join(dir, name)
		c.boxes[i] = open(t, c.files[i], outbox.Options{Limit: 1_000_000, Keep: 1_000_000})
	}
	return c
}

// kill ends one end without closing it; what it started to append is cut at any byte.
func (c *chain) kill(i int) {
	c.t.Helper()
	c.kills++
	f, err := os.OpenFile(c.files[i], os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString("0badc0de {\"number\":99999"[:c.draws.IntN(24)])
	}
	if err != nil {
		c.t.Fatal(err)
	}
	_ = f.Close()
	_ = c.boxes[i].Close()
	c.boxes[i] = open(c.t, c.files[i], outbox.Options{Limit: 1_000_000, Keep: 1_000_000})
}

// send sends what waits at one end to the next; the frame, or its acknowledgment, may be lost.
func (c *chain) send(i int) {
	c.t.Helper()
	from, to := c.boxes[i], c.boxes[i+1]
	sent := from.After(0, 1+c.draws.IntN(64))
	if len(sent) == 0 {
		return
	}
	last := sent[len(sent)-1].Number
	ack := func() {
		if err := from.Ack(last); err != nil {
			c.t.Fatal(err)
		}
	}
	if c.unacknowledged {
		ack()
	}
	if c.draws.IntN(5) == 0 {
		return
	}
	events := make([]link.Event, len(sent))
	for k, r := range sent {
		events[k] = r.Event
	}
	if err := to.Accept(events...); err != nil {
		c.t.Fatal(err)
	}
	if c.draws.IntN(5) > 0 {
		ack()
	}
}

// run makes events and sends them, with kills, until all have arrived; it gives the faults at the central end.
func (c *chain) run(events int) (faults []string) {
	c.t.Helper()
	for made := 0; made < events; {
		switch n := c.draws.IntN(200); {
		case n < 3:
			c.kill(n)
		case n < 100:
			var fresh []link.Event
			for range min(1+c.draws.IntN(64), events-made) {
				made++
				fresh = append(fresh, event(made))
			}
			if err := c.boxes[0].Add(fresh...); err != nil {
				c.t.Fatal(err)
			}
		default:
			c.send(n % 2)
		}
	}
	for i := range 2 {
		for len(c.boxes[i].After(0, 1)) > 0 {
			c.send(i)
		}
	}
	got, err := outbox.Read(c.files[2])
	if err != nil {
		c.t.Fatal(err)
	}
	next := 1
	for _, e := range got {
		if e.Gap > 0 || e.Message != fmt.Sprint(next) || e.Seq != uint64(next) {
			faults = append(faults, fmt.Sprintf("event %d (%q) where %d was to come", e.Seq, e.Message, next))
		}
		next = int(e.Seq) + 1
	}
	if next != events+1 {
		faults = append(faults, fmt.Sprintf("%d events arrived of %d", next-1, events))
	}
	return faults
}

// TestEveryEventArrivesOnce, in order, through kills of all three ends and lost frames; and a node that does not
// wait for acknowledgments is found to lose some.
func TestEveryEventArrivesOnce(t *testing.T) {
	t.Parallel()
	events := 20_000
	if testing.Short() {
		events = 2_000
	}
	whole := newChain(t)
	if faults := whole.run(events); len(faults) > 0 {
		t.Errorf("%d faults, the first: %s", len(faults), faults[0])
	}
	t.Logf("%d events, %d kills", events, whole.kills)
	broken := newChain(t)
	broken.unacknowledged = true
	if faults := broken.run(2_000); len(faults) == 0 {
		t.Error("events that are sent without waiting for an acknowledgment are all there: the check finds nothing")
	}
}

// TestAFullOutboxSaysWhatIsLost instead of growing, or losing it silently.
func TestAFullOutboxSaysWhatIsLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	node := open(t, filepath.Join(dir, "node"), outbox.Options{Limit: 100, Keep: 1})
	for n := range 1000 {
		if err := node.Add(event(n)); err != nil {
			t.Fatal(err)
		}
	}
	waiting := node.After(0, 10_000)
	first := waiting[0].Event
	if len(waiting) > 100 || first.Gap != 1 || first.Seq != 1000-uint64(len(waiting))+1 {
		t.Errorf("%d events wait; the first is %+v", len(waiting), first)
	}
	lo := open(t, filepath.Join(dir, "lo"), outbox.Options{})
	for _, r := range waiting {
		if err := lo.Accept(r.Event); err != nil {
			t.Fatal(err)
		}
	}
	if high := lo.High(first.Origin()); high != 1000 {
		t.Errorf("the orchestrator has %d of 1000", high)
	}
	again := open(t, filepath.Join(dir, "node"), outbox.Options{Limit: 100, Keep: 1})
	if now := again.After(0, 10_000); len(now) != len(waiting) || again.Incarnation() != node.Incarnation() {
		t.Errorf("after a restart %d wait; %d did", len(now), len(waiting))
	}
}

// TestAnOutboxStaysSmall: what is acknowledged is given up, but for the newest of each deployment.
func TestAnOutboxStaysSmall(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "node")
	b := open(t, name, outbox.Options{Keep: 10})
	for n := range 1000 {
		if err := b.Add(event(n)); err != nil {
			t.Fatal(err)
		}
		if err := b.Ack(uint64(n) + 1); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(name)
	if err != nil || info.Size() > 64<<10 {
		t.Errorf("1,000 acknowledged events use %d bytes, %v", info.Size(), err)
	}
	b = open(t, name, outbox.Options{Keep: 10})
	for n, want := range map[string]string{"d0": "999", "d1": "997", "d2": "998"} {
		if e := b.Last("berlin", "n1", n); e.Message != want {
			t.Errorf("the newest event of %s is %q, want %q", n, e.Message, want)
		}
	}
	if err := b.Add(event(1)); err != nil || b.After(0, 10)[0].Event.Seq != 1001 {
		t.Errorf("the next event is %+v, %v", b.After(0, 10), err)
	}
}

// TestADamagedOutboxIsAnError where acknowledged events are, and the end of one that a crash cut is not.
func TestADamagedOutboxIsAnError(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "node")
	b := open(t, name, outbox.Options{})
	for n := range 3 {
		if err := b.Add(event(n)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(text) {
		if err := os.WriteFile(name, text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		events, err := outbox.Read(name)
		if lines := strings.Count(string(text[:cut]), "\n"); err != nil || len(events) != max(0, lines-1) {
			t.Fatalf("cut at %d: %d events, %v", cut, len(events), err)
		}
	}
	changed := strings.Replace(string(text), `"message":"1"`, `"message":"7"`, 1)
	if err := os.WriteFile(name, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := outbox.Open(name, outbox.Options{}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("an event that was changed: %v", err)
	}
}

// TestAFrameIsBoundedByBytes keeps long messages of many events. They are cut, and each frame is smaller than what
// the other end reads.
func TestAFrameIsBoundedByBytes(t *testing.T) {
	b := open(t, filepath.Join(t.TempDir(), "events"), outbox.Options{})
	for i := range 600 {
		e := event(i)
		e.Message = strings.Repeat("\x01<", 50_000)
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	for after := uint64(0); ; {
		frame := b.After(after, 256)
		if len(frame) == 0 {
			break
		}
		text, err := json.Marshal(link.FromNode{Relayed: frame})
		if err != nil || len(text) > 4<<20 {
			t.Fatalf("a frame of %d events has %d bytes, %v", len(frame), len(text), err)
		}
		seen, after = seen+len(frame), frame[len(frame)-1].Number
	}
	if seen != 600 {
		t.Errorf("%d events, not 600", seen)
	}
}

// TestALoudNodeTakesNoRoomOfOthers: a node that sends many events, or large ones, or each in the name of another run or
// deployment, loses its own older events. Every event of the other nodes is still there, waiting and afterwards.
func TestALoudNodeTakesNoRoomOfOthers(t *testing.T) {
	t.Parallel()
	for name, loud := range map[string]func(n int) link.Event{
		"many":           event,
		"large":          func(n int) link.Event { e := event(n); e.Message = strings.Repeat("x", 4000); return e },
		"as other runs":  func(n int) link.Event { e := event(n); e.Incarnation, e.Seq = fmt.Sprint(n), 1; return e },
		"as deployments": func(n int) link.Event { e := event(n); e.Deployment = fmt.Sprint("x", n); return e },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "lo")
			o := outbox.Options{Limit: 1000, Keep: 1000, Bytes: 1 << 20}
			b := open(t, file, o)
			quiet := 0
			var sent []link.Event
			for n := range 6000 {
				e := loud(n)
				if e.Node = "loud"; e.Seq == 0 {
					e.Incarnation, e.Seq = "a", uint64(n)+1
				}
				if sent = append(sent, e); len(sent) < 60 {
					continue
				}
				quiet++
				e = link.Event{Site: "berlin", Node: fmt.Sprint("n", quiet%4), Incarnation: "q", Deployment: "d", Seq: uint64(quiet/4) + 1}
				if err := b.Accept(append(sent, e)...); err != nil {
					t.Fatal(err)
				}
				sent = nil
			}
			of := func(all []link.Event) (mine int) {
				for _, e := range all {
					if e.Node != "loud" && e.Gap == 0 {
						mine++
					}
				}
				return mine
			}
			var all []link.Event
			for after := uint64(0); ; {
				frame := b.After(after, 256)
				if len(frame) == 0 {
					break
				}
				for _, r := range frame {
					all = append(all, r.Event)
				}
				after = frame[len(frame)-1].Number
			}
			if got := of(all); got != quiet || len(all) > 1000 {
				t.Errorf("%d events wait, %d of the %d of quiet nodes", len(all), got, quiet)
			}
			if err := b.Forget(); err != nil {
				t.Fatal(err)
			}
			for n := range 3000 {
				e := loud(n)
				e.Node, e.Incarnation, e.Seq = "loud", fmt.Sprint("later", n%3), uint64(n)+1
				if sent = append(sent, e); len(sent) < 60 {
					continue
				}
				if err := errors.Join(b.Accept(sent...), b.Forget()); err != nil {
					t.Fatal(err)
				}
				sent = nil
			}
			history, err := outbox.Read(file)
			if got := of(history); err != nil || got != quiet {
				t.Errorf("the history has %d of the %d events of quiet nodes, %v", got, quiet, err)
			}
			info, err := os.Stat(file)
			if err != nil || info.Size() > 4<<20 {
				t.Errorf("the file has %d bytes, %v", info.Size(), err)
			}
			again := open(t, file, o)
			if n := len(again.Deployments()); n > 1004 || n != len(b.Deployments()) {
				t.Errorf("%d deployments are known, and %d after a restart", len(b.Deployments()), n)
			}
		})
	}
}
