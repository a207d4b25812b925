package explain_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var (
	web   = resource.Ref{Stack: "two", Provider: "aws", Location: "us-east-1", Kind: "ec2", Name: "web"}
	start = time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)
)

// told makes a history: each record is a minute after the one before.
type told struct {
	history.ResourceHistory
	read event.Loaded // last
	n    int          // records so far, those of sources too
}

func (c *told) add(run string, events ...event.Event) *told {
	for _, e := range events {
		if read, ok := e.(event.Loaded); ok {
			c.read = read
		}
		if p, ok := e.(event.Planned); ok && c.read.Stack != "" {
			if c.Sources == nil {
				c.Sources = map[string]event.Loaded{}
			}
			c.Sources[p.Plan] = c.read
		}
		c.n++
		seq := wal.Seq(c.n)
		if _, ok := e.(event.Loaded); ok {
			continue
		}
		c.Records = append(c.Records, event.Record{
			Seq: seq, ID: fmt.Sprint("id", seq), At: start.Add(time.Duration(seq) * time.Minute),
			Instance: "here", Run: run, User: "ada", Event: e,
		})
	}
	return c
}

func (c *told) now() time.Time { return start.Add(time.Duration(c.n) * time.Minute) }

func res(size string) resource.Observed {
	return resource.Observed{
		Ref: web, ID: "i-1", Ownership: resource.Proven, Health: "healthy",
		Attrs: resource.NewAttrs(resource.Attr{Name: "size", Value: resource.String(size)}),
	}
}

func look(changed ...resource.Observed) event.Observed {
	return event.Observed{Scope: web.Scope(), Complete: true, Part: 1, Of: 1, Changed: changed}
}

func read() event.Loaded {
	return event.Loaded{Stack: "two", Source: "ovi.yaml", Version: "v7", Resources: 3}
}

func plan(id string, mode event.Mode, d event.Decision) event.Planned {
	d.Ref = web
	return event.Planned{Plan: id, Stacks: []string{"two"}, Mode: mode, Hash: "hash of " + string(d.Proposed), Decisions: []event.Decision{d}}
}

func yes(id string) event.Approved { return event.Approved{Plan: id, Who: "grace", How: "typed yes"} }

func started(id string, a decider.Action, r decider.Reason, detail string) event.Started {
	return event.Started{Plan: id, Ref: web, Key: "key" + id, Action: a, Token: 9, Reason: r, Message: detail, Have: "i-1", Host: "desk", PID: 42}
}

func ended(id string, a decider.Action, o event.Outcome, text string) event.Finished {
	e := event.Finished{Plan: id, Ref: web, Key: "key" + id, Action: a, Token: 9, Outcome: o, Seconds: 1.5, Error: text, ID: "i-1"}
	if t := res("small"); o == event.Done && a != decider.Delete {
		e.Resource = &t
	}
	return e
}

// decisions as the rules make them.
var (
	missing   = event.Decision{Difference: comparator.Missing, Action: decider.Create, Proposed: decider.Create, Reason: decider.ReasonMissing, Message: "does not exist"}
	unwanted  = event.Decision{Difference: comparator.Unwanted, Action: decider.Delete, Proposed: decider.Delete, Reason: decider.ReasonUnwanted, Message: "not in the configuration"}
	destroyed = event.Decision{Difference: comparator.Unwanted, Action: decider.Delete, Proposed: decider.Delete, Reason: decider.ReasonDestroyed, Message: "`ovi destroy` was run on stack two"}
	requested = event.Decision{Action: decider.Replace, Proposed: decider.Replace, Reason: decider.ReasonRequested, Message: "--replace"}
	drifted   = event.Decision{
		Difference: comparator.Drifted, Action: decider.Update, Proposed: decider.Update, Reason: decider.ReasonChanged, Message: "size differs",
		Changes: []resource.Change{{Path: "size", From: resource.String("large"), To: resource.String("small")}},
	}
)

func blocked(d event.Decision, policy, why string) event.Decision {
	d.Action, d.Blockers = decider.Notify, []decider.Blocker{{Policy: policy, Reason: why}}
	return d
}

