package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/etcdtest"
)

var (
	sequence  = regexp.MustCompile(`commit by commit:\s+([0-9a-f]{64})`)
	revisions = regexp.MustCompile(`(?m)^ *\d+ +`)
)

// TestStoreCopy moves a record from a file to etcd and back: equal digests, blessings and
// history.
func TestStoreCopy(t *testing.T) {
	t.Parallel()
	dir, server := t.TempDir(), etcdtest.Shared(t)
	writeConfig(t, dir, fleet(3))
	must(t, dir, "apply", "--sandbox", "--auto-approve", "--quiet")
	must(t, dir, "bless", "web-1", "--sandbox", "--reason", "keep it")
	must(t, dir, "sandbox", "break", "tag", "ec2/web-0", "team=other", "--region", "us-east-1")
	must(t, dir, "apply", "--sandbox", "--auto-approve", "--quiet")
	history := func(extra ...string) string {
		return revisions.ReplaceAllString(must(t, dir, append([]string{"history", "web-1"}, extra...)...), "")
	}
	before := history()
	to := "etcd://" + server.Endpoint + "/" + server.Room + "moved"
	there := must(t, dir, "store", "copy", ".ovi", to)
	if after := history("--store", to); after != before {
		t.Errorf("the history in etcd is another one:\n%s\nbefore:\n%s", after, before)
	}
	if out := must(t, dir, "history", "web-1", "--store", to); !strings.Contains(out, "blessed by ada: keep it") {
		t.Errorf("no blessing:\n%s", out)
	}
	must(t, dir, "plan", "--sandbox", "--store", to, "--detailed-exitcode")
	if out := must(t, dir, "store", "status", "--store", to); !strings.Contains(out, "0 records ahead of the store") {
		t.Errorf("status:\n%s", out)
	}
	must(t, dir, "store", "copy", to, filepath.Join(dir, "other.db"))
	again := must(t, dir, "store", "copy", ".ovi", filepath.Join(dir, "twin.db"))
	if a, b := sequence.FindStringSubmatch(there), sequence.FindStringSubmatch(again); a == nil || b == nil || a[1] != b[1] {
		t.Errorf("digests differ: %v, %v", a, b)
	}
	if out, err := ovi(t, dir, "store", "copy", ".ovi", to).CombinedOutput(); err == nil || !strings.Contains(string(out), "not empty") {
		t.Errorf("copied over a record: %v\n%s", err, out)
	}
}
