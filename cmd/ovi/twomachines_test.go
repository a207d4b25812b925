package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/etcd"
)

// machine is a host with a state home of its own.
type machine struct {
	*site
	name, home string
}

func (m machine) command(env []string, args ...string) *exec.Cmd {
	cmd := m.as(m.name, args...)
	cmd.Env = append(append(cmd.Env, "XDG_STATE_HOME="+m.home), env...)
	return cmd
}

func (m machine) ok(args ...string) string {
	m.t.Helper()
	return exits(m.t, m.command(nil, args...), "0")
}

// TestAMachineWithoutThePeoplesKeysLowersNothing: two machines share a store, and each has confirmed the key of the
// other. People's keys are on one of them. What protects is lowered there; the other one tries many ways.
func TestAMachineWithoutThePeoplesKeysLowersNothing(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("no ssh-keygen")
	}
	s := newSite(t, fleet(2))
	a, b := machine{s, "ann", filepath.Join(t.TempDir(), "a")}, machine{s, "bob", filepath.Join(t.TempDir(), "b")}
	keys := t.TempDir()
	ann, eve := filepath.Join(keys, "ann"), filepath.Join(keys, "eve")
	for _, key := range []string{ann, eve} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for name, text := range map[string]string{
		"pol.yaml": "version: v1\napprovals: [{approvers: 1, signed: true, actions: [delete, replace]}]\n", "weak.yaml": "version: v1\nattempts: 3\n",
		"none.yaml": "version: v1\nprovider: aws\nregion: us-east-1\nstack: fleet\nresources: []\n",
		"less.yaml": strings.Replace(fleet(2), "count: 2", "count: 1", 1),
		"open.yaml": fleet(2) + "rules: {approvals: []}\n",
		"keep.yaml": "version: v1\nprovider: aws\nregion: us-east-1\nstack: fleet\nresources: []\n" +
			"removed: [{ref: ec2/web-0, keep: true}, {ref: ec2/web-1, keep: true}]\n",
		"was.yaml":  strings.Replace(fleet(2), "name: web", "name: api, was: web", 1),
		"back.yaml": strings.Replace(fleet(2), "name: web", "name: web, was: api", 1),
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a.ok("apply", "--sandbox", "--auto-approve")
	b.ok("plan", "--sandbox")
	keyOf := func(m machine) string { return strings.TrimSuffix(strings.Fields(m.ok("store", "trust"))[5], ".") }
	a.ok("store", "trust", keyOf(b))
	b.ok("store", "trust", keyOf(a))
	b.ok("plan", "--sandbox", "-f", "none.yaml", "--out", "old.plan")
	before := filepath.Join(t.TempDir(), "before")
	copyDir(t, before, filepath.Join(s.dir, "bob"))
	a.ok("signer", "add", "ann", ann+".pub")
	a.ok("policy", "require", "pol.yaml", "--sign", ann)
	a.ok("bless", "--sandbox", "ec2/web-0", "--sign", ann)

	// the public key of ann lies apart: ssh-keygen finds a private key that is next to its public one
	public := filepath.Join(t.TempDir(), "ann.pub")
	if text, err := os.ReadFile(ann + ".pub"); err != nil || os.WriteFile(public, text, 0o600) != nil {
		t.Fatal(err)
	}
	s.unharmed(t, b, public, eve, before)

	// the one with the key does it
	a.ok("policy", "require", "--off", "pol", "--sign", ann)
	a.ok("unbless", "--sandbox", "ec2/web-0", "--sign", ann)
	a.ok("destroy", "--sandbox", "--auto-approve")
	if got := s.made(); got != 0 {
		t.Errorf("%d instances are left after ann destroyed the stack", got)
	}
}

// within runs a command that may not end before a time: a loop does not.
func within(t *testing.T, d time.Duration, cmd *exec.Cmd) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	ends := exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
	ends.Dir, ends.Env = cmd.Dir, cmd.Env
	out, _ := ends.CombinedOutput()
	return out
}

