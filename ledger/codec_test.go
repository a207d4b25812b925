package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

var update = flag.Bool("update", false, "write the golden records anew")

// every has one event of each type, with every field set.
func every() []ledger.Event {
	at := time.Date(2026, 2, 3, 4, 5, 6, 700, time.UTC)
	o := thing("a", "s")
	o.Key, o.Detail, o.Since, o.Blessed = "key", "a \"detail\" <&>", at, true
	o.Tags = resource.Tags{{Key: "team", Value: "platform"}}
	odd := o
	odd.ID = "copy"
	until := at.Add(time.Hour)
	veto := decider.Veto{Policy: "window", Reason: "not now", Until: &until}
	values := resource.Attrs{
		{Name: "bool", Value: resource.Bool(true)},
		{Name: "float", Value: resource.Float(1.5)},
		{Name: "int", Value: resource.Int(1 << 60)},
		{Name: "list", Value: resource.List{resource.String("x"), resource.Reference{Ref: ref("net")}}},
		{Name: "secret", Value: resource.Digest("digest")},
	}
	return []ledger.Event{
		ledger.Loaded{Stack: "web", Source: "ovi.yaml", Version: "v", Objects: 3},
		ledger.Observed{
			Scope: scope, Looked: at, Complete: true, Count: 2, Stacks: []string{"web"}, Part: 1, Of: 2,
			Changed: []resource.Observed{o, thing("b", "s")}, Odd: []ledger.Odd{{As: ref("a@copy"), Thing: odd}}, Gone: []resource.Ref{ref("c"), ref("d")},
		},
		ledger.Planned{
			Plan: "p", Stacks: []string{"web"}, Mode: ledger.ForApply, Hash: "h", Counts: ledger.Counts{Create: 1, Blind: 2},
			Blind: map[string]string{"fake/there": "denied"}, Decisions: []ledger.Decision{{
				Ref: ref("a"), Stack: "web", Difference: comparator.Drifted, Action: decider.Notify, Proposed: decider.Replace,
				Reason: decider.ReasonImmutable, Detail: "d", Vetoes: []decider.Veto{veto}, Changes: []resource.Change{
					{Path: "size", From: resource.String("s"), To: resource.String("m"), Effect: resource.Replace},
					{Path: "net", To: resource.Reference{Ref: ref("net")}, Unsettled: true, Note: "n", Effect: resource.Restart},
					{Path: "all", From: values, To: nil},
				},
			}},
		},
		ledger.Vetoed{Plan: "p", Ref: ref("a"), Proposed: decider.Delete, Vetoes: []decider.Veto{veto}},
		ledger.Approved{Plan: "p", Hash: "h", Who: "ann", How: "typed yes", Until: until},
		ledger.Began{
			Plan: "p", Ref: ref("a"), Stack: "web", Key: "k", Action: decider.Replace, Half: ledger.HalfCreate, Token: 9,
			Reason: decider.ReasonImmutable, Detail: "d", Wish: "w", Have: "id", Host: "host", PID: 42,
			Applying: &ledger.Applied{Attrs: values, Tags: o.Tags, Wish: "w", Stack: "web", At: at},
		},
		ledger.Ended{
			Plan: "p", Ref: ref("a"), Stack: "web", Key: "k", Action: decider.Create, Token: 9, Outcome: ledger.Done,
			ID: "id", Tries: 2, Seconds: 1.5, Wish: "w", Thing: &o,
		},
		ledger.Ended{Ref: ref("a"), Key: "k", Action: decider.Delete, Outcome: ledger.Failed, Error: "no", Class: "denied", Recoverable: true},
		ledger.Abandoned{Ref: ref("a"), Key: "k", Action: decider.Create, Finding: ledger.FoundDone, ID: "id", Evidence: "seen"},
		ledger.NotBegun{Plan: "p", Ref: ref("a"), Action: decider.Create, Why: "waiting", On: ref("net"), Detail: "d"},
		ledger.Blessed{Ref: ref("a"), On: true, Who: "ann", Reason: "r"},
		ledger.Adopted{Ref: ref("a"), ID: "id", Stack: "web", Who: "ann", Reason: "r"},
		ledger.Revoked{Ref: ref("a"), Holder: "run", Token: 9, Who: "ann", Reason: "r"},
		ledger.Refused{From: 1, To: 2, Ref: ref("a"), Key: "k", Token: 9, Reason: "r"},
		ledger.Compacted{Before: 7, Who: "ann"},
		ledger.Carried{Before: 7, Who: "ann", Facts: []ledger.Fact{{Key: "blessed/x", Value: json.RawMessage(`{"who":"<ann>"}`)}}},
		ledger.Acknowledged{Ref: ref("a"), Drift: "d", What: "size s → m", Until: until, Who: "ann", Reason: "r"},
		// What came later stands behind, so that the lines before stay as they were written.
		ledger.Approved{Plan: "p", Hash: "h", Who: "ann", How: "ovi approve", Until: until, Digest: "g", Reason: "r"},
		ledger.Planned{
			Plan: "p", Stacks: []string{"web"}, Mode: ledger.ForApply, Hash: "h", At: at, Known: 7,
			Owned: map[string]int{"web": 3}, Digest: "g", Approving: "i", Decisions: []ledger.Decision{{
				Ref: ref("a"), Stack: "web", Difference: comparator.Missing, Action: decider.Notify, Proposed: decider.Create,
				Reason: decider.ReasonMissing, Vetoes: []decider.Veto{{Policy: "approval", Reason: "r", People: 2}},
				Warnings: []decider.Warning{{Policy: "rule x", Text: "t"}},
				Wanted: &ledger.Wish{
					Attrs: values, Tags: o.Tags, Needs: []resource.Ref{ref("net")}, Blessed: true,
					At: resource.Position{File: "ovi.yaml", Line: 3, Column: 5},
				},
			}},
		},
	}
}

