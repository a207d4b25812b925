package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// rigid is a cloud that cannot change a size to huge in place.
type rigid struct{ *fake.Cloud }

func (c rigid) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	for _, change := range r.Changes {
		if change.Path == "size" && resource.Equal(change.To, resource.String("huge")) {
			return resource.Observed{}, fmt.Errorf("fake: %s is too small for it: %w", r.Have.ID, provider.ErrReplace)
		}
	}
	return c.Cloud.Update(ctx, r)
}

func newRigid(t *testing.T) *bench {
	b := newBench(t)
	b.engine = engine.New(engine.Config{Providers: provider.Set{"fake": rigid{b.cloud}}, Ledger: b.ledger, Claims: b.claims})
	b.apply(wants(network("main"), server("a", "main")))
	return b
}

func sized(size string) []resource.Intent {
	s := server("a", "main")
	s.Attrs = s.Attrs.With("size", resource.String(size))
	return wants(network("main"), s)
}

func TestTheNextPlanReplacesWhatUpdateRefused(t *testing.T) {
	b := newRigid(t)
	r := b.apply(sized("huge"))
	o := r.Outcomes[0]
	if o.Status != engine.Failed || !strings.Contains(o.Detail, "must be replaced; the next plan proposes that") {
		t.Fatalf("%+v", r.Outcomes)
	}
	p := b.plan(sized("huge"))
	d, _ := decisionOn(p, ref("server", "a"))
	if d.Action != decider.Replace || d.Message != "size cannot be changed in place" {
		t.Fatalf("%s: %s", d.Action, d.Message)
	}
	old := d.Observed.ID
	if r := b.apply(sized("huge")); r.Outcomes[0].Status != engine.Done {
		t.Fatalf("%+v", r.Outcomes)
	}
	b.settled(sized("huge"))
	// On the new resource a change is tried in place again.
	back := b.plan(sized("small"))
	if d, _ := decisionOn(back, ref("server", "a")); d.Observed.ID == old || d.Action == decider.Replace {
		t.Errorf("%s of %s", d.Action, d.Observed.ID)
	}
}

// A refusal holds for one configuration of one resource.
func TestOnlyTheRefusedConfigurationIsReplaced(t *testing.T) {
	b := newRigid(t)
	b.apply(sized("huge"))
	if d, _ := decisionOn(b.plan(sized("large")), ref("server", "a")); d.Action == decider.Replace {
		t.Errorf("another size: %s", d.Action)
	}
	if p := b.plan(sized("small")); !p.Plan.Empty() {
		t.Errorf("the old size: %v", brief(p))
	}
}

// Policies see a replacement that follows a refusal like any other.
func TestARefusedUpdateIsNotReplacedAgainstAPolicy(t *testing.T) {
	b := newRigid(t)
	b.apply(sized("huge"))
	in := sized("huge")
	in[0].Rules.SkipDestructive = true
	if diff := cmp.Diff([]string{"notify server/a (replace blocked by skip_destructive)"}, brief(b.plan(in))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	before := b.calls()
	b.apply(in)
	if b.calls() != before {
		t.Errorf("%d calls", b.calls()-before)
	}
}
