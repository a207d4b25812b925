package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// abroad is a provider whose locations are in an account, which it must look up.
type abroad struct {
	*fake.Cloud
	err error
}

func (a *abroad) Locate(_ context.Context, location string) (string, error) {
	if a.err != nil {
		return "", a.err
	}
	return "account/" + strings.TrimPrefix(location, "account/"), nil
}

// TestAnUnreachableLocationIsReportedOnce: the configuration has "here", the store "account/here".
// If the account cannot be read, that is one unreachable location.
func TestAnUnreachableLocationIsReportedOnce(t *testing.T) {
	b := newBench(t)
	far := &abroad{Cloud: b.cloud}
	b.engine = engine.New(engine.Config{Providers: provider.Set{"fake": far}, Ledger: b.ledger, Claims: b.claims})
	b.apply(wants(disk("d", 20)))

	far.err = fake.ErrUnreachable
	resolved := resource.Scope{Provider: "fake", Location: "account/here"}
	p := b.plan(wants(disk("e", 20))) // e, and d, which is recorded
	if why := p.Plan.Unreachable[resolved]; len(p.Plan.Unreachable) != 1 || p.Counts.Unreachable != 2 || why == "" {
		t.Errorf("unreachable %v, want %s alone", p.Plan.Unreachable, resolved)
	}
	for _, d := range p.Plan.Decisions {
		if d.Action.Executes() || d.Proposed.Executes() {
			t.Errorf("in an unreachable location: %s %s", d.Proposed, d.Ref)
		}
	}
}
