package render_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

var escapes = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// applied is an apply in events: one created, one replaced, one failed, one that depends on it,
// one recovered.
func applied(at time.Time) []event.Record {
	events := []event.Event{
		event.Recovered{Ref: ref("ec2", "old"), Action: decider.Create, Finding: event.FoundNotDone, Evidence: "no resource has its key"},
		event.Started{Ref: ref("vpc", "main"), Action: decider.Create},
		event.Started{Ref: ref("ec2", "web-0"), Action: decider.Replace, Phase: "delete", Have: "i-0aaa"},
		event.Finished{Ref: ref("vpc", "main"), Action: decider.Create, Outcome: event.Done, ID: "vpc-0abc", Seconds: 1.24},
		event.Finished{Ref: ref("ec2", "web-0"), Action: decider.Replace, Phase: "delete", Outcome: event.Done, Seconds: 2},
		event.Started{Ref: ref("ec2", "web-0"), Action: decider.Replace, Phase: "create"},
		event.Started{Ref: ref("subnet", "app"), Action: decider.Create},
		event.Finished{Ref: ref("subnet", "app"), Action: decider.Create, Outcome: event.Failed, Seconds: 0.5, Error: "ec2.CreateSubnet: InvalidSubnet.Range: the range is not inside that of the VPC\nSuggestion: use one inside 10.0.0.0/16"},
		event.Finished{Ref: ref("ec2", "web-0"), Action: decider.Replace, Phase: "create", Outcome: event.Done, ID: "i-0bbb", Seconds: 61},
		event.NotStarted{Ref: ref("ec2", "web-1"), Action: decider.Create, Why: "waiting", On: ref("subnet", "app"), Detail: "it depends on subnet/app, which is failed"},
		event.Started{Ref: ref("ec2", "web-2"), Action: decider.Restart, Have: "i-0ccc"},
		event.Finished{Ref: ref("ec2", "web-2"), Action: decider.Restart, Outcome: event.Uncertain, Seconds: 30, Error: "connection reset"},
		event.Started{Ref: ref("rds", "old"), Action: decider.Delete, Have: "old"},
		event.Finished{Ref: ref("rds", "old"), Action: decider.Delete, Outcome: event.Failed, Seconds: 2, Error: "Throttling", Cause: provider.Throttled},
	}
	out := make([]event.Record, len(events))
	for i, e := range events {
		out[i] = event.Record{At: at.Add(time.Duration(i) * time.Second), Event: e}
	}
	return out
}

func TestProgressInAPipe(t *testing.T) {
	var b bytes.Buffer
	p := render.NewProgress(&b, term.Style{}, names())
	for _, r := range applied(time.Unix(0, 0)) {
		p.Record(r)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if escapes.MatchString(b.String()) {
		t.Error("escape codes in a pipe")
	}
	golden(t, "progress-pipe.txt", b.Bytes())
}

// TestProgressOnATerminal plays the events on a small terminal and reads the screen.
func TestProgressOnATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := render.NewProgress(&b, term.Style{Width: 60, Live: true, Color: true}, names())
		for _, r := range applied(time.Now())[:3] {
			p.Record(r)
		}
		time.Sleep(3100 * time.Millisecond)
		synctest.Wait()
		screen := play(b.String())
		want := []string{
			"+ vpc/main  creating... 2s",
			"- ec2/web-0  deleting... 1s",
		}
		if got := screen[max(len(screen)-2, 0):]; strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("running lines:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, r := range applied(time.Now())[3:] {
			p.Record(r)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		golden(t, "progress-60.txt", []byte(strings.Join(play(b.String()), "\n")+"\n"))
	})
}

