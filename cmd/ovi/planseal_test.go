package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/cmd/session"
)

// TestAPlanFileThatWasSealedAgain: the hash of a plan file has no key, so whoever edits the file can
// compute it again. Only what the audit log has is approved and applied.
func TestAPlanFileThatWasSealedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeConfig(t, dir, fleet(2))
	must(t, dir, "apply", "--sandbox", "--auto-approve", "--quiet")
	writeConfig(t, dir, fleet(1))
	deny := "version: v1\nrules:\n  - {name: keep, when: decision.action == \"delete\", effect: deny}\n"
	if err := os.WriteFile(filepath.Join(dir, "keep.yaml"), []byte(deny), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.yaml")
	if err := os.WriteFile(other, []byte(strings.Replace(fleet(2), "count: 2", "count: 0", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "plan", "--sandbox", "--policy", "keep.yaml", "--out", "less.plan")
	file := filepath.Join(dir, "less.plan")
	honest, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	seal := func(change func(head *session.PlanHead, plan []byte) []byte) {
		line, plan, _ := bytes.Cut(honest, []byte("\n"))
		var head session.PlanHead
		if err := json.Unmarshal(line, &head); err != nil {
			t.Fatal(err)
		}
		plan = change(&head, plan)
		b, _, err := session.Sealed(head, plan)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, change := range map[string]func(head *session.PlanHead, plan []byte) []byte{
		"without its policies": func(head *session.PlanHead, plan []byte) []byte { head.Policies = nil; return plan },
		"of another source":    func(head *session.PlanHead, plan []byte) []byte { head.Sources = []string{other}; return plan },
		"shown as another action": func(_ *session.PlanHead, plan []byte) []byte {
			return bytes.Replace(plan, []byte(`"difference":"unwanted"`), []byte(`"difference":"unmanaged"`), 1)
		},
		"of another plan": func(_ *session.PlanHead, plan []byte) []byte {
			return bytes.Replace(plan, []byte(`"id":"01`), []byte(`"id":"02`), 1)
		},
	} {
		seal(change)
		for _, command := range []string{"approve", "apply"} {
			out, err := ovi(t, dir, command, "less.plan").CombinedOutput()
			if err == nil || strings.Contains(string(out), "deleted") || !strings.Contains(string(out), "less.plan") {
				t.Errorf("%s of a file %s: %v\n%s", command, name, err, out)
			}
		}
	}
	seal(func(_ *session.PlanHead, plan []byte) []byte { return plan })
	if out, err := ovi(t, dir, "apply", "less.plan", "--data-dir", "other").CombinedOutput(); err == nil || !strings.Contains(string(out), "the audit log does not have this plan") {
		t.Errorf("with a fresh data directory: %v\n%s", err, out)
	}
	if out := must(t, dir, "approve", "less.plan"); !strings.Contains(out, "Approved by ada") {
		t.Errorf("the honest file: %s", out)
	}
}