func created() *told {
	return new(told).add("run1", read(), plan("p1", event.ForApply, missing), yes("p1"),
		started("p1", decider.Create, decider.ReasonMissing, missing.Message), ended("p1", decider.Create, event.Done, ""))
}

// last sets what the store has: the resource, the last observation, the last plan.
func (c *told) last(there *resource.Observed, d *event.Decision) history.ResourceHistory {
	c.Ref = web
	if there != nil {
		c.Exists = &ledger.ResourceState{Observed: *there}
	}
	if c.Scan == nil {
		c.Scan = &ledger.Scan{Scope: web.Scope(), At: c.now(), Confirmed: c.now(), Whole: c.now(), Complete: true}
	}
	for _, r := range c.Records {
		if p, ok := r.Event.(event.Planned); ok {
			c.Last = &history.LastPlan{At: r.At, Mode: p.Mode, Decision: d}
		}
	}
	return c.ResourceHistory
}

// lateDelete is a delete whose process was stopped before its call, and that another one found not done.
func lateDelete() *told {
	return created().add("run2", read(), plan("p2", event.ForApply, unwanted), yes("p2"),
		started("p2", decider.Delete, decider.ReasonUnwanted, unwanted.Message),
		event.Recovered{Ref: web, Key: "keyp2", Action: decider.Delete, Finding: event.FoundNotDone, Evidence: "i-1 still exists"})
}

func gone() event.Event {
	return event.Observed{Scope: web.Scope(), Complete: true, Part: 1, Of: 1, Gone: []resource.Ref{web}}
}

