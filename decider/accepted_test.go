package decider_test

import (
	"testing"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// TestAnUnreadSourceOnlyHeals asserts for each action what passes while a source cannot be read.
func TestAnUnreadSourceOnlyHeals(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	web := resource.Ref{Stack: "shop", Provider: "fake", Location: "here", Kind: "box", Name: "web"}
	db := web
	db.Name = "db"
	config := func(ref resource.Ref) *resource.Desired { return &resource.Desired{Ref: ref} }
	sealed := config(web)
	sealed.Attrs = resource.NewAttrs(resource.Attr{Name: "password", Value: resource.Digest("d")})
	whole := resource.Intent{Stack: "shop", Source: "ovi.yaml", Unread: "git is away", Read: now.Add(-time.Hour)}
	old := whole
	old.Read = now.Add(-8 * 24 * time.Hour)
	edge := old
	edge.Rules.UnreadMaxAge = rules.Unlimited
	part := func(p resource.UnreadPart) resource.Intent {
		p.Name, p.Why, p.Read = "b.yaml", "line 3", now.Add(-time.Hour)
		return resource.Intent{Stack: "shop", Source: "folder", Parts: []resource.UnreadPart{p}}
	}
	missing, drifted, unwanted := comparator.Missing, comparator.Drifted, comparator.Unwanted
	for name, c := range map[string]struct {
		in      resource.Intent
		d       decider.Decision
		applied bool
		passes  bool
	}{
		"a drift is repaired":                    {whole, decider.Decision{Difference: drifted, Proposed: decider.Update, Desired: config(web)}, true, true},
		"a failing one is restarted":             {whole, decider.Decision{Difference: drifted, Proposed: decider.Restart, Desired: config(web)}, true, true},
		"what was deleted outside is created":    {whole, decider.Decision{Difference: missing, Proposed: decider.Create, Desired: config(web)}, true, true},
		"what was never applied is not created":  {whole, decider.Decision{Difference: missing, Proposed: decider.Create, Desired: config(web)}, false, false},
		"what was never applied changes nothing": {whole, decider.Decision{Difference: drifted, Proposed: decider.Update, Desired: config(web)}, false, false},
		"nothing is deleted":                     {whole, decider.Decision{Difference: unwanted, Proposed: decider.Delete}, true, false},
		"nothing is replaced":                    {whole, decider.Decision{Difference: drifted, Proposed: decider.Replace, Desired: config(web)}, true, false},
		"a replacement that made room creates":   {whole, decider.Decision{Difference: drifted, Proposed: decider.Replace, Reason: decider.ReasonResumes, Steps: []replace.Step{replace.Create}, Desired: config(web)}, true, true},
		"one that still deletes waits":           {whole, decider.Decision{Difference: drifted, Proposed: decider.Replace, Reason: decider.ReasonResumes, Steps: []replace.Step{replace.DeleteOld}, Desired: config(web)}, true, false},
		"a secret of the source is not created":  {whole, decider.Decision{Difference: missing, Proposed: decider.Create, Desired: sealed}, true, false},
		"but restarted":                          {whole, decider.Decision{Difference: drifted, Proposed: decider.Restart, Desired: sealed}, true, true},
		"after a week nothing is created again":  {old, decider.Decision{Difference: missing, Proposed: decider.Create, Desired: config(web)}, true, false},
		"but repaired":                           {old, decider.Decision{Difference: drifted, Proposed: decider.Update, Desired: config(web)}, true, true},
		"a site has no limit":                    {edge, decider.Decision{Difference: missing, Proposed: decider.Create, Desired: config(web)}, true, true},
		"a part blocks its own":                  {part(resource.UnreadPart{Refs: []resource.Ref{web}}), decider.Decision{Difference: missing, Proposed: decider.Create, Desired: config(web)}, false, false},
		"a part leaves others alone":             {part(resource.UnreadPart{Refs: []resource.Ref{db}}), decider.Decision{Difference: missing, Proposed: decider.Create, Desired: config(web)}, false, true},
		"a known part lets others be deleted":    {part(resource.UnreadPart{Refs: []resource.Ref{db}}), decider.Decision{Difference: unwanted, Proposed: decider.Delete}, false, true},
		"an unknown part does":                   {part(resource.UnreadPart{Unknown: true}), decider.Decision{Difference: unwanted, Proposed: decider.Delete}, false, false},
		"an unknown part lets others be created": {part(resource.UnreadPart{Unknown: true}), decider.Decision{Difference: missing, Proposed: decider.Create, Desired: config(web)}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.d.Ref, c.d.Action = web, c.d.Proposed
			x := decider.LastAccepted{
				Intents:    []resource.Intent{c.in},
				WasApplied: func(resource.Ref, string) bool { return c.applied },
			}
			got, err := x.Review(decider.Plan{Decisions: []decider.Decision{c.d}}, decider.Facts{Now: now})
			if b, blocked := got[0]; err != nil || blocked == c.passes {
				t.Errorf("blocked %v by %q, %v", blocked, b.Reason, err)
			}
		})
	}
}
