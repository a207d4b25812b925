package render_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// screenful is what is shown on a screen.
type screenful interface {
	Write(w io.Writer, s term.Style) error
}

// screens are the other screens of the style guide, and beside them what is awkward.
func screens() map[string]screenful {
	team := resource.Change{Path: "tags.team", From: text("other"), To: text("platform")}
	drifted := decider.Decision{
		Ref: ref("ec2", "web-0"), Difference: comparator.Drifted, Action: decider.Update, Proposed: decider.Update,
		Observed: have("i-0ee036f2aa4411c1f"), Changes: []resource.Change{team},
	}
	return map[string]screenful{
		"drift":      planview.Drift{Plan: decider.Plan{Unchanged: 7, Decisions: []decider.Decision{drifted}}, Names: names(), Note: driftNote},
		"drift-more": manyDrifts(drifted),
		"drift-none": planview.Drift{Plan: decider.Plan{Unchanged: 9}, Names: names()},
		"status": render.StatusView{
			Rows: []render.StatusRow{{Stack: "web", Resource: "ec2/web-0", ID: "i-0ee036f2aa4411c1f", Health: "healthy", Observed: "12s ago", Note: "blessed"}},
			Notices: []render.Notice{
				{Text: "aws/eu-west-1 is unreachable; last observed 2h ago"},
				{Text: "ec2/web-1: update in progress until 13:40:00 UTC", Note: true},
				{Text: "ec2/web-2: update started 13:22:39 UTC by ada, no result recorded", Suggestion: "run `ovi plan` to recover it"},
			},
		},
		"claims": term.Table{
			Head: []string{"RESOURCE", "CLAIMED BY", "PID", "SINCE", "EXPIRES"}, Flexible: 4,
			Rows: [][]string{{"ec2/web-0", "ada@build-1", "4711", "12s ago", "in 28s unless renewed"}},
		},
		"history": historyTable(),
		"why": render.Page{
			Lead: "ec2/web-0 matches its configuration.", Cause: "Updated 3m ago by ada, because it was changed outside ovi:", Changes: []resource.Change{team},
			Facts: []render.Fact{
				{Label: "live state", Text: "i-0ee036f2aa4411c1f, healthy, observed 12s ago"},
				{Label: "configuration", Text: "ovi.yaml:38, stack web"},
				{Label: "approved by", Text: "ada (--auto-approve)"},
				{Label: "audit log", Text: "records 40-41"},
			},
		},
		"why-all": render.Page{
			Lead: "The delete of ec2/web-0 is blocked by blessed.", Suggestion: "run `ovi unbless ec2/web-0`", Facts: []render.Fact{{Label: "live state", Text: "i-0ee036f2aa4411c1f, healthy, observed 12s ago"}},
			Sections: []render.Section{{Head: "2026-11-21 13:25:02", Title: "updated by ada", Facts: []render.Fact{{Label: "policies", Text: "warning by rule size: It gets smaller than what the team agreed on in the last review."}}}},
		},
		"error":   render.Diagnostic{Severity: render.Error, Summary: `unknown attribute "sise" for kind ec2`, File: "ovi.yaml", Line: 55, Column: 5, Resource: "ec2/web", Suggestion: "use size"},
		"warning": render.Diagnostic{Severity: render.Warning, Summary: "the audit log could not be closed", Detail: "disk full"},
		"applied": render.Counts{Create: 1, Update: 1, Replace: 2, Delete: 1, Failed: 1, Blocked: 1, Conflict: 1, Unreachable: 2, Unchanged: 4},
	}
}

func driftNote(_ resource.Ref, path string) string {
	if path == "description" {
		return ""
	}
	return "outside ovi, 5m ago"
}

