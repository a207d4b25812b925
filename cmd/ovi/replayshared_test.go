package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/cmd/command"
)

// dataDir is where an instance of the site keeps its log.
func (s *site) dataDir(instance string) string { return filepath.Join(s.dir, instance) }

// TestReplayOfASharedStore: it is held against the logs of all its instances, and nothing less;
// and it is rebuilt from them under another prefix, where all instances continue.
func TestReplayOfASharedStore(t *testing.T) {
	t.Parallel()
	s := newSite(t, fleet(3))
	s.run("ann", "0", "apply", "--sandbox", "--auto-approve")
	writeConfig(t, s.dir, strings.Replace(fleet(5), "t3.micro", "t3.small", 1))
	s.run("bob", "0", "apply", "--sandbox", "--auto-approve", "--lock-timeout", "60s")
	s.run("ann", "0", "bless", "--sandbox", "ec2/web-1")
	s.run("ann", "0", "plan", "--sandbox")

	out := unwrapped(s.run("ann", "1", "audit", "replay"))
	id := instanceIn(t, s.run("bob", "0", "store", "status"))
	if !strings.Contains(out, "the log of instance "+id+" is missing") || !strings.Contains(out, "--with DIR") || strings.Contains(out, "the live store differs") {
		t.Errorf("without bob's log:\n%s", out)
	}
	out = s.run("ann", "0", "audit", "replay", "--with", s.dataDir("bob"))
	if !strings.Contains(out, "Equal: the store at revision ") || !strings.Contains(out, "of 2 logs") {
		t.Errorf("with bob's log:\n%s", out)
	}
	copied := filepath.Join(s.dir, "copy of bob")
	if err := os.CopyFS(copied, os.DirFS(filepath.Join(s.dataDir("bob"), "wal"))); err != nil {
		t.Fatal(err)
	}
	out = s.run("ann", "0", "audit", "replay", "--with", copied, "--into", filepath.Join(s.dir, "kept"), "--output", "json")
	if _, err := os.Stat(filepath.Join(s.dir, "kept", command.StoreFile)); err != nil || !strings.Contains(out, `"equal":true`) || !strings.Contains(out, `"batches":`) {
		t.Errorf("kept: %v\n%s", err, out)
	}
	if out := s.run("ann", "1", "audit", "replay", "--with", copied, "--repair"); !strings.Contains(out, "--into") {
		t.Errorf("--repair:\n%s", out)
	}

	rebuilt := "etcd://" + s.server.Endpoint + "/" + s.server.Room + "rebuilt"
	why, history := s.run("bob", "0", "why", "web-1"), s.run("ann", "0", "history", "web-1")
	if out := unwrapped(s.run("ann", "1", "audit", "replay", "--into", rebuilt)); !strings.Contains(out, id+" is missing") {
		t.Errorf("rebuilt without bob's log:\n%s", out)
	}
	out = s.run("ann", "0", "audit", "replay", "--with", s.dataDir("bob"), "--into", rebuilt)
	if !strings.Contains(out, "Restored to "+rebuilt) {
		t.Errorf("rebuilt:\n%s", out)
	}
	if out := s.run("bob", "1", "audit", "replay", "--with", s.dataDir("ann"), "--into", rebuilt); !strings.Contains(out, "not empty") {
		t.Errorf("rebuilt once more into the same:\n%s", out)
	}
	s.store = rebuilt
	if got := withoutRevisions(s.run("ann", "0", "history", "web-1")); got != withoutRevisions(history) {
		t.Errorf("the history is another one:\n%s\nbefore:\n%s", got, history)
	}
	if got := s.run("bob", "0", "why", "web-1"); !strings.Contains(got, "bless") || !strings.Contains(why, "bless") {
		t.Errorf("why:\n%s\nbefore:\n%s", got, why)
	}
	s.run("ann", "0", "plan", "--sandbox", "--detailed-exitcode")
	writeConfig(t, s.dir, fleet(6))
	s.run("bob", "0 6", "apply", "--sandbox", "--auto-approve", "--lock-timeout", "60s")
	if out := s.run("bob", "0", "audit", "replay", "--with", s.dataDir("ann")); !strings.Contains(out, "Equal") {
		t.Errorf("after they went on:\n%s", out)
	}
	again := "etcd://" + s.server.Endpoint + "/" + s.server.Room + "again"
	s.run("bob", "0", "audit", "replay", "--with", s.dataDir("ann"), "--into", again)
	s.store = again
	if out := s.run("bob", "0", "audit", "replay", "--with", s.dataDir("ann")); !strings.Contains(out, "Equal") {
		t.Errorf("after it was lost twice:\n%s", out)
	}
}

// TestPoliciesAreTriedOnAllLogs: a rule sees what ann did to the thing that bob deletes, which
// neither log has alone.
func TestPoliciesAreTriedOnAllLogs(t *testing.T) {
	s := newSite(t, fleet(2))
	s.run("ann", "0", "apply", "--sandbox", "--auto-approve")
	writeConfig(t, s.dir, fleet(1))
	s.run("bob", "0", "apply", "--sandbox", "--auto-approve", "--lock-timeout", "60s")
	rules := filepath.Join(s.dir, "rules.yaml")
	if err := os.WriteFile(rules, []byte("version: v1\nrules:\n  - {name: keep, when: 'decision.destroys && history.exists(h, h.who == \"ann\")', effect: deny, message: nothing goes}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"ann", "bob"} {
		if out := s.run("ann", "0", "policy", "test", "--wal", s.dataDir(who), rules); strings.Contains(out, "nothing goes") {
			t.Errorf("%s's log alone:\n%s", who, out)
		}
	}
	out := s.run("ann", "2", "policy", "test", "--wal", s.dataDir("ann"), "--wal", s.dataDir("bob"), rules)
	if !strings.Contains(out, "nothing goes") || !strings.Contains(out, "web-1") {
		t.Errorf("both logs:\n%s", out)
	}
}