func recordOf(e ledger.Event) ledger.Record {
	return ledger.Record{
		ID: "01J00000000000000000000000", At: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC),
		Instance: "01J0000000000000000000000A", Run: "01J0000000000000000000000B", User: "ann", Event: e,
	}
}

func TestEveryEventReadsBackAsItWas(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range every() {
		seen[e.Type()] = true
		r := recordOf(e)
		b, err := ledger.EncodeRecord(r)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ledger.DecodeRecord(b)
		if err != nil {
			t.Fatalf("%s: %v\n%s", e.Type(), err, b)
		}
		if diff := cmp.Diff(r, back); diff != "" {
			t.Errorf("%s (-was +is):\n%s", e.Type(), diff)
		}
		if !json.Valid(b) {
			t.Errorf("%s is no JSON: %s", e.Type(), b)
		}
	}
	for _, name := range ledger.Types() {
		if !seen[name] {
			t.Errorf("no test of %s", name)
		}
	}
}

// TestGoldenRecords keeps the format: what an older ovi wrote must read for ever.
func TestGoldenRecords(t *testing.T) {
	name := filepath.Join("testdata", "records-v1.jsonl")
	var now []string
	for _, e := range every() {
		b, err := ledger.EncodeRecord(recordOf(e))
		if err != nil {
			t.Fatal(err)
		}
		now = append(now, string(b))
	}
	if *update {
		if err := os.WriteFile(name, []byte(strings.Join(now, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(golden)), "\n")
	if diff := cmp.Diff(lines, now); diff != "" {
		t.Errorf("the format of records changed: that needs a new version (-golden +now):\n%s", diff)
	}
	for i, line := range lines {
		r, err := ledger.DecodeRecord([]byte(line))
		if err != nil {
			t.Errorf("line %d: %v", i+1, err)
		} else if diff := cmp.Diff(every()[i], r.Event); diff != "" {
			t.Errorf("line %d (-want +got):\n%s", i+1, diff)
		}
	}
}

func TestRecordsOfANewerVersionAreRefusedNotSkipped(t *testing.T) {
	b, err := ledger.EncodeRecord(recordOf(ledger.Blessed{Ref: ref("a"), Who: "ann"}))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"version": strings.Replace(string(b), `"v":1`, `"v":2`, 1),
		"event":   strings.Replace(string(b), `"event":"blessed"`, `"event":"knighted"`, 1),
	} {
		if _, err := ledger.DecodeRecord([]byte(text)); !errors.Is(err, ledger.ErrNewer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"field of the record": strings.Replace(string(b), `"v":1`, `"v":1,"mood":"good"`, 1),
		"field of the event":  strings.Replace(string(b), `"who"`, `"mood":1,"who"`, 1),
		"two records":         string(b) + string(b),
		"half a record":       string(b[:len(b)/2]),
	} {
		if _, err := ledger.DecodeRecord([]byte(text)); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
}

func TestLaw9_NoSecretReachesARecord(t *testing.T) {
	secret := resource.NewSecret("hunter2", "digest-of-it")
	a := resource.NewAttrs(resource.Attr{Name: "password", Value: secret}, resource.Attr{Name: "env", Value: resource.List{secret}})
	o := thing("a", "s")
	o.Attrs = a
	for _, e := range []ledger.Event{
		ledger.Observed{Scope: scope, Part: 1, Of: 1, Changed: []resource.Observed{o}},
		ledger.Planned{Decisions: []ledger.Decision{{Ref: ref("a"), Changes: []resource.Change{{Path: "password", From: secret, To: a}}}}},
		ledger.Began{Ref: ref("a"), Applying: &ledger.Applied{Attrs: a}},
		ledger.Ended{Ref: ref("a"), Thing: &o},
	} {
		b, err := ledger.EncodeRecord(recordOf(e))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("hunter2")) || !bytes.Contains(b, []byte("digest-of-it")) {
			t.Errorf("%s: %s", e.Type(), b)
		}
	}
}

// FuzzDecodeRecord: whatever the log holds, reading it is an error or a record that writes
// and reads again as the same.
func FuzzDecodeRecord(f *testing.F) {
	for _, e := range every() {
		b, err := ledger.EncodeRecord(recordOf(e))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ledger.DecodeRecord(b)
		if err != nil {
			return
		}
		once, err := ledger.EncodeRecord(r)
		if err != nil {
			t.Skip() // times outside of what JSON can hold
		}
		again, err := ledger.DecodeRecord(once)
		if err != nil {
			t.Fatalf("what was written does not read: %v\n%s", err, once)
		}
		twice, err := ledger.EncodeRecord(again)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("not stable: %v\n%s\n%s", err, once, twice)
		}
	})
}
