package main

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/etcd"
)

// TestARewrittenLogIsFoundByOtherInstances: who has the key of an instance and writes the store rewrites its log, and makes the
// store fit. What another instance saw of the log, and signed, does not fit.
func TestARewrittenLogIsFoundByOtherInstances(t *testing.T) {
	t.Parallel()
	server := etcdtest.Shared(t)
	at, prefix := server.Endpoint, server.Room+"cosigned"
	flags := []string{"--store", "etcd://" + at + "/" + prefix}
	store, err := etcd.Open(t.Context(), etcd.Config{Endpoints: []string{at}, Prefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	one, two := t.TempDir(), t.TempDir()
	do := func(dir string, args ...string) string { return must(t, dir, append(args, flags...)...) }
	writeConfig(t, one, fleet(2))
	writeConfig(t, two, strings.Replace(fleet(1), "stack: ", "stack: other-", 1))
	do(one, "apply", "--sandbox", "--auto-approve", "--quiet")
	do(one, "bless", "ec2/web-0", "--reason", "data")
	do(two, "apply", "--sandbox", "--auto-approve", "--quiet")
	if log := do(two, "audit", "log", "--type", "cosigned"); !strings.Contains(log, "seen up to record") {
		t.Fatalf("the other instance saw nothing:\n%s", log)
	}
	do(one, "audit", "verify")
	do(one, "bless", "ec2/web-1", "--reason", "data")
	do(one, "audit", "verify")

	v := &victim{t: t, dir: one}
	f := v.forgery()
	f.say(t, `"who":"ada"`, `"who":"eve"`)
	forged := f.bytes(ownKey())
	v.write("wal/000000000001.wal", forged)
	v.remove("wal/lock")
	rewriteHead(t, store, forged[f.frameAt(len(f.frames))-32:][:32])

	verify := ovi(t, one, append([]string{"audit", "verify"}, flags...)...)
	verify.Env = append(verify.Env, "XDG_STATE_HOME="+t.TempDir()) // which has no note of it
	out, err := verify.CombinedOutput()
	said := strings.Join(strings.Fields(string(out)), " ")
	if err == nil || !strings.Contains(said, "not the one that other instances of the store saw") || !strings.Contains(said, "what instance ") {
		t.Errorf("verify: %v\n%s", err, out)
	}
}

// rewriteHead makes the store say that the only log that has a blessing ends at a chain value.
func rewriteHead(t *testing.T, store storage.Store, chain []byte) {
	t.Helper()
	entries, _, err := store.Range(t.Context(), rows.KeyBlessed, storage.Now)
	if err != nil {
		t.Fatal(err)
	}
	var instance string
	for e, err := range entries {
		var act struct {
			Instance string `json:"instance"`
		}
		if err != nil || json.Unmarshal(e.Value, &act) != nil {
			t.Fatal(err)
		}
		instance = act.Instance
	}
	found, err := storage.Gets(t.Context(), store, []string{rows.KeyLog + instance})
	if err != nil {
		t.Fatal(err)
	}
	e := found[rows.KeyLog+instance]
	var h rows.Head
	if err := json.Unmarshal(e.Value, &h); err != nil {
		t.Fatal(err)
	}
	h.Chain = hex.EncodeToString(chain)
	value, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: e.Key, Value: value}}}); err != nil {
		t.Fatal(err)
	}
}
