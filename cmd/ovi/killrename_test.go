package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

const handed = `version: v1
stack: hands
provider: aws
region: us-east-1
resources:
  - {type: vpc, name: m, cidr: 10.0.0.0/16}
  - {type: internet_gateway, name: g, vpc: m}
  - {type: subnet, name: a, vpc: m, cidr: 10.0.0.0/24, zone: us-east-1a}
  - {type: subnet, name: b, vpc: m, cidr: 10.0.1.0/24, zone: us-east-1b}
  - {type: load_balancer, name: l, subnets: [a, b], depends_on: [internet_gateway/g]}
  - {type: target_group, name: t, vpc: m, port: 80}
  - {type: listener, name: one, load_balancer: l, port: 80, target_group: t}
  - {type: listener, name: two, load_balancer: l, port: 81, target_group: t}
`

// TestARenameAndAnExchangeSurviveAKill: kill -9 ends an apply between the record of a rename and its tags, and between the
// delete and the create of an exchange of two ports. The next apply ends each, and nothing is lost or made twice.
func TestARenameAndAnExchangeSurviveAKill(t *testing.T) {
	for name, c := range map[string]struct {
		hangs, until string // the call that hangs, and what the audit log has by then; empty: a resource is gone
		old, new     string // of the configuration
		keeps        bool   // all resources stay
	}{
		"a rename":    {"CreateTags", `"event":"moved"`, "name: m, cidr", "name: main, was: m, cidr", true},
		"an exchange": {hangs: "CreateListener"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeConfig(t, dir, handed)
			must(t, dir, "apply", "--sandbox", "--auto-approve")
			before := idsOf(t, dir)
			next := strings.NewReplacer("port: 80, target", "port: 81, target", "port: 81, target", "port: 80, target").Replace(handed)
			if c.old != "" {
				next = strings.ReplaceAll(strings.Replace(handed, c.old, c.new, 1), "vpc: m,", "vpc: main,")
				next = strings.ReplaceAll(next, "vpc: m}", "vpc: main}")
			}
			writeConfig(t, dir, next)
			apply := ovi(t, dir, "apply", "--sandbox", "--auto-approve", "--claim-ttl", "3s")
			apply.Env = append(apply.Env, `OVI_SANDBOX_FAULTS=[{"kind":"slow","action":"`+c.hangs+`","delay_ms":3600000}]`)
			if err := apply.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = apply.Process.Kill() })
			eventually(t, "it has come to the call that hangs", func() bool {
				if c.keeps {
					out, err := ovi(t, dir, "audit", "log", "--output", "json").Output()
					return err == nil && strings.Contains(string(out), c.until)
				}
				return len(idsOf(t, dir)) == len(before)-1
			})
			_ = apply.Process.Kill()
			_ = apply.Wait()
			eventually(t, "the next apply ends it", func() bool {
				_, err := ovi(t, dir, "apply", "--sandbox", "--auto-approve").CombinedOutput()
				return err == nil
			})
			if out := must(t, dir, "plan", "--sandbox", "--detailed-exitcode"); !strings.Contains(out, "No changes.") {
				t.Errorf("something is left:\n%s", out)
			}
			after := idsOf(t, dir)
			if diff := cmp.Diff(before, after); c.keeps && diff != "" || len(after) != len(before) {
				t.Errorf("the resources (-before +after):\n%s", diff)
			}
			must(t, dir, "audit", "verify")
		})
	}
}

// idsOf lists the kinds of the resources of a sandbox by ID.
func idsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	cloud, err := sandbox.Open(filepath.Join(dir, ".ovi", "sandbox", "aws.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer cloud.Close()
	all, err := cloud.Resources()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, x := range all {
		out[x.ID] = x.Kind
	}
	return out
}