func histories() map[string]history.ResourceHistory {
	small, large, unmanaged := res("small"), res("large"), res("small")
	unmanaged.Ownership = resource.Unmanaged
	unreachable := created()
	unreachable.Scan = &ledger.Scan{Scope: web.Scope(), At: start.Add(9 * time.Minute), Confirmed: start, Whole: start, Error: "access denied"}
	open := created().add("run2", read(), plan("p2", event.ForApply, unwanted), yes("p2"), started("p2", decider.Delete, decider.ReasonUnwanted, unwanted.Message))
	open.Open = &ledger.OpenAction{Started: started("p2", decider.Delete, decider.ReasonUnwanted, unwanted.Message), At: open.now(), User: "ada", Uncertain: true, Error: "connection reset"}
	failing := created().add("run2", look(large), plan("p2", event.ForApply, drifted), yes("p2"),
		started("p2", decider.Update, decider.ReasonChanged, drifted.Message), ended("p2", decider.Update, event.Failed, "quota"))
	failing.Tries = &ledger.Tries{Attempts: decider.Attempts{Failures: 1, Last: failing.now(), Error: "quota"}}
	blessed := blocked(unwanted, "blessed", "blessed resources are not changed")
	blessed.Blockers[0].Suggestion = "run `ovi unbless ec2/web`"
	backoff := blocked(drifted, "backoff", "It failed 3 times: quota")
	conflict := event.Decision{Difference: comparator.Conflict, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonConflict, Message: "it exists and is unmanaged", Suggestion: "rename it, or run `ovi adopt ec2/web`"}
	unread := event.Decision{Difference: comparator.Unreachable, Action: decider.Notify, Proposed: decider.Notify, Reason: decider.ReasonUnreachable, Message: "aws/us-east-1 is unreachable: throttled"}
	trimmed := created()
	trimmed.From = 40
	former, api := res("small"), web
	former.Ownership, api.Name = resource.Former, "api"
	return map[string]history.ResourceHistory{
		"moved-away": created().add("run2", event.Moved{Ref: api, From: web, ID: "i-1", Who: "ada"}).last(nil, nil),
		"moved-here": created().add("run2", event.Moved{Ref: web, From: api, ID: "i-1", Who: "ada"}).last(&small, nil),
		"forgotten":  created().add("run2", event.Disowned{Ref: web, ID: "i-1", Who: "ada", Reason: "sold"}).last(&former, nil),
		"matches": created().add("run2", look(large), read(), plan("p2", event.ForApply, drifted), yes("p2"),
			started("p2", decider.Update, decider.ReasonChanged, drifted.Message), ended("p2", decider.Update, event.Done, "")).last(&small, nil),
		"given-up": new(told).add("run1", read(), plan("p1", event.ForApply, missing), yes("p1"),
			started("p1", decider.Create, decider.ReasonMissing, missing.Message),
			ended("p1", decider.Create, event.Failed, "quota; Suggestion: ask for more")).last(nil, nil),
		"delete-not-applied":  created().add("run2", read(), plan("p2", event.ForPlan, unwanted)).last(&small, &unwanted),
		"create-not-applied":  new(told).add("run1", read(), plan("p1", event.ForPlan, missing)).last(nil, &missing),
		"destroy-not-applied": created().add("run2", read(), plan("p2", event.ForPlan, destroyed)).last(&small, &destroyed),
		"replace-not-applied": created().add("run2", read(), plan("p2", event.ForPlan, requested)).last(&small, &requested),
		"stopped":             stopped(),
		"approved": created().add("run2", look(large), read(), warned("p2"),
			event.Approved{Plan: "other", Digest: "what", Who: "joan", How: "ovi approve", Reason: "agreed"}, yes("p2"),
			started("p2", decider.Update, decider.ReasonChanged, drifted.Message), ended("p2", decider.Update, event.Done, "")).last(&small, nil),
		"deleted": created().add("run2", event.Blessed{Ref: web, On: true, Who: "ada", Reason: "data"}, event.Blessed{Ref: web, Who: "ada"}, read(),
			plan("p2", event.ForPlan, unwanted)).add("run3", read(), event.Planned{Plan: "p3", Same: "p2", Stacks: []string{"two"}, Mode: event.ForApply, Hash: "hash of delete"}, yes("p3"),
			started("p3", decider.Delete, decider.ReasonUnwanted, unwanted.Message), ended("p3", decider.Delete, event.Done, "")).last(nil, &unwanted),
		"deleted-outside": created().add("run2", event.Observed{Scope: web.Scope(), Complete: true, Part: 1, Of: 1, Gone: []resource.Ref{web}}, plan("p2", event.ForPlan, missing)).last(nil, &missing),
		"late-update": created().add("run2", look(large), read(), plan("p2", event.ForApply, drifted), yes("p2"),
			started("p2", decider.Update, decider.ReasonChanged, drifted.Message),
			event.Recovered{Ref: web, Key: "keyp2", Action: decider.Update, Finding: event.FoundNotDone, Evidence: "i-1 does not match its configuration"}).
			add("run3", look(small), plan("p3", event.ForApply, drifted)).last(&small, nil),
		"late-delete":                lateDelete().add("run3", ended("p2", decider.Delete, event.Late, ""), gone()).last(nil, &missing),
		"late-delete-recorded-later": lateDelete().add("run3", gone(), ended("p2", decider.Delete, event.Late, "")).last(nil, &missing),
		"late-delete-created-again": lateDelete().add("run3", gone(), plan("p3", event.ForApply, missing),
			started("p3", decider.Create, decider.ReasonDeleted, "x"), ended("p3", decider.Create, event.Done, "")).last(&small, nil),
		"late-delete-perhaps": lateDelete().add("run3", gone(), plan("p3", event.ForPlan, missing)).last(nil, &missing),
		"blocked":             created().add("run2", read(), plan("p2", event.ForApply, blessed), event.Blocked{Plan: "p2", Ref: web, Proposed: decider.Delete, Blockers: blessed.Blockers}).add("run3", plan("p3", event.ForApply, blessed), event.Blocked{Plan: "p3", Ref: web, Proposed: decider.Delete, Blockers: blessed.Blockers}).last(&small, &blessed),
		"backoff":             created().add("run2", look(large), plan("p2", event.ForApply, backoff)).last(&large, &backoff),
		"pending":             created().add("run2", look(large), read(), plan("p2", event.ForPlan, drifted)).last(&large, &drifted),
		"unreachable":         unreachable.last(&small, nil),
		"not-evaluated":       new(told).add("run1", plan("p1", event.ForPlan, unread)).last(nil, &unread),
		"open":                open.last(&small, &unwanted),
		"failing":             failing.last(&large, &drifted),
		"conflict":            new(told).add("run1", look(unmanaged), plan("p1", event.ForPlan, conflict)).last(&unmanaged, &conflict),
		"unmanaged":           new(told).add("run1", look(unmanaged)).last(&unmanaged, nil),
		"trimmed":             trimmed.last(&small, nil),
		"replaced":            replaced().last(&small, nil),
		"adopted": new(told).add("run1", look(unmanaged), event.Adopted{Ref: web, ID: "i-1", Who: "ada", Reason: "bought with the company"}).
			last(&small, nil),
		"deferred": created().add("run2", read(), plan("p2", event.ForApply, windowed()), event.Blocked{Plan: "p2", Ref: web, Proposed: decider.Update, Blockers: windowed().Blockers}).
			last(&large, pointer(windowed())),
		"source-changed": created().add("run2", event.Loaded{Stack: "two", Source: "ovi.yaml", Version: "v8"}, plan("p2", event.ForApply, drifted), yes("p2"),
			started("p2", decider.Update, decider.ReasonChanged, drifted.Message), ended("p2", decider.Update, event.Done, "")).last(&small, nil),
		"two-approvals": created().add("run2", look(large), read(), warned("p2"),
			event.Approved{Plan: "other", Digest: "what", Who: "joan", How: "ovi approve", Reason: "agreed"}, event.Approved{Plan: "other", Digest: "what", Who: "hedy", How: "ovi approve"},
			// Once a user, and who applied the saved plan has not approved it.
			event.Approved{Plan: "other", Digest: "what", Who: "joan", How: "ovi approve"}, event.Approved{Plan: "p2", Who: "ada", How: "plan file"},
			started("p2", decider.Update, decider.ReasonChanged, drifted.Message), ended("p2", decider.Update, event.Done, "")).last(&small, nil),
		"claim-lost": created().add("run2", look(large), read(), plan("p2", event.ForApply, drifted), yes("p2"),
			started("p2", decider.Update, decider.ReasonChanged, drifted.Message),
			event.Revoked{Ref: web, ClaimedBy: "ada on desk", Token: 9, Who: "joan", Reason: "the laptop was closed"},
			event.Refused{Ref: web, Key: "keyp2", Token: 9, Reason: "the claim expired before the result was recorded"}, ended("p2", decider.Update, event.Late, ""),
			event.Recovered{Ref: web, Key: "keyp2", Action: decider.Update, Finding: event.FoundDone, ID: "i-1", Evidence: "it has the configured size"}).last(&small, nil),
		"elsewhere":          elsewhere().last(&small, nil),
		"swapped":            swapped().last(pointer(successor()), nil),
		"reverted":           reverted().last(&small, pointer(swap)),
		"being-replaced":     replacing(false).last(&small, pointer(swap)),
		"being-put-back":     replacing(true).last(&small, pointer(swap)),
		"reverted-and-right": backAgain().last(&small, nil),
	}
}