// manyDrifts is drift of each kind: an attribute, a list, a deleted resource, a conflict.
func manyDrifts(first decider.Decision) planview.Drift {
	lost := decider.Decision{Ref: ref("ec2", "web-1"), Difference: comparator.Missing, Action: decider.Create, Proposed: decider.Create, Changes: []resource.Change{change("size", nil, text("t3.micro"), resource.InPlace)}}
	group := decider.Decision{
		Ref: ref("security_group", "web"), Difference: comparator.Drifted, Action: decider.Update, Proposed: decider.Update, Observed: have("sg-0e157a7adcf708ffb"),
		Changes: []resource.Change{
			change("description", nil, text("Web traffic"), resource.Replace),
			change("ingress", resource.List{rule(443, "0.0.0.0/0", "HTTPS"), rule(22, "::/0", "opened by hand for a short while and then forgotten")}, resource.List{rule(443, "0.0.0.0/0", "HTTPS"), rule(80, "0.0.0.0/0", "HTTP")}, resource.InPlace),
			change("zone", text("us-east-1b"), nil, resource.InPlace),
		},
	}
	unreachable := map[resource.Scope]string{{Provider: "aws", Location: account + "/eu-west-1"}: "AccessDenied: ec2:DescribeVpcs"}
	conflict := everything().Decisions[3]
	return planview.Drift{
		Plan:  decider.Plan{Unchanged: 2, Unreachable: unreachable, Decisions: []decider.Decision{first, lost, group, conflict}},
		Names: names(), Note: driftNote, Kinds: kinds, Acknowledged: 1,
	}
}

func historyTable() term.Table {
	budget := decider.Blocker{Policy: "max_destroy", Reason: "3 of 9 resources in stack web would be destroyed; the limit is 1", Suggestion: "raise it"}
	return term.Table{
		Head: []string{"REVISION", "TIME (UTC)", "EVENT"}, Flexible: 2,
		Rows: [][]string{
			{"9", "2026-11-21 13:22:39", render.Sentence(event.Finished{Action: decider.Create, Outcome: event.Done, ID: "i-0ee036f2aa4411c1f", Seconds: 0.1})},
			{"10", "2026-11-21 13:25:02", "changed outside ovi: tags.team platform -> other"},
			{"11", "2026-11-21 13:26:02", render.Sentence(event.Blocked{Proposed: decider.Restart, Blockers: []decider.Blocker{budget}})},
			{"12", "2026-11-21 13:27:02", render.Sentence(event.Finished{Action: decider.Replace, Phase: event.PhaseCreate, Outcome: event.Failed, Seconds: 12, Error: "InsufficientInstanceCapacity in us-east-1a"})},
		},
	}
}

// TestScreens compares each screen with its golden files: at 80 and 200 columns, with color and
// without, and in a pipe.
func TestScreens(t *testing.T) {
	for name, screen := range screens() {
		for width, s := range styles() {
			t.Run(name+"-"+width, func(t *testing.T) {
				var b bytes.Buffer
				if err := screen.Write(&b, s); err != nil {
					t.Fatal(err)
				}
				golden(t, name+"-"+width+".txt", b.Bytes())
			})
		}
	}
}

// TestProgressOfAnApply compares the lines of an apply with those of the style guide.
func TestProgressOfAnApply(t *testing.T) {
	at := time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	var b bytes.Buffer
	refs := []resource.Ref{ref("ec2", "web-0"), ref("ec2", "web-1"), ref("subnet", "app")}
	p := render.NewProgress(&b, term.Style{Width: 80, Live: true}, names(), refs...)
	for _, e := range []event.Event{
		event.Started{Ref: refs[0], Action: decider.Replace, Phase: event.PhaseDelete, Have: "i-0ee036f2aa4411c1f"},
		event.Finished{Ref: refs[0], Action: decider.Replace, Phase: event.PhaseDelete, Outcome: event.Done, Seconds: 31},
		event.Started{Ref: refs[1], Action: decider.Restart, Have: "i-06263382c5ab22ead"},
		event.Finished{Ref: refs[1], Action: decider.Restart, Outcome: event.Failed, Seconds: 12, Error: "InsufficientInstanceCapacity in us-east-1a\nSuggestion: use another zone"},
		event.Started{Ref: refs[2], Action: decider.Create},
	} {
		p.Record(event.Record{At: at, Event: e})
	}
	p.Record(event.Record{At: at.Add(4 * time.Second), Event: event.Started{Ref: ref("vpc", "main"), Action: decider.Create}})
	screen := append([]string{}, play(b.String())...)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"- ec2/web-0   deleted i-0ee036f2aa4411c1f (31s)",
		"~ ec2/web-1   failed after 12s: InsufficientInstanceCapacity in us-east-1a",
		"    Suggestion: use another zone",
		"+ subnet/app  creating... 4s",
	}
	for i, line := range want {
		if i >= len(screen) || screen[i] != line {
			t.Fatalf("line %d is not %q:\n%q", i+1, line, screen)
		}
	}
}
