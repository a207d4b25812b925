package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/cmd/record"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
	"github.com/ovi-project/ovi/wal"
)

// Who finds a tampering, as docs/audit.md has it.
const (
	byVerify  = "`ovi audit verify`"
	byWitness = "`ovi audit witness`"
	byStatus  = "`ovi status`, and it does not count"
	byProof   = "the proof before a delete or replace"
	byPlan    = "`ovi approve`, `ovi apply`"
	byReplay  = "`ovi audit replay`"
	notFound  = "not found: "
)

// tampering is one way to rewrite what ovi keeps.
type tampering struct {
	of, name, found string
	do              func(*victim)
	args            []string // of ovi, where a command finds it
}

// victim is a copy of a data directory in which two people's acts are on record, and what was kept of it elsewhere.
type victim struct {
	t       *testing.T
	dir     string
	earlier string // the same, before the last command
	other   string // of another user
	kept    string // a checkpoint line
	digest  string // of the saved plan
}

func site0(t *testing.T) victim {
	t.Helper()
	v := victim{dir: t.TempDir(), earlier: t.TempDir(), other: t.TempDir()}
	for _, dir := range []string{v.dir, v.other} {
		writeConfig(t, dir, fleet(2))
	}
	must(t, v.dir, "apply", "--sandbox", "--auto-approve", "--quiet")
	byOther(t, v.other, "apply", "--sandbox", "--auto-approve", "--quiet")
	must(t, v.dir, "bless", "ec2/web-0", "--reason", "data")
	writeConfig(t, v.dir, strings.Replace(fleet(1), "resources:", "rules: {approvals: [{approvers: 2}]}\nresources:", 1))
	must(t, v.dir, "plan", "--sandbox", "--out", "less.plan")
	copyTo(t, filepath.Join(v.earlier, "x"), v.dir)
	v.earlier = filepath.Join(v.earlier, "x")
	_, rest, _ := strings.Cut(must(t, v.dir, "approve", "less.plan", "--output", "json"), `"digest":"`)
	v.digest, _, _ = strings.Cut(rest, `"`)
	v.kept = strings.TrimSpace(must(t, v.dir, "audit", "checkpoint"))
	return v
}

// byOther runs ovi as another user, who has another key.
func byOther(t *testing.T, dir string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "other.key")
	if err := keyIn(file, foreignKey()); err != nil {
		t.Fatal(err)
	}
	cmd := ovi(t, dir, args...)
	cmd.Env = append(cmd.Env, "OVI_LOG_KEY_FILE="+file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestEveryTamperingIsFound does each of the table, and holds docs/audit.md to it.
func TestEveryTamperingIsFound(t *testing.T) {
	t.Parallel()
	base := site0(t)
	all := tamperings()
	if len(all) < 40 {
		t.Errorf("only %d ways", len(all))
	}
	var doc strings.Builder
	for _, x := range all {
		fmt.Fprintf(&doc, "| %s | %s | %s |\n", x.of, x.name, x.found)
		t.Run(x.of+": "+x.name, func(t *testing.T) {
			t.Parallel()
			v := base
			v.t, v.dir = t, filepath.Join(t.TempDir(), "x")
			copyTo(t, v.dir, base.dir)
			x.do(&v)
			err := v.finds(x)
			if want := !strings.HasPrefix(x.found, notFound); want != (err != nil) {
				t.Errorf("found by %s: %v", x.found, err)
			}
		})
	}
	untouched := base
	untouched.t = t
	for _, found := range []string{byVerify, byWitness, byStatus, byProof} {
		if err := untouched.finds(tampering{found: found}); err != nil {
			t.Errorf("%s finds something where nothing was done: %v", found, err)
		}
	}
	inPage(t, "../../docs/audit.md", "tampering", doc.String())
}

// finds is what the one that should find it reports.
func (v *victim) finds(x tampering) error {
	v.t.Helper()
	if x.args != nil {
		out, err := ovi(v.t, v.dir, x.args...).CombinedOutput()
		v.t.Logf("%s", out)
		return err
	}
	switch x.found {
	case byStatus:
		return v.contradictions()
	case byProof:
		return v.proves("web-1")
	case byVerify:
		return v.verifies()
	}
	return v.verifies(v.kept)
}

// verifies is what `ovi audit verify` does, with anchors that are kept elsewhere.
func (v *victim) verifies(anchors ...string) error {
	var options []wal.Option
	for _, line := range anchors {
		a, err := wal.ParseAnchor(line)
		if err != nil {
			return err
		}
		options = append(options, wal.WithAnchor(a))
	}
	key := ownKey().Public().(ed25519.PublicKey)
	if _, err := os.Stat(ledger.StorePath(v.path(""))); err == nil {
		store, err := bolt.Open(ledger.StorePath(v.path("")))
		if err != nil {
			return err
		}
		known, err := ledger.FrontierIn(v.t.Context(), store)
		if err = errors.Join(err, store.Close()); err != nil {
			return err
		}
		options = append(options, known...)
	}
	report, err := wal.Verify(v.path(record.LogDir), key, options...)
	if err == nil && report.Torn != nil {
		err = errors.New(report.Torn.String())
	}
	return err
}

func (v *victim) open() *ledger.Ledger {
	v.t.Helper()
	l, err := local.Open(v.t.Context(), ledger.Config{Dir: v.path(""), User: "ada", Clock: time.Now, Key: ownKey()})
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { _ = l.Close() })
	return l
}