func pointer[T any](v T) *T { return &v }

// windowed is a decision that a window defers.
func windowed() event.Decision {
	d := blocked(drifted, "windows", "window nights")
	until := start.Add(90 * time.Hour)
	d.Blockers[0].Until = &until
	return d
}

// replaced is a history in which the resource was deleted and created again.
func replaced() *told {
	d := drifted
	d.Action, d.Proposed, d.Reason, d.Message = decider.Replace, decider.Replace, decider.ReasonChanged, "size cannot be changed in place"
	phase := func(h string) (event.Started, event.Finished) {
		b, e := started("p2", decider.Replace, d.Reason, d.Message), ended("p2", decider.Replace, event.Done, "")
		b.Phase, e.Phase, b.Key, e.Key = h, h, "key"+h, "key"+h
		return b, e
	}
	away, gone := phase(event.PhaseDelete)
	again, made := phase(event.PhaseCreate)
	gone.Resource, made.ID = nil, "i-2"
	return created().add("run2", read(), plan("p2", event.ForApply, d), yes("p2"), away, gone, again, made)
}

// swap is a replacement in steps.
var swap = event.Decision{
	Difference: comparator.Drifted, Action: decider.Replace, Proposed: decider.Replace, Reason: decider.ReasonImmutable, Message: "image cannot be changed in place",
	Changes: []resource.Change{{Path: "image", From: resource.String("web:1"), To: resource.String("web:2"), Effect: resource.Replace}},
}

