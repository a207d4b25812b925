package engine_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// abroad is a provider whose locations are in an account, which it must look up.
type abroad struct {
	*fake.Cloud
	account string // of the credentials; "" is "account"
	err     error
}

func (a *abroad) Locate(_ context.Context, location string) (string, error) {
	if a.err != nil {
		return "", a.err
	}
	account := cmp.Or(a.account, "account")
	if of, _, full := strings.Cut(location, "/"); full && of != account {
		return "", &provider.Error{Cause: provider.Denied, Op: "locate", Err: errors.New("the credentials are of " + account)}
	}
	return account + "/" + strings.TrimPrefix(location, account+"/"), nil
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

// TestARecordIsNotTheAccountOfTheCredentials: with a recent record of an account, a plan with credentials of another
// one reads nothing of the first and changes nothing.
func TestARecordIsNotTheAccountOfTheCredentials(t *testing.T) {
	b := newBench(t)
	far := &abroad{Cloud: b.cloud}
	b.engine = engine.New(engine.Config{Providers: provider.Set{"fake": far}, Ledger: b.ledger, Claims: b.claims})
	b.apply(wants(disk("d", 20)))
	full := func() []resource.Intent {
		d := disk("d", 20)
		d.Ref.Location = "account/here"
		in := wants(d)
		in[0].Scopes = nil
		return in
	}
	plan := func(in []resource.Intent) *engine.Planned {
		t.Helper()
		p, err := b.engine.Plan(t.Context(), in, engine.PlanOptions{MaxAge: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range p.Plan.Decisions {
			if d.Ref.Location == "account/here" && d.Proposed.Executes() {
				t.Errorf("%s %s in the account of the record", d.Proposed, d.Ref)
			}
		}
		return p
	}
	if p := plan(full()); p.Counts.Unchanged != 1 {
		t.Errorf("with its own credentials: %+v", p.Counts)
	}
	far.account = "other"
	for name, in := range map[string][]resource.Intent{"short": wants(disk("d", 20)), "full": full()} {
		p := plan(in)
		if why := p.Plan.Unreachable[resource.Scope{Provider: "fake", Location: "account/here"}]; p.Counts.Unchanged != 0 ||
			!strings.Contains(why, "the credentials are of other") {
			t.Errorf("%s: %+v %v", name, p.Counts, p.Plan.Unreachable)
		}
	}
	far.account = ""
	plan(full())
	far.err = errOffline
	if p := plan(full()); p.Counts.Unchanged != 1 {
		t.Errorf("in full, and out of reach: %+v", p.Counts)
	}
	if p := plan(wants(disk("d", 20))); p.Counts.Unchanged != 0 || len(p.Plan.Unreachable) != 1 {
		t.Errorf("short, and out of reach: %+v %v", p.Counts, p.Plan.Unreachable)
	}
}