func (v *victim) contradictions() error {
	v.t.Helper()
	found, err := v.open().Contradictions(v.t.Context())
	if err != nil || len(found) == 0 {
		return err
	}
	return errors.New(found[0].Text)
}

// proves asks for the proof without which nothing is deleted.
func (v *victim) proves(name string) error {
	v.t.Helper()
	l := v.open()
	ref := v.ref(name)
	live, _, err := l.LiveState(v.t.Context(), storage.Now)
	if err != nil {
		return err
	}
	for _, scope := range live.Scopes {
		for _, o := range scope.Resources {
			if o.Ref.Name == name {
				_, err := l.Proof(v.t.Context(), ref, o.ID)
				return err
			}
		}
	}
	v.t.Fatalf("%s is not on record", name)
	return nil
}

func (v *victim) ref(name string) resource.Ref {
	return resource.Ref{Stack: "fleet", Provider: "aws", Location: "000000000000/us-east-1", Kind: "ec2", Name: name}
}

// edit changes the store behind the log's back: the rows with a prefix, or a new one.
func (v *victim) edit(change func(storage.Store) []storage.Op) {
	v.t.Helper()
	store, err := bolt.Open(ledger.StorePath(v.path("")))
	if err != nil {
		v.t.Fatal(err)
	}
	ops := change(store)
	if len(ops) == 0 {
		v.t.Fatal("nothing was changed")
	}
	_, err = store.Commit(v.t.Context(), storage.Tx{Ops: ops})
	if err = errors.Join(err, store.Close()); err != nil {
		v.t.Fatal(err)
	}
}

// replaceIn replaces a text in all rows with a prefix.
func (v *victim) replaceIn(prefix, old, other string) {
	v.t.Helper()
	v.edit(func(s storage.Store) (ops []storage.Op) {
		all, _, err := s.Range(v.t.Context(), prefix, storage.Now)
		if err != nil {
			v.t.Fatal(err)
		}
		for e, err := range all {
			if err != nil {
				v.t.Fatal(err)
			}
			if bytes.Contains(e.Value, []byte(old)) {
				ops = append(ops, storage.Op{Key: e.Key, Value: bytes.ReplaceAll(e.Value, []byte(old), []byte(other))})
			}
		}
		return ops
	})
}

// deleteFrom deletes all rows with a prefix.
func (v *victim) deleteFrom(prefix string) {
	v.t.Helper()
	v.edit(func(s storage.Store) (ops []storage.Op) {
		all, _, err := s.Range(v.t.Context(), prefix, storage.Now)
		if err != nil {
			v.t.Fatal(err)
		}
		for e := range all {
			ops = append(ops, storage.Op{Key: e.Key, Delete: true})
		}
		return ops
	})
}

// addAct puts an act into the store that was not done.
func addAct[E event.Event](v *victim, key string, e E) {
	v.t.Helper()
	value, err := json.Marshal(rows.Act[E]{Seq: 1, At: time.Now(), Instance: "01J0000000000000000000000A", Event: e})
	if err != nil {
		v.t.Fatal(err)
	}
	v.edit(func(storage.Store) []storage.Op { return []storage.Op{{Key: key, Value: value}} })
}

// inPage holds the part of a page between two marks to a text.
func inPage(t *testing.T, page, mark, text string) {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+mark+": made by `make golden` -->\n", "<!-- end of "+mark+" -->\n"
	before, rest, ok1 := strings.Cut(string(b), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s lacks %q or %q", page, begin, end)
	}
	golden(t, page, before+begin+text+end+after)
}