func successor() resource.Observed {
	o := res("small")
	o.ID = "i-2"
	return o
}

// steps are those of a replacement that were done.
func (c *told) steps(names ...string) *told {
	for i, name := range names {
		b, e := started("p2", decider.Replace, swap.Reason, swap.Message), ended("p2", decider.Replace, event.Done, "")
		b.Step, e.Step, b.Key, e.Key, e.Resource = name, name, fmt.Sprint("key", i), fmt.Sprint("key", i), nil
		if name == "create" || name == "switch" || name == "delete_new" {
			e.ID = "i-2"
		}
		c.add("run2", b, e)
	}
	return c
}

func swapping() *told {
	return created().add("run2", read(), plan("p2", event.ForApply, swap), yes("p2"), event.ReplaceStarted{Ref: web, Key: "k", Strategy: "swap", Old: "i-1"}).
		steps("set_aside", "create", "switch")
}

func swapped() *told {
	return swapping().steps("delete_old").add("run2", look(successor()), event.ReplaceFinished{Ref: web, Key: "k", ID: "i-2"})
}

func reverted() *told {
	c := swapping().add("run2", event.ReplaceReverted{Ref: web, Key: "k", Why: "i-2 is failing: exited with 1"})
	c.Tries = &ledger.Tries{Attempts: decider.Attempts{Failures: 1, Last: c.now(), Error: "i-2 is failing: exited with 1"}}
	return c.steps("delete_new", "restore").add("run2", event.ReplaceFinished{Ref: web, Key: "k", ID: "i-1", Reverted: true})
}

// backAgain is a reverted replacement whose configuration was taken back.
func backAgain() *told {
	c := reverted()
	c.Tries = nil
	return c
}

func replacing(back bool) *told {
	c := swapping()
	c.Replacing = &ledger.Replacement{ReplaceStarted: event.ReplaceStarted{Ref: web, Strategy: "swap", Old: "i-1"}, At: start.Add(5 * time.Minute)}
	if back {
		c.add("run2", event.ReplaceReverted{Ref: web, Key: "k", Why: "i-2 is failing: exited with 1"})
		c.Replacing.Reverting, c.Replacing.Why = true, "i-2 is failing: exited with 1"
	}
	return c
}

// elsewhere is an update by another instance, as the shared store has it.
func elsewhere() *told {
	c := created()
	c.Here = "here"
	c.add("run2", look(res("large")), read(), plan("p2", event.ForApply, drifted), yes("p2"),
		started("p2", decider.Update, decider.ReasonChanged, drifted.Message), ended("p2", decider.Update, event.Done, ""))
	for i := range c.Records[len(c.Records)-5:] {
		r := &c.Records[len(c.Records)-5+i]
		if r.Instance = "there"; r.Event.Type() == event.TypeObserved || r.Event.Type() == event.TypePlanned {
			r.Seq, r.Run, r.User = 0, "", ""
		}
	}
	return c
}

// warned is a plan with a warning, which needed an approval.
func warned(id string) event.Planned {
	d := drifted
	d.Warnings = []decider.Warning{{Policy: "rule size", Text: "It gets smaller."}}
	p := plan(id, event.ForApply, d)
	p.Digest = "what"
	return p
}