// play is a terminal with the codes that Progress uses: cursor up, carriage return, clear below.
func play(stream string) []string {
	lines, row := []string{""}, 0
	for stream != "" {
		if loc := escapes.FindStringIndex(stream); loc != nil && loc[0] == 0 {
			code := stream[:loc[1]]
			stream = stream[loc[1]:]
			switch code[len(code)-1] {
			case 'A':
				n := 0
				for _, c := range code[2 : len(code)-1] {
					n = n*10 + int(c-'0')
				}
				row = max(row-n, 0)
			case 'J':
				lines = lines[:row+1]
				lines[row] = ""
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(stream)
		stream = stream[size:]
		switch r {
		case '\n':
			if row++; row == len(lines) {
				lines = append(lines, "")
			}
		case '\r':
		default:
			lines[row] += string(r)
		}
	}
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func TestStepsForMachines(t *testing.T) {
	var b bytes.Buffer
	l := render.NewLines(render.NewJSON(&b), names())
	for _, r := range applied(time.Unix(0, 0)) {
		l.Record(r)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	golden(t, "apply.jsonl", b.Bytes())
}

// TestLaw9_SecretsStayOut_OfTheScreen: neither a secret nor its digest is written in any form, only
// six digits of the digest.
func TestLaw9_SecretsStayOut_OfTheScreen(t *testing.T) {
	var b bytes.Buffer
	_ = planview.View{Plan: everything(), Names: names(), Verb: "Plan"}.Write(&b, term.Style{})
	for _, e := range []render.Encoder{render.NewJSON(&b), render.NewYAML(&b)} {
		for _, r := range render.Planned(everything(), names()) {
			if err := e.Encode(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range []string{"hunter2", "P5oc", "wB13", "AAAA"} {
		if strings.Contains(b.String(), s) {
			t.Errorf("%q is in the output", s)
		}
	}
	for text, want := range map[string]int{"(secret, changed) 3f9a1c -> c01d77": 1, "(secret) 3f9a1c": 2, "(secret) c01d77": 2} {
		if got := strings.Count(b.String(), text); got != want {
			t.Errorf("%q is in the output %d times, want %d", text, got, want)
		}
	}
}

// TestNothingIsTruncated: at every width the sign and the name are in one line, the whole value
// is on the screen, and no line is wider than the terminal but for a single long word.
func TestNothingIsTruncated(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(40, 220).Draw(t, "width")
		name := rapid.StringMatching(`[a-z][a-z0-9-]{0,60}`).Draw(t, "name")
		detail := rapid.StringMatching(`[ -~ü\x00-\x1f]{0,200}`).Draw(t, "detail")
		value := resource.String(rapid.StringMatching(`[ -~é\x00-\x09\x0b-\x1f]{0,200}`).Draw(t, "value"))
		plan := decider.Plan{Decisions: []decider.Decision{{
			Ref: ref("ec2", name), Difference: "drifted", Action: decider.Update, Proposed: decider.Update, Message: detail,
			Changes: []resource.Change{{Path: "user_data", From: value, To: resource.String("new")}},
		}}}
		var b bytes.Buffer
		if err := (planview.View{Plan: plan, Names: names(), Verb: "Plan"}).Write(&b, term.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "  ~ ec2/"+name) {
			t.Fatalf("the sign and the name are not together in:\n%s", b.String())
		}
		plain := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\n", ""), " ", "") }
		if want := plain(render.Value(value) + " -> new"); !strings.Contains(plain(b.String()), want) {
			t.Fatalf("%q is not on the screen:\n%s", want, b.String())
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if strings.ContainsFunc(line, func(r rune) bool { return r == '\x1b' || r == '\r' || r == '\x07' }) {
				t.Fatalf("control codes in %q", line)
			}
			longest := 0
			for _, word := range strings.Fields(line) {
				longest = max(longest, utf8.RuneCountInString(word))
			}
			if n := utf8.RuneCountInString(line); n > width && longest < 20 {
				t.Fatalf("%d columns of %d: %q", n, width, line)
			}
		}
	})
}

func TestNamesShortenOnlyOneAccount(t *testing.T) {
	a := resource.Scope{Provider: "aws", Location: "111111111111/us-east-1"}
	b := resource.Scope{Provider: "aws", Location: "222222222222/us-east-1"}
	p := resource.Scope{Provider: "podman", Location: "host-a"}
	if got, want := render.NewNames(a, p).Scope(a), "aws/us-east-1"; got != want {
		t.Errorf("one account: %q, want %q", got, want)
	}
	if got, want := render.NewNames(a, b).Scope(a), "aws/111111111111/us-east-1"; got != want {
		t.Errorf("two accounts: %q, want %q", got, want)
	}
	if got, want := render.NewNames(a, p).Scope(p), "podman/host-a"; got != want {
		t.Errorf("no account: %q, want %q", got, want)
	}
}

// TestShortNamesAreUnique: kind/name where that is enough, else with the stack or the location.
func TestShortNamesAreUnique(t *testing.T) {
	east, west := ref("ec2", "web"), ref("ec2", "web")
	west.Location = account + "/eu-west-1"
	shop := east.In("shop")
	short := names().Shorten(east, west, shop, ref("vpc", "main"))
	for want, r := range map[string]resource.Ref{
		"web:aws/us-east-1/ec2/web": east, "aws/eu-west-1/ec2/web": west, "shop:ec2/web": shop, "vpc/main": ref("vpc", "main"),
	} {
		if got := short(r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDiagnosticSaysWhatWhereAndWhatToDo(t *testing.T) {
	d := render.Diagnostic{Type: "diagnostic", Severity: render.Error, Summary: `ec2/web has no attribute "sizee"`, File: "ovi.yaml", Line: 7, Column: 5, Suggestion: `write "size"`}
	var b bytes.Buffer
	if err := d.Write(&b, term.Style{}); err != nil {
		t.Fatal(err)
	}
	want := "Error: ec2/web has no attribute \"sizee\"\n  at ovi.yaml:7:5\n  Suggestion: write \"size\"\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// TestRecordsHaveTheirPromisedFields holds what docs/commands.md promises.
func TestRecordsHaveTheirPromisedFields(t *testing.T) {
	for _, x := range []struct {
		r      render.Record
		fields string
	}{
		{render.Version{}, "type ovi format"},
		{render.PlannedChange{}, "type ref kind difference action proposed reason blocked_by changes"},
		{render.Approval{}, "who until approvers approved"},
		{render.Tried{}, "ref proposed done flips was would"},
		{render.ChangeSummary{}, "type operation create update replace restart delete notify failed not_started claimed blocked conflict unreachable not_verified excluded unchanged unmanaged"},
		{render.Step{}, "type ref action id seconds error recoverable"},
		{render.Diagnostic{}, "type severity summary detail file line column suggestion"},
		{render.Resource{}, "type ref id stack health observed_at"},
		{render.Unmanaged{}, "type ref id first_observed"},
		{render.LogRecord{}, "type seq id at event ref"},
	} {
		b, err := json.Marshal(x.r)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		for _, f := range strings.Fields(x.fields) {
			if _, ok := got[f]; !ok {
				t.Errorf("%T has no field %q: %s", x.r, f, b)
			}
		}
	}
}

// TestBoundsNameWhatTheyCount: characters of a string, elements of a list, numbers themselves.
func TestBoundsNameWhatTheyCount(t *testing.T) {
	one, many := int64(1), int64(255)
	k := resource.Kind{Name: "box", Provider: "fake", Attrs: []resource.Attribute{
		{Name: "groups", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TString}, Min: &one},
		{Name: "text", Type: resource.TString, Min: &one, Max: &many},
		{Name: "label", Type: resource.TString, Max: &one},
		{Name: "size", Type: resource.TInt, Min: &one},
	}}
	var b bytes.Buffer
	if err := render.Kind(&b, term.Style{}, k); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"at least 1 element\n", "1 to 255 characters\n", "at most 1 character\n", "at least 1\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}

// TestDiffColumnsAreAligned: ids and who changed them start in one column each.
func TestDiffColumnsAreAligned(t *testing.T) {
	var b bytes.Buffer
	v := planview.Diff{Entries: []planview.Entry{
		{Sign: "+", Name: "ec2/web-0", ID: "i-0abc", Text: "by ada"},
		{Sign: "-", Name: "s3/a", ID: "a", Text: "outside ovi"},
		{Sign: "~", Name: "rds/db", Text: "by ben"},
	}, Foot: "Diff: 3."}
	if err := v.Write(&b, term.Style{}); err != nil {
		t.Fatal(err)
	}
	want := "+ ec2/web-0  i-0abc  by ada\n- s3/a       a       outside ovi\n~ rds/db             by ben\n"
	if !strings.HasPrefix(b.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
