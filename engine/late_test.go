package engine_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// lateCreate sends the create of a disk whose answer is lost, and observes that it did not happen. It returns what the
// request creates when it arrives after that.
func (b *bench) lateCreate(want []resource.Intent) resource.Observed {
	b.t.Helper()
	var late resource.Observed
	d := want[0].Resources[0]
	b.cloud.Break(fake.Faults{Before: func(_ context.Context, c fake.Call) error {
		if c.Verb != fake.Create {
			return nil
		}
		late = resource.Observed{
			Ref: d.Ref.Bare(), Attrs: d.Attrs, Tags: d.Tags, Attested: true, Marks: resource.Marks{Ref: d.Ref, Owner: "ovi", Key: c.Key},
		}
		return fake.ErrLost
	}})
	_, _ = b.engine.Apply(b.t.Context(), b.plan(want), engine.ApplyOptions{Tries: 1})
	b.cloud.Break(fake.Faults{})
	p := b.plan(want)
	if late.Marks.Key == "" || len(p.Recovered) != 1 || p.Recovered[0].Finding != event.FoundNotDone {
		b.t.Fatalf("recovered %+v: the test shows nothing", p.Recovered)
	}
	return late
}

// TestLaw2_RecordBeforeAct_ALateCreateIsOwned: a create that an observation found not done takes effect after that. The
// resource has the key that the record has, so it is managed: used, changed, or deleted, as configured by then. Nothing
// is created twice.
func TestLaw2_RecordBeforeAct_ALateCreateIsOwned(t *testing.T) {
	for name, c := range map[string]struct {
		then []resource.Intent
		does []string
		left int
	}{
		"as configured":          {wants(disk("d", 20)), nil, 1},
		"with another size":      {wants(disk("d", 30)), []string{"update disk/d"}, 1},
		"no longer configured":   {wants(), []string{"delete disk/d"}, 0},
		"beside another":         {wants(disk("d", 20), disk("e", 20)), []string{"create disk/e"}, 2},
		"configured with a tool": {wants(disk("d", 20), network("n")), []string{"create network/n"}, 2},
	} {
		for _, share := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				b := blank(t)
				if share {
					b = b.elsewhere("ann")
				} else {
					b.start()
				}
				defer b.stop()
				made := b.cloud.Put(b.lateCreate(wants(disk("d", 20))))
				if diff := cmp.Diff(c.does, changing(b.plan(c.then))); diff != "" {
					t.Errorf("the plan (-want +got):\n%s", diff)
				}
				have, err := b.ledger.Binding(t.Context(), ref("disk", "d"))
				if err != nil || have.ID != made.ID {
					t.Errorf("bound is %+v, %v", have, err)
				}
				b.apply(c.then)
				b.settled(c.then)
				if got := len(b.cloud.Resources(here)); got != c.left {
					t.Errorf("%d resources exist, want %d", got, c.left)
				}
				if found, err := b.ledger.Contradictions(t.Context()); err != nil || len(found) > 0 {
					t.Errorf("contradictions %+v, %v", found, err)
				}
			})
		}
	}
}