// unharmed tries many ways to lower or destroy something from a machine without the key of a person.
func (s *site) unharmed(t *testing.T, b machine, public, eve, before string) {
	t.Helper()
	check := func(way string, out []byte) {
		t.Helper()
		if got := s.made(); got != 2 {
			t.Fatalf("%s: %d of 2 instances are left\n%s", way, got, out)
		}
	}
	ways := [][]string{
		{"destroy", "--sandbox", "--auto-approve"},
		{"apply", "--sandbox", "--auto-approve", "-f", "none.yaml"},
		{"apply", "--sandbox", "--auto-approve", "-f", "less.yaml"},
		{"apply", "--sandbox", "--auto-approve", "-f", "open.yaml", "--replace", "ec2/web-0"},
		{"apply", "--sandbox", "--auto-approve", "old.plan"},
		{"apply", "--sandbox", "--auto-approve", "--policy", "weak.yaml", "-f", "none.yaml"},
		{"apply", "--sandbox", "--auto-approve", "--max-destroy", "100%", "-f", "none.yaml"},
		{"approve", "old.plan"},
		{"approve", "old.plan", "--sign", eve},
		{"approve", "old.plan", "--sign", public},
		{"apply", "--sandbox", "--auto-approve", "old.plan"},
		{"unbless", "--sandbox", "ec2/web-0"},
		{"unbless", "--sandbox", "ec2/web-0", "--sign", eve},
		{"unbless", "--sandbox", "ec2/web-0", "--sign", public},
		{"policy", "require", "--off", "pol"},
		{"policy", "require", "--off", "pol", "--sign", eve},
		{"policy", "require", "weak.yaml", "--name", "pol"},
		{"policy", "require", "weak.yaml"},
		{"signer", "add", "eve", eve + ".pub"},
		{"signer", "add", "eve", eve + ".pub", "--sign", eve},
		{"signer", "remove", "ann", public},
		{"signer", "remove", "ann", public, "--sign", eve},
		{"store", "trust", "--required"},
		{"store", "trust", "--required", "--revoke"},
		{"store", "trust", strings.Repeat("0", 63) + "1"},
		{"store", "trust", "--revoke", strings.Repeat("0", 63) + "1"},
		{"forget", "--sandbox", "ec2/web-0"},
		{"forget", "--sandbox", "ec2/web-1", "--sign", eve},
		{"move", "--sandbox", "ec2/web-0", "other:ec2/web-0"},
		{"destroy", "--sandbox", "--auto-approve"},
		{"move", "--sandbox", "other:ec2/web-0", "fleet:ec2/web-0"},
		{"apply", "--sandbox", "--auto-approve", "-f", "keep.yaml"},
		{"apply", "--sandbox", "--auto-approve", "-f", "was.yaml"},
		{"destroy", "--sandbox", "--auto-approve"},
		{"apply", "--sandbox", "--auto-approve", "-f", "none.yaml"},
		{"apply", "--sandbox", "--auto-approve", "-f", "back.yaml"},
		{"run", "--sandbox", "--auto-approve", "--allow-destroy", "--interval", "1s", "none.yaml"},
		{"adopt", "--sandbox", "ec2/web-1", "--id", "i-00000000000000000"},
		{"adopt", "--sandbox", "ec2/web-1", "--id", "i-00000000000000000", "--sign", eve},
		{"claims", "revoke", "--all"},
		{"retry", "--sandbox", "ec2/web-0"},
		{"audit", "trim", "--keep", "1ms"},
		{"audit", "replay", "--repair"},
	}
	tried := map[string]bool{}
	for _, args := range ways {
		for _, env := range [][]string{nil, {"OVI_USER=ann"}} {
			out := within(t, 10*time.Second, b.command(env, args...))
			tried[strings.Join(args, " ")] = true
			check(strings.Join(args, " "), out)
		}
	}
	// a second roster, the key of which eve has
	roster := filepath.Join(t.TempDir(), "roster")
	key, err := os.ReadFile(eve + ".pub")
	if err == nil {
		err = os.WriteFile(roster, []byte("eve "+string(key)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"signer", "list"},
		{"signer", "recover", eve + ".pub", "--reason", "lost"},
		{"unbless", "--sandbox", "ec2/web-0", "--sign", eve},
		{"policy", "require", "--off", "pol", "--sign", eve},
		{"store", "trust", "--required", "--revoke", "--sign", eve},
		{"approve", "old.plan", "--sign", eve},
		{"apply", "--sandbox", "--auto-approve", "old.plan"},
		{"destroy", "--sandbox", "--auto-approve"},
	} {
		out, _ := b.command([]string{"OVI_SIGNERS_FILE=" + roster, "OVI_SIGN_KEY=" + eve}, args...).CombinedOutput()
		tried["a second roster: "+strings.Join(args, " ")] = true
		check("a second roster: "+strings.Join(args, " "), out)
	}
	// another data directory: an older one, an empty one, and one with a key that trusts itself
	older := filepath.Join(t.TempDir(), "older")
	copyDir(t, older, before)
	other := filepath.Join(t.TempDir(), "home")
	for way, env := range map[string][]string{
		"an older directory":       {"OVI_DATA_DIR=" + older},
		"an empty directory":       {"OVI_DATA_DIR=" + filepath.Join(t.TempDir(), "empty")},
		"a new key":                {"OVI_DATA_DIR=" + filepath.Join(t.TempDir(), "new"), "XDG_STATE_HOME=" + other},
		"an older one, a new key":  {"OVI_DATA_DIR=" + older, "XDG_STATE_HOME=" + filepath.Join(t.TempDir(), "h")},
		"a store that is a folder": {"OVI_DATA_DIR=" + older, "OVI_STORE="},
	} {
		for _, args := range [][]string{
			{"store", "trust", "--directory"},
			{"unbless", "--sandbox", "ec2/web-0"},
			{"policy", "require", "--off", "pol"},
			{"signer", "add", "eve", eve + ".pub"},
			{"apply", "--sandbox", "--auto-approve", "-f", "none.yaml"},
			{"destroy", "--sandbox", "--auto-approve"},
		} {
			out, _ := b.command(env, args...).CombinedOutput()
			tried[way+": "+strings.Join(args, " ")] = true
			check(way+": "+strings.Join(args, " "), out)
		}
	}
	// nothing is lowered either: what protects stands as it did
	for what, args := range map[string][]string{"pol": {"policy", "require"}, "blessed": {"status"}, "ann": {"signer", "list"}} {
		if out := b.ok(args...); !strings.Contains(out, what) || what == "ann" && strings.Contains(out, "eve") {
			t.Errorf("after all of them, ovi %s prints\n%s", strings.Join(args, " "), out)
		}
	}
	for _, way := range s.forge(t) {
		for _, args := range [][]string{{"apply", "--sandbox", "--auto-approve", "-f", "none.yaml"}, {"destroy", "--sandbox", "--auto-approve"}} {
			out, _ := b.command(nil, args...).CombinedOutput()
			tried[way+": "+args[0]] = true
			check(way, out)
		}
	}
	if len(tried) < 40 {
		t.Errorf("only %d ways were tried", len(tried))
	}
	t.Logf("%d ways", len(tried))
}

// forge puts rows into the store that say what no instance recorded.
func (s *site) forge(t *testing.T) (ways []string) {
	t.Helper()
	store, err := etcd.Open(t.Context(), etcd.Config{Endpoints: []string{s.server.Endpoint}, Prefix: s.server.Room + "site"})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ref := resource.Ref{Stack: "fleet", Provider: "aws", Location: "000000000000/us-east-1", Kind: "ec2", Name: "web-0"}
	eve := "01J0000000000000000000000E"
	for name, x := range map[string]struct {
		key   string
		value any
	}{
		"a blessing turned off": {rows.BlessedOf(ref), rows.Act[event.Blessed]{Instance: eve, Event: event.Blessed{Ref: ref, Who: "ann"}}},
		"a policy turned off":   {rows.RequirementOf("pol"), rows.Act[event.PolicyRequired]{Instance: eve, Event: event.PolicyRequired{Name: "pol"}}},
		"a roster put in":       {rows.RosterKey, rows.Act[event.RosterChanged]{Instance: eve, Event: event.RosterChanged{Signers: []event.Signer{}}}},
		"a key trusted":         {rows.KeyTrust + strings.Repeat("1", 64), rows.Trust{On: true, Instance: eve}},
	} {
		value, err := json.Marshal(x.value)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: x.key, Value: value}}}); err != nil {
			t.Fatal(err)
		}
		ways = append(ways, fmt.Sprintf("%s at %s", name, x.key))
	}
	return ways
}

// copyDir copies a data directory with its rights.
func copyDir(t *testing.T, to, from string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