func text(s explain.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n%s\n", s.State, s.Headline, s.Cause)
	for _, c := range s.Changes {
		fmt.Fprintf(&b, "  %s  %s -> %s\n", c.Path, resource.AppendJSON(nil, c.From), resource.AppendJSON(nil, c.To))
	}
	if s.Suggestion != "" {
		fmt.Fprintf(&b, "Suggestion: %s\n", s.Suggestion)
	}
	b.WriteString("\n")
	for _, f := range s.Facts {
		fmt.Fprintf(&b, "  %s | %s\n", f.Label, f.Text)
	}
	for _, c := range s.Events {
		fmt.Fprintf(&b, "\n%s %s %v: %s\n", c.At.Format("15:04"), c.What, c.Records, c.Title)
		for _, f := range c.Facts {
			fmt.Fprintf(&b, "  %s | %s\n", f.Label, f.Text)
		}
	}
	return b.String()
}

func TestGoldenExplanations(t *testing.T) {
	for name, c := range histories() {
		t.Run(name, func(t *testing.T) {
			explainer := explain.Explainer{
				Now:   start.Add(time.Hour),
				Value: func(v resource.Value) string { return string(resource.AppendJSON(nil, v)) },
				Ref:   resource.Ref.String,
			}
			got := text(explainer.Explain(c))
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the explanation changed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTheHeadlineAnswers holds what must be said first, whatever else changes.
func TestTheHeadlineAnswers(t *testing.T) {
	explainer := explain.Explainer{Now: start.Add(time.Hour), Value: func(resource.Value) string { return "x" }, Ref: resource.Ref.String}
	all := histories()
	for name, words := range map[string][]string{
		"deleted":         {"was deleted 46m ago by ada@desk", "it was not in ovi.yaml (stack two)"},
		"deleted-outside": {"was deleted outside ovi", "observed 54m ago", "run `ovi apply` to create it again"},
		"blocked":         {"The delete of ec2/web is blocked by blessed: blessed resources are not changed.", "run `ovi unbless ec2/web`"},
		"backoff":         {"blocked by backoff: It failed 3 times: quota"},
		"unreachable":     {"is unknown", "access denied", "make it reachable"},
		"not-evaluated":   {"was not evaluated", "throttled"},
		"open":            {"delete started 51m ago by ada, no result recorded: connection reset", "run `ovi plan` to recover it"},
		"failing":         {"failed once", "quota", "run `ovi apply`"},
		"conflict":        {"is in conflict: i-1 exists and is unmanaged.", "run `ovi adopt ec2/web`"},
		"unmanaged":       {"(i-1) is unmanaged", "First observed 59m ago.", "ovi adopt"},
		"pending":         {"does not match its configuration", "would update it", "run `ovi apply`"},
		"adopted":         {"Adopted 58m ago into stack two by ada: bought with the company."},
		"deferred":        {"is deferred until 2026-02-07 04:00 UTC by window nights"},
		"replaced":        {"Replaced 48m ago by ada, because ovi.yaml changed:"},
		"matches":         {"ec2/web matches its configuration.", "Updated 49m ago by ada, because it was changed outside ovi:"},
		"stopped":         {"because it was changed outside ovi:"},
		"source-changed":  {"Updated 50m ago by ada, because ovi.yaml changed:"},
		"claim-lost":      {"its claim expired before the result was recorded"},
		"elsewhere":       {"it was changed outside ovi"},
		"moved-away":      {"ec2/web was renamed to ec2/api 54m ago by ada.", "run `ovi why ec2/api`"},
		"moved-here":      {"ec2/web matches its configuration.", "Renamed from ec2/api 54m ago by ada."},
		"forgotten":       {"ec2/web (i-1) was forgotten 54m ago by ada: sold: ovi does not change it.", "ovi adopt ec2/web --id i-1"},
	} {
		s := explainer.Explain(all[name])
		for _, w := range words {
			if answer := s.Headline + " " + s.Cause + " " + s.Suggestion; !strings.Contains(answer, w) {
				t.Errorf("%s: the answer does not say %q: %s", name, w, answer)
			}
		}
	}
}
