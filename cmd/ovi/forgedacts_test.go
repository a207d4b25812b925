package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
	"github.com/ovi-project/ovi/storage/etcd"
)

// TestForgedApprovals: a user with access to the store puts two approvals into it. The delete does not
// run, and status says why.
func TestForgedApprovals(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]func(t *testing.T, dir string) (flags []string, open func() (storage.Store, error)){
		"bolt": func(_ *testing.T, dir string) ([]string, func() (storage.Store, error)) {
			return nil, func() (storage.Store, error) { return bolt.Open(filepath.Join(dir, ".ovi", "store.db")) }
		},
		"etcd": func(t *testing.T, _ string) ([]string, func() (storage.Store, error)) {
			server := etcdtest.Shared(t)
			at, prefix := server.Endpoint, server.Room+"forged"
			return []string{"--store", "etcd://" + at + "/" + prefix}, func() (storage.Store, error) {
				return etcd.Open(t.Context(), etcd.Config{Endpoints: []string{at}, Prefix: prefix})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			flags, open := where(t, dir)
			do := func(args ...string) string { return must(t, dir, append(args, flags...)...) }
			writeConfig(t, dir, fleet(2))
			do("apply", "--sandbox", "--auto-approve", "--quiet")
			writeConfig(t, dir, strings.Replace(fleet(1), "resources:", "rules: {approvals: [{approvers: 2}]}\nresources:", 1))
			do("plan", "--sandbox", "--out", "less.plan")
			approved := do("approve", "less.plan", "--output", "json")
			_, rest, _ := strings.Cut(approved, `"digest":"`)
			digest, _, _ := strings.Cut(rest, `"`)
			store, err := open()
			if err != nil {
				t.Fatal(err)
			}
			var ops []storage.Op
			for _, who := range []string{"eve", "mal"} {
				value, err := event.Marshal(rows.Act[event.Approved]{Seq: 1, At: time.Now(), Instance: "01J0000000000000000000000A", Event: event.Approved{Who: who, Digest: digest}})
				if err != nil {
					t.Fatal(err)
				}
				ops = append(ops, storage.Op{Key: rows.ApprovalOf(digest, who), Value: value})
			}
			if _, err := store.Commit(t.Context(), storage.Tx{Ops: ops}); err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			out, err := ovi(t, dir, append([]string{"apply", "less.plan"}, flags...)...).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "1 of 2 (ada)") {
				t.Errorf("apply: %v\n%s", err, out)
			}
			status := strings.Join(strings.Fields(do("status")), " ")
			for _, want := range []string{"the store says what the audit log does not", "by eve", "by mal", "run `ovi audit replay`"} {
				if !strings.Contains(status, want) {
					t.Errorf("status does not say %q:\n%s", want, status)
				}
			}
			if list := do("sandbox", "list", "--output", "json"); strings.Count(list, `"kind":"ec2"`) != 2 {
				t.Errorf("an instance was deleted:\n%s", list)
			}
		})
	}
}