// changing lists what a plan does.
func changing(p *engine.Planned) (out []string) {
	for i, text := range brief(p) {
		if a := p.Plan.Decisions[i].Action; a.Executes() {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return out
}

// TestALateCreateProvesNothingElse: what is not the one resource of the create is left alone.
func TestALateCreateProvesNothingElse(t *testing.T) {
	want := wants(disk("d", 20))
	for name, does := range map[string]func(b *bench, late resource.Observed){
		"another key": func(b *bench, late resource.Observed) {
			late.Marks.Key = "another"
			b.cloud.Put(late)
		},
		"two with the key": func(b *bench, late resource.Observed) {
			b.cloud.Put(late)
			b.cloud.Put(late)
		},
		"created again": func(b *bench, late resource.Observed) {
			b.apply(want)
			b.cloud.Put(late)
		},
		"dismissed": func(b *bench, late resource.Observed) {
			late.ID = "disk-9"
			e := event.Dismissed{Ref: ref("disk", "d"), ID: late.ID, Who: "ann"}
			if _, err := b.ledger.Record(b.t.Context(), e); err != nil {
				b.t.Fatal(err)
			}
			b.cloud.Put(late)
		},
		"a row of the store alone": func(b *bench, late resource.Observed) {
			key := rows.Of(rows.KeyLate, ref("disk", "d"))
			was, err := storage.Get(b.t.Context(), b.store, key, storage.Now)
			if err != nil {
				b.t.Fatal(err)
			}
			forged := bytes.ReplaceAll(was.Value, []byte(late.Marks.Key), []byte("forged"))
			if _, err := b.store.Commit(b.t.Context(), storage.Tx{Ops: []storage.Op{{Key: key, Value: forged}}}); err != nil {
				b.t.Fatal(err)
			}
			late.Marks.Key = "forged"
			b.cloud.Put(late)
			found, err := b.ledger.Contradictions(b.t.Context())
			if err != nil || len(found) != 1 || !strings.Contains(found[0].Text, "late create of ") {
				b.t.Errorf("contradictions %+v, %v", found, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			late := b.lateCreate(want)
			before := len(b.events(event.TypeRecovered))
			does(b, late)
			exist := len(b.cloud.Resources(here))
			b.apply(want)
			b.apply(wants())
			if got := len(b.events(event.TypeRecovered)); got != before {
				t.Errorf("%d more results were recovered", got-before)
			}
			kept := exist
			if name == "created again" {
				kept-- // the other one, which is deleted
			}
			if got := len(b.cloud.Resources(here)); got != kept {
				t.Errorf("%d resources are left, want %d", got, kept)
			}
		})
	}
}

// TestALateCreateOfAStrangerWaitsForTrust: its result would have the own signature, as for an open action.
func TestALateCreateOfAStrangerWaitsForTrust(t *testing.T) {
	b := blank(t)
	other, one := b.stranger("other"), b.stranger("one")
	defer other.stop()
	defer one.stop()
	made := b.cloud.Put(other.lateCreate(wants(disk("d", 20))))
	one.plan(wants())
	if _, err := one.ledger.Binding(t.Context(), ref("disk", "d")); err == nil {
		t.Error("the late create of a stranger is recovered")
	}
	if _, err := one.ledger.Record(t.Context(), event.Trusted{Key: other.ledger.Key(), On: true, Who: "ann"}); err != nil {
		t.Fatal(err)
	}
	one.plan(wants())
	if got, err := one.ledger.Binding(t.Context(), ref("disk", "d")); err != nil || got.ID != made.ID {
		t.Errorf("after an operator confirmed the key: %+v, %v", got, err)
	}
}

// TestTheCreateOfAReplacementArrivesLate: the old network is deleted, and the answer of the create is lost.
func TestTheCreateOfAReplacementArrivesLate(t *testing.T) {
	b := newBench(t)
	old := network("n")
	b.apply(wants(old))
	changed := network("n")
	changed.Attrs = attrs("range", resource.String("10.1.0.0/16"))
	want := wants(changed)
	made := b.cloud.Put(b.lateCreate(want))
	b.apply(want)
	b.apply(want)
	b.settled(want)
	all := b.cloud.Resources(here)
	if len(all) != 1 || all[0].ID != made.ID {
		t.Errorf("exist %+v, want only %s", all, made.ID)
	}
}

// TestADeleteThatMayArriveLateIsNamed: a delete is found not done, the disk is configured again, and then it is gone.
func TestADeleteThatMayArriveLateIsNamed(t *testing.T) {
	for _, unknown := range []bool{false, true} {
		b := newBench(t)
		want := wants(disk("d", 20))
		b.apply(want)
		err := fake.ErrDenied
		if unknown {
			err = fake.ErrLost
		}
		b.cloud.Break(fake.Faults{Before: fake.Every(fake.Delete, resource.Ref{}, err)})
		_, _ = b.engine.Apply(t.Context(), b.plan(wants()), engine.ApplyOptions{Tries: 1})
		b.cloud.Break(fake.Faults{})
		b.settled(want)
		b.cloud.Remove(here, b.cloud.Resources(here)[0].ID)
		all := b.plan(want).Plan.Decisions
		if len(all) != 1 || all[0].Reason != decider.ReasonDeleted || strings.Contains(all[0].Message, "whose result is unknown") != unknown {
			t.Errorf("unknown %v: the plan says %+v", unknown, all)
		}
	}
}
