package edge_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
	"github.com/ovi-project/ovi/resource"
)

// files are the files of a folder, with their sizes and times.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(name)
		if err == nil {
			out[name] = info.ModTime().String() + info.Mode().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSignsOfLifeCostNoWrite: 1,000 of them keep a node online, change no file, and ask for no observation.
func TestSignsOfLifeCostNoWrite(t *testing.T) {
	t.Parallel()
	s := newSecured(t)
	c := s.connected(t, s.enrolled(t, "berlin/n1"), link.Held{})
	before := files(t, s.dir)
	for range 1000 {
		if err := c.Send(link.FromNode{Beat: &link.Beat{}}); err != nil {
			t.Fatal(err)
		}
	}
	s.later(edge.DefaultLease - 1)
	s.reports(t, c, link.Report{Items: []link.Item{{Name: "web"}}}) // behind all beats
	if diff := cmp.Diff(before, files(t, s.dir)); diff != "" {
		t.Errorf("1,000 signs of life changed files (-before +after):\n%s", diff)
	}
	if n := len(s.changes); n > 0 {
		t.Errorf("they asked for %d observations", n)
	}
	s.later(edge.DefaultLease - 1)
	if err := c.Send(link.FromNode{Beat: &link.Beat{}}); err != nil {
		t.Fatal(err)
	}
	s.reports(t, c, link.Report{})
	s.later(2)
	if _, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1}); err != nil {
		t.Errorf("a node that gives signs of life is %v", err)
	}
}

func eventOf(node, incarnation string, seq uint64) link.Event {
	return link.Event{Site: "berlin", Node: node, Incarnation: incarnation, Seq: seq, Deployment: "web", To: link.StatusInstalled}
}

// acked waits for an acknowledgment.
func acked(t *testing.T, c *link.Conn, want uint64) {
	t.Helper()
	f, err := c.Recv()
	if err != nil || f.Ack == nil || *f.Ack != want {
		t.Fatalf("%+v, %v; want acknowledgment %d", f, err, want)
	}
}

// TestEventsOfANode are acknowledged when they are kept, over a restart, once; a node reports for itself alone.
func TestEventsOfANode(t *testing.T) {
	t.Parallel()
	s := newSecured(t)
	n := s.enrolled(t, "berlin/n1")
	stream := func(incarnation string) *link.Conn {
		t.Helper()
		c, err := link.Dial(t.Context(), s.address, s.creds(t, n))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if err := c.Send(link.FromNode{Hello: &link.Hello{Site: "berlin", Node: "n1", Incarnation: incarnation}}); err != nil {
			t.Fatal(err)
		}
		return c
	}
	send := func(c *link.Conn, events ...link.Event) {
		t.Helper()
		if err := c.Send(link.FromNode{Events: events}); err != nil {
			t.Fatal(err)
		}
	}
	c := stream("a")
	acked(t, c, 0)
	send(c, eventOf("n1", "a", 1), eventOf("n1", "a", 2))
	acked(t, c, 2)
	s.restart(t)
	c = stream("a")
	acked(t, c, 2)
	send(c, eventOf("n1", "a", 1), eventOf("n1", "a", 2), eventOf("n1", "a", 3))
	acked(t, c, 3)
	c = stream("b") // it was installed again
	acked(t, c, 0)
	send(c, eventOf("n1", "b", 1))
	acked(t, c, 1)
	got, err := outbox.Read(edge.EventsFile(s.dir))
	if err != nil || len(got) != 4 {
		t.Errorf("%d events are kept, %v: %+v", len(got), err, got)
	}
	send(c, eventOf("n2", "b", 2))
	_, err = c.Recv()
	refused(t, "an event of another node", err, "cannot report for berlin/n2")
	if !s.alarmed("cannot report for berlin/n2") {
		t.Errorf("alarms %v", strings.Join(s.alarms, "; "))
	}
}

