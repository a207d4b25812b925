package engine_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
	"github.com/ovi-project/ovi/storage/etcd"
)

// TestForgedApprovalsDeleteNothing: two approvals that were put into the store, in bolt and in etcd.
func TestForgedApprovalsDeleteNothing(t *testing.T) {
	for name, connect := range map[string]func(t *testing.T) storage.Store{
		"bolt": func(t *testing.T) storage.Store {
			s, err := bolt.Open(filepath.Join(t.TempDir(), "store.db"))
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		"etcd": func(t *testing.T) storage.Store {
			server := etcdtest.Shared(t)
			s, err := etcd.Open(t.Context(), etcd.Config{Endpoints: []string{server.Endpoint}, Prefix: server.Room + "forged"})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := blank(t)
			b.store = connect(t)
			t.Cleanup(func() { _ = b.store.Close() })
			if name == "etcd" {
				b = b.elsewhere("ann")
			} else {
				b.start()
			}
			defer b.stop()
			b.apply(wants(disk("d", 20)))
			two := under(rules.Rules{Approvals: []rules.Approval{{Approvers: 2}}}, wants())
			p := b.plan(two)
			var ops []storage.Op
			for _, who := range []string{"ann", "bob"} {
				a := rows.Act[event.Approved]{Seq: 1, At: time.Now(), Instance: b.ledger.Instance(), Event: event.Approved{Plan: p.ID, Hash: p.Hash, Who: who, How: "ovi approve", Digest: p.Plan.Digest()}}
				value, err := event.Marshal(a)
				if err != nil {
					t.Fatal(err)
				}
				ops = append(ops, storage.Op{Key: rows.ApprovalOf(p.Plan.Digest(), who), Value: value})
			}
			if _, err := b.store.Commit(t.Context(), storage.Tx{Ops: ops}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"notify disk/d (delete blocked by approvals)"}, brief(b.plan(two))); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			b.apply(two)
			if _, ok, _ := b.cloud.Find(ref("disk", "d")); !ok {
				t.Error("it was deleted")
			}
			found, err := b.ledger.Contradictions(t.Context())
			if err != nil || len(found) != 2 || !strings.Contains(found[0].Text, "by ann") {
				t.Errorf("contradictions %+v, %v", found, err)
			}
		})
	}
}

// TestAnApprovalIsForOnePlan: the plan that deletes uses it. The same deletion later needs another.
func TestAnApprovalIsForOnePlan(t *testing.T) {
	b := newBench(t)
	one := under(rules.Rules{Approvals: []rules.Approval{{Approvers: 1}}}, wants())
	b.apply(wants(disk("d", 20)))
	was, _, _ := b.cloud.Find(ref("disk", "d"))
	if _, err := b.engine.Approve(t.Context(), b.plan(one), engine.OperatorAction{Who: "bob"}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	b.apply(one)
	if _, still, _ := b.cloud.Find(ref("disk", "d")); still {
		t.Fatal("it was not deleted")
	}
	b.cloud.Put(was)
	if _, err := b.ledger.Record(t.Context(), event.Adopted{Ref: was.Ref.In(stack), ID: was.ID, Who: "ann"}); err != nil {
		t.Fatal(err)
	}
	p := b.plan(one)
	if diff := cmp.Diff([]string{"notify disk/d (delete blocked by approvals)"}, brief(p)); diff != "" {
		t.Fatalf("the same deletion later (-want +got):\n%s", diff)
	}
	if reason := p.Plan.Decisions[0].Blockers[0].Reason; reason != "0 of 1; used by an earlier plan: bob" {
		t.Errorf("reason %q", reason)
	}
}

// TestAnApprovalThatIsNotNeededIsNotUsed: an action that no rule stops uses none.
func TestAnApprovalThatIsNotNeededIsNotUsed(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20)))
	rule := rules.Rules{Approvals: []rules.Approval{{Approvers: 2, Actions: []string{"delete"}}}}
	want := under(rule, wants(disk("e", 20)))
	if _, err := b.engine.Approve(t.Context(), b.plan(want), engine.OperatorAction{Who: "bob"}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	b.cloud.Break(fake.Faults{Before: fake.Every(fake.Create, ref("disk", "e"), errors.New("no room"))})
	b.apply(want)
	b.cloud.Break(fake.Faults{})
	all, err := b.ledger.Approvals(t.Context(), b.plan(want).Plan.Digest())
	if err != nil || len(all) != 1 || all[0].Used != "" {
		t.Errorf("approvals %+v, %v", all, err)
	}
}

// TestAForgedOpenActionRecoversNothing: a row that says of a create that it started, was accepted or has no result, with
// the name of this instance, of another, and with a made-up signature. Nothing is bound, and nothing is blocked.
func TestAForgedOpenActionRecoversNothing(t *testing.T) {
	for _, share := range []bool{false, true} {
		for name, forge := range map[string]func(o *rows.OpenAction){
			"started":          func(*rows.OpenAction) {},
			"accepted":         func(o *rows.OpenAction) { o.Accepted, o.ID, o.Deadline = true, "disk-1", time.Now().Add(time.Hour) },
			"uncertain":        func(o *rows.OpenAction) { o.Uncertain = true },
			"another instance": func(o *rows.OpenAction) { o.Instance = "01J0000000000000000000000E" },
			"signed by itself": func(o *rows.OpenAction) {
				o.Instance = "01J0000000000000000000000E"
				o.Signature = &event.Signature{Key: strings.Repeat("1", 64), Sum: strings.Repeat("2", 128)}
			},
		} {
			b := blank(t)
			if share {
				b = b.elsewhere("ann")
			} else {
				b.start()
			}
			b.apply(wants())
			b.cloud.Put(resource.Observed{Ref: ref("disk", "d").Bare(), ID: "disk-1", Marks: resource.Marks{Ref: ref("disk", "d"), Key: "k"}})
			o := rows.OpenAction{Started: event.Started{Ref: ref("disk", "d"), Key: "k", Action: decider.Create, Token: 1}, At: time.Now(), Instance: b.ledger.Instance()}
			forge(&o)
			value, err := event.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.store.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: rows.Of(rows.KeyOpen, o.Ref), Value: value}}}); err != nil {
				t.Fatal(err)
			}
			found, err := b.ledger.Contradictions(t.Context())
			if err != nil || len(found) != 1 || !strings.Contains(found[0].Text, "open action on") {
				t.Errorf("%s: contradictions %+v, %v", name, found, err)
			}
			b.apply(wants())
			if got := b.events(event.TypeRecovered); len(got) != 0 {
				t.Errorf("%s: recovered %v", name, got)
			}
			if _, err := b.ledger.Binding(t.Context(), o.Ref); err == nil {
				t.Errorf("%s: it is bound", name)
			}
			b.stop()
		}
	}
}
