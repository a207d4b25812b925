package render_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/render/term"
)

func TestPromptCountsWhatIsDestroyed(t *testing.T) {
	for want, plan := range map[string]decider.Plan{
		"Apply 6 changes to AWS account 123456789012 (3 destroyed, 1 with data loss: rds/old-db)?\nType yes to continue: ": everything(),
		"Apply 1 change to AWS account 123456789012?\nType yes to continue: ": {Decisions: []decider.Decision{
			{Ref: ref("ec2", "a"), Action: decider.Update, Proposed: decider.Update}, {Ref: ref("rds", "db"), Action: decider.Notify, Proposed: decider.Delete, Observed: have("db")},
		}},
	} {
		if got := planview.Prompt(plan, "AWS account 123456789012"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestTheResultOfAnApply: the last line has each count, zeros omitted; a replacement whose old
// resource was deleted and whose new one failed is both.
func TestTheResultOfAnApply(t *testing.T) {
	for want, c := range map[string]render.Counts{
		"Apply incomplete: 1 created, 1 updated, 2 replaced, 1 deleted, 1 failed,\n1 blocked, 1 conflict, 2 not evaluated, 4 unchanged.\n": {
			Create: 1, Restart: 1, Replace: 2, Delete: 1, Failed: 1, Blocked: 1, Conflict: 1, Unreachable: 2, Unchanged: 4,
		},
		"Apply incomplete: 1 deleted, 1 failed.\n":                         {Delete: 1, Failed: 1},
		"Apply incomplete: 2 not started, 1 claimed, 2 conflicts.\n":       {NotStarted: 2, Claimed: 1, Conflict: 2},
		"Apply complete: 1 created, 2 updated, 3 excluded, 9 unchanged.\n": {Create: 1, Update: 1, Restart: 1, Excluded: 3, Unchanged: 9},
		"Apply complete: no changes.\n":                                    {},
	} {
		var b bytes.Buffer
		if err := c.Write(&b, term.Style{Width: 80}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// TestReconcileResultHasTheKeysOfTheDesign holds the one object that ends an apply.
func TestReconcileResultHasTheKeysOfTheDesign(t *testing.T) {
	plan := decider.Plan{Decisions: []decider.Decision{
		{Ref: ref("ec2", "a"), Difference: comparator.Missing, Action: decider.Create, Reason: decider.ReasonMissing},
		{Ref: ref("ec2", "b"), Difference: comparator.Unreachable, Action: decider.Notify, Reason: decider.ReasonUnreachable, Message: "its location is unreachable"},
	}}
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	status := func(d decider.Decision) string {
		if d.Action == decider.Create {
			return "failed"
		}
		return ""
	}
	var b bytes.Buffer
	if err := render.NewJSON(&b).Encode(render.Reconciled(plan, names(), 7, at, 1500*time.Millisecond, status, []string{"ec2/a: denied"})); err != nil {
		t.Fatal(err)
	}
	want := `{"type":"reconcile_result","timestamp":"2026-11-22T10:00:00Z","resources_found":7,"diffs_detected":1,"decisions_made":2,` +
		`"execution_errors":["ec2/a: denied"],"duration":1500000000,"decisions":[` +
		`{"action":"create","resource_id":"web:aws/us-east-1/ec2/a","reason":"missing","status":"failed"},` +
		`{"action":"notify","resource_id":"web:aws/us-east-1/ec2/b","reason":"its location is unreachable"}]}` + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