// TestANodeSendsOnlyEventsOfANode sends events that its orchestrator alone sends, and fields that no node fills. Each
// ends the stream with an alarm, and none is kept.
func TestANodeSendsOnlyEventsOfANode(t *testing.T) {
	for name, change := range map[string]func(*link.Event){
		"an order":             func(e *link.Event) { e.Class, e.Order = link.ClassOrder, 1<<60 },
		"an order, no class":   func(e *link.Event) { e.Order = 1 << 60 },
		"an alarm":             func(e *link.Event) { e.Class, e.Message = link.ClassAlarm, "the key leaked" },
		"a wave":               func(e *link.Event) { e.Class, e.Wave = link.ClassRollout, &link.Wave{Version: "x", Reach: 9, Of: 9} },
		"a wave, no class":     func(e *link.Event) { e.Wave = &link.Wave{Version: "x", Reach: 9, Of: 9} },
		"a long name":          func(e *link.Event) { e.Deployment = strings.Repeat("a", 100_000) },
		"a long, silent field": func(e *link.Event) { e.Boot = strings.Repeat("a", 100_000) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSecured(t)
			c, err := link.Dial(t.Context(), s.address, s.creds(t, s.enrolled(t, "berlin/n1")))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			if err := c.Send(link.FromNode{Hello: &link.Hello{Site: "berlin", Node: "n1", Incarnation: "a"}}); err != nil {
				t.Fatal(err)
			}
			acked(t, c, 0)
			e := eventOf("n1", "a", 1)
			change(&e)
			if err := c.Send(link.FromNode{Events: []link.Event{e}}); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Recv(); err == nil {
				t.Error("it is accepted")
			}
			events, err := outbox.Read(edge.EventsFile(s.dir))
			for _, kept := range events {
				if err != nil || kept.Class != link.ClassAlarm || kept.Incarnation == "a" {
					t.Errorf("%+v, %v", kept, err)
				}
			}
		})
	}
}

// TestAReportIsBounded cuts the texts of a report that people read, and refuses names that no node has.
func TestAReportIsBounded(t *testing.T) {
	t.Parallel()
	s := newSecured(t)
	n := s.enrolled(t, "berlin/n1")
	c := s.connected(t, n, link.Held{})
	long := strings.Repeat("x", 1_000_000)
	s.reports(t, c, link.Report{Items: []link.Item{{Name: "web", Message: long}}, Last: map[string]resource.Request{"web": {Text: long}}})
	got, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1})
	if err != nil || len(got.Resources) != 1 || len(got.Resources[0].Message) > link.MaxMessage ||
		len(got.Resources[0].Last.Text) > link.MaxMessage {
		t.Errorf("%v: %.200s", err, fmt.Sprint(got))
	}
	s.reports(t, c, link.Report{Error: long})
	if _, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1}); err == nil || len(err.Error()) > 2*link.MaxMessage {
		t.Errorf("an error of %d bytes", len(fmt.Sprint(err)))
	}
	for name, r := range map[string]link.Report{
		"a name":    {Items: []link.Item{{Name: long}}},
		"a ref":     {Items: []link.Item{{Name: "web", Marks: link.Marks{Ref: long}}}},
		"an image":  {Items: []link.Item{{Name: "web", Spec: link.Spec{Image: long}}}},
		"a request": {Last: map[string]resource.Request{long: {}}},
		"a cause":   {Last: map[string]resource.Request{"web": {Cause: long}}},
	} {
		c := s.connected(t, n, link.Held{}, link.Item{Name: "web", Instance: "before " + name})
		if err := c.Send(link.FromNode{Report: &r}); err != nil {
			t.Fatal(err)
		}
		_, err := c.Recv()
		refused(t, name, err, "a field that is too long")
	}
	if !s.alarmed("node berlin/n1 is refused: a report has a field that is too long") {
		t.Errorf("alarms %v", s.alarms)
	}
}
