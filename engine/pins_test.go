package engine_test

import (
	"bytes"
	"crypto/ed25519"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// elsewhere is an instance on another host of the team, with an audit log of its own, that shares store and key.
func (b *bench) elsewhere(name string) *bench {
	b.t.Helper()
	return b.withKey(name, ed25519.NewKeyFromSeed(bytes.Repeat([]byte("t"), ed25519.SeedSize)))
}

// stranger is an instance that shares the store, with a key of its own.
func (b *bench) stranger(name string) *bench { return b.withKey(name, nil) }

func (b *bench) withKey(name string, key ed25519.PrivateKey) *bench {
	b.t.Helper()
	l, err := ledger.Open(b.t.Context(), ledger.Config{
		Dir: b.t.TempDir(), Store: b.store, Shared: true, User: name, Key: key, LogOptions: []wal.Option{wal.WithFS(vfs.NewMem(1))},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	c := coordinator.New(b.store, coordinator.Identity{Instance: l.Instance(), User: name, Host: name, Run: l.Run()})
	e := engine.New(engine.Config{Providers: provider.Set{"fake": b.cloud}, Ledger: l, Claims: c})
	return &bench{t: b.t, dir: b.dir, disk: b.disk, store: b.store, cloud: b.cloud, ledger: l, claims: c, engine: e}
}

func keyAlerts(d *diary) (out []string) {
	for _, x := range d.last().Alerts {
		if x.Type == loop.KeyPinned {
			out = append(out, x.Text)
		}
	}
	return out
}

// TestANewKeyIsAnAlert: an instance that proves what another created pins its key. That is an alert
// until an operator decides about the key, or a day has passed.
func TestANewKeyIsAnAlert(t *testing.T) {
	for _, x := range []struct {
		name   string
		settle func(one, other *bench)
	}{
		{"confirmed", func(one, other *bench) {
			if _, err := one.ledger.Record(t.Context(), event.Trusted{Key: other.ledger.Key(), On: true, Who: "ann"}); err != nil {
				t.Error(err)
			}
		}},
		{"a day later", func(_, _ *bench) { time.Sleep(24 * time.Hour) }},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := blank(t)
				other, one := b.stranger("other"), b.stranger("one")
				defer other.stop()
				defer one.stop()
				other.apply(wants(disk("a", 20), disk("b", 20)))
				var d diary
				stop := one.loops(stackOf(wants(disk("a", 20))), loop.RunOptions{Interval: time.Hour, Tell: d.tell, Plan: engine.PlanOptions{SkipDestructive: true}})
				time.Sleep(time.Minute)
				if got := keyAlerts(&d); len(got) != 1 || !strings.Contains(got[0], other.ledger.Key()) {
					t.Errorf("alerts of keys: %q, want one of %s; the cycle: %v", got, other.ledger.Key(), d.last().Err)
				}
				x.settle(one, other)
				time.Sleep(2 * time.Hour)
				if got := keyAlerts(&d); len(got) != 0 {
					t.Errorf("alerts of keys: %q, want none", got)
				}
				if err := stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestARenameConfirmsNothing: what only a pinned key signed is not renamed, by a file or by an operator: the own
// signature of the new name would confirm it, and the next plan could delete it.
func TestARenameConfirmsNothing(t *testing.T) {
	b := blank(t)
	other, one := b.stranger("other"), b.stranger("one")
	defer other.stop()
	defer one.stop()
	other.apply(wants(disk("a", 20)))
	renamed := disk("b", 20)
	renamed.Was = ref("disk", "a")
	one.apply(wants(renamed))
	err := one.engine.Move(t.Context(), ref("disk", "a"), ref("disk", "b"), ann)
	if err == nil || !strings.Contains(err.Error(), "no operator has confirmed") {
		t.Errorf("a move of what only a pinned key signed: %v", err)
	}
	one.apply(wants())
	if got := len(one.cloud.Resources(ref("disk", "a").Scope())); got != 1 {
		t.Errorf("%d disks are left, want the stranger's", got)
	}
	if _, err := one.ledger.Record(t.Context(), event.Trusted{Key: other.ledger.Key(), On: true, Who: "ann"}); err != nil {
		t.Fatal(err)
	}
	one.apply(wants(renamed))
	if got, err := one.ledger.Binding(t.Context(), ref("disk", "b")); err != nil || got.Instance != one.ledger.Instance() {
		t.Errorf("after an operator confirmed the key: %+v, %v", got, err)
	}
}

// TestAnActionOfAStrangerIsNotRecovered: the result would have the own signature. Once an operator confirms the key, the
// same open action is recovered.
func TestAnActionOfAStrangerIsNotRecovered(t *testing.T) {
	b := blank(t)
	other, one := b.stranger("other"), b.stranger("one")
	defer other.stop()
	defer one.stop()
	other.apply(wants(disk("a", 20)))
	started := event.Started{Ref: ref("disk", "c"), Key: "k", Action: decider.Create, Token: 1}
	if _, err := other.ledger.Record(t.Context(), started); err != nil {
		t.Fatal(err)
	}
	b.cloud.Put(resource.Observed{Ref: ref("disk", "c").Bare(), ID: "precious", Marks: resource.Marks{Ref: ref("disk", "c"), Key: "k"}})
	one.apply(wants())
	if _, err := one.ledger.Binding(t.Context(), ref("disk", "c")); err == nil {
		t.Error("the create of a stranger is recovered")
	}
	lost := event.Started{Ref: ref("disk", "e"), Key: "l", Action: decider.Create, Token: 2}
	if _, err := other.ledger.Record(t.Context(), lost); err != nil {
		t.Fatal(err)
	}
	d := one.plan(wants(disk("e", 20))).Plan.Decisions
	said := slices.ContainsFunc(d, func(d decider.Decision) bool {
		return slices.ContainsFunc(d.Blockers, func(b decider.Blocker) bool {
			return strings.Contains(b.Reason, "is not recovered") && strings.Contains(b.Suggestion, "ovi store trust "+other.ledger.Key())
		})
	})
	if !said {
		t.Errorf("the plan does not name the key to trust: %+v", d)
	}
	if _, open, err := one.ledger.OpenOn(t.Context(), ref("disk", "c")); err != nil || !open {
		t.Errorf("it does not stay open: %v", err)
	}
	if _, err := one.ledger.Record(t.Context(), event.Trusted{Key: other.ledger.Key(), On: true, Who: "ann"}); err != nil {
		t.Fatal(err)
	}
	one.apply(wants(disk("a", 20), disk("c", 20)))
	if got, err := one.ledger.Binding(t.Context(), ref("disk", "c")); err != nil || got.ID != "precious" {
		t.Errorf("after an operator confirmed the key: %+v, %v", got, err)
	}
}
