package accepted_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovi-project/ovi/engine/plan/accepted"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

func ref(name string) resource.Ref {
	return resource.Ref{Stack: "web", Provider: "fake", Location: "here", Kind: "box", Name: name}
}

// stack is a configuration of n resources in two parts.
func stack(n int) resource.Intent {
	in := resource.Intent{
		Stack: "web", Source: "folder", From: "/srv/folder", Version: "v1", PartNames: []string{"a.yaml", "b.yaml", "empty.yaml"},
		Scopes: []resource.Scope{ref("").Scope()}, Rules: rules.Rules{Ignore: []rules.Ignore{{Kind: "box", Paths: []string{"tags.*"}}}},
		Options: resource.Options{Parallelism: 3}, Moved: []resource.Move{{From: ref("old"), To: ref("new"), Part: "b.yaml"}},
		Removed: []resource.Move{{From: ref("gone"), Part: "b.yaml"}},
	}
	for i := range n {
		part := "a.yaml"
		if i%2 == 1 {
			part = "b.yaml"
		}
		in.Resources = append(in.Resources, resource.Desired{
			Ref: ref(fmt.Sprintf("box-%05d", i)), Part: part, Tags: resource.TagsOf(map[string]string{"team": "platform"}),
			Attrs: resource.NewAttrs(
				resource.Attr{Name: "image", Value: resource.String("ami-0a1b2c3d4e5f60718")},
				resource.Attr{Name: "password", Value: resource.NewSecret("hidden", "digest").WithSource("env:PASSWORD")},
				resource.Attr{Name: "size", Value: resource.String("t3.micro")},
			),
			Ignore: []string{"size"}, Defaulted: []string{"image"}, Was: ref(fmt.Sprintf("old-%05d", i)),
		})
	}
	return in
}

// record records what is to be accepted of a configuration, and returns the events.
func record(t *testing.T, l *ledger.Ledger, in resource.Intent) []event.Event {
	t.Helper()
	events, err := accepted.Events(t.Context(), l.Reader(), []resource.Intent{in})
	if err != nil {
		t.Fatal(err)
	}
	if len(events) > 0 {
		if _, err := l.Record(t.Context(), events...); err != nil {
			t.Fatal(err)
		}
	}
	return events
}

func open(t *testing.T) *ledger.Ledger {
	t.Helper()
	l, err := local.Open(t.Context(), ledger.Config{Dir: t.TempDir(), User: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func restore(t *testing.T, l *ledger.Ledger, in resource.Intent, reveal accepted.Reveal) resource.Intent {
	t.Helper()
	out, err := accepted.Restore(t.Context(), l.Reader(), []resource.Intent{in}, time.Now(), reveal)
	if err != nil {
		t.Fatal(err)
	}
	accepted.Unique(out)
	return out[0]
}

// TestWhatIsAcceptedIsRestoredWhole asserts that a source that is away is represented by all that it configured, and
// that nothing is recorded twice.
func TestWhatIsAcceptedIsRestoredWhole(t *testing.T) {
	t.Parallel()
	l, in := open(t), stack(5)
	if n := len(record(t, l, in)); n == 0 {
		t.Fatal("nothing is recorded")
	}
	in.Version = "v2" // a comment was changed
	if again := record(t, l, in); len(again) > 0 {
		t.Errorf("recorded again: %v", again)
	}
	reveal := func(d resource.Digest, from string) (string, bool) {
		return "hidden", d == "digest" && from == "env:PASSWORD"
	}
	got := restore(t, l, resource.Intent{Stack: "web", Source: "folder", Unread: "git is away"}, reveal)
	if diff := cmp.Diff(in, got, cmpopts.IgnoreFields(resource.Intent{}, "Version", "From", "Unread", "Read", "PartNames"),
		cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	unknown := restore(t, l, resource.Intent{Stack: "other", Unread: "git is away"}, nil)
	if !unknown.Partial || len(unknown.Resources) > 0 {
		t.Errorf("a source that was never accepted: %+v", unknown)
	}
}

// TestAPartIsRestoredNextToThoseThatWereRead asserts what a configuration has whose part b.yaml cannot be read.
func TestAPartIsRestoredNextToThoseThatWereRead(t *testing.T) {
	t.Parallel()
	l, whole := open(t), stack(4)
	record(t, l, whole)
	broken := stack(4)
	broken.Moved, broken.Removed = nil, nil // they are in b.yaml
	broken.Resources = []resource.Desired{whole.Resources[0], whole.Resources[2]}
	broken.Resources[1].Ref = whole.Resources[3].Ref // box 3 was moved to a.yaml, and box 2 was removed
	broken.Parts = []resource.UnreadPart{{Name: "b.yaml", Why: "b.yaml:3"}, {Name: "new.yaml", Why: "new.yaml:1"}}
	got := restore(t, l, broken, nil)
	var refs []string
	for _, d := range got.Resources {
		refs = append(refs, d.Ref.Name+" "+d.Part)
	}
	if diff := cmp.Diff([]string{"box-00000 a.yaml", "box-00001 b.yaml", "box-00003 a.yaml"}, refs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(whole.Moved, got.Moved); diff != "" {
		t.Errorf("renames of the part that is unread (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(whole.Removed, got.Removed); diff != "" {
		t.Errorf("removals of the part that is unread (-want +got):\n%s", diff)
	}
	b, added := got.Parts[0], got.Parts[1]
	if diff := cmp.Diff([]resource.Ref{ref("box-00001")}, b.Refs); diff != "" || b.Unknown || !added.Unknown {
		t.Errorf("%+v, %+v (-want +got):\n%s", b, added, diff)
	}
	for _, e := range record(t, l, got) {
		if x := e.(event.SourceAccepted); x.Part == "b.yaml" || x.Settings != nil {
			t.Errorf("an unread part is recorded: %+v", x)
		}
	}
	sets := broken // what remains shares other rules: the broken file set some of them
	sets.Rules = rules.Rules{}
	if got := restore(t, l, sets, nil); got.Unread == "" || len(got.Resources) == 0 || got.Rules.Ignore == nil {
		t.Errorf("not represented as a whole: %+v", got)
	}
}

// TestTheRecordOfALargeStackIsBounded asserts the size of the record of 10,000 resources, and that one change records one.
func TestTheRecordOfALargeStackIsBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip()
	}
	const n, perResource = 10_000, 450
	l, in := open(t), stack(n)
	start := time.Now()
	size := func(events []event.Event) (bytes, resources int) {
		for _, e := range events {
			b, err := event.EncodeRecord(event.Record{Event: e})
			if err != nil {
				t.Fatal(err)
			}
			bytes, resources = bytes+len(b), resources+len(e.(event.SourceAccepted).Changed)
		}
		return bytes, resources
	}
	all, resources := size(record(t, l, in))
	first := time.Since(start)
	if resources != n || all > n*perResource {
		t.Errorf("%d bytes for %d resources", all, resources)
	}
	start = time.Now()
	if again := record(t, l, in); len(again) > 0 {
		t.Errorf("recorded again: %d events", len(again))
	}
	compared := time.Since(start)
	in.Resources[7].Ignore = nil
	one, resources := size(record(t, l, in))
	if resources != 1 || one > 2*perResource {
		t.Errorf("one change records %d resources in %d bytes", resources, one)
	}
	t.Logf("%d bytes in %s; compared in %s; one change %d bytes", all, first, compared, one)
}
