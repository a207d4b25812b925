package main

import (
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

const mixHead = `version: v1
provider: aws
region: us-east-1
stack: mix
resources:
`

const mixBefore = mixHead + `
  - {type: security_group, name: door, ingress: [{port: 443, cidr: 0.0.0.0/0}]}
  - {type: ec2, name: web, count: 6, size: t3.micro}
  - {type: ec2, name: pool, count: 4, size: t3.micro, zone: us-east-1a}
  - {type: ec2, name: old, count: 4, size: t3.micro}
  - {type: s3, name: mix-kept}
  - {type: s3, name: mix-old}
`

// mixAfter changes two things in place and six with a restart, replaces four, makes seven and
// deletes five.
const mixAfter = mixHead + `
  - {type: security_group, name: door, ingress: [{port: 8443, cidr: 0.0.0.0/0}]}
  - {type: ec2, name: web, count: 6, size: t3.small}
  - {type: ec2, name: pool, count: 4, size: t3.micro, zone: us-east-1b}
  - {type: ec2, name: fresh, count: 6, size: t3.micro}
  - {type: s3, name: mix-kept, versioning: true}
  - {type: s3, name: mix-fresh}
`

// mixDesired is what must be there in the end: how often, by kind, name and size.
func mixDesired() map[string]int {
	want := map[string]int{"security_group/door ": 1, "s3/mix-kept ": 1, "s3/mix-fresh ": 1}
	for size, names := range map[string][]string{
		"t3.small": {"web-0", "web-1", "web-2", "web-3", "web-4", "web-5"},
		"t3.micro": {"pool-0", "pool-1", "pool-2", "pool-3", "fresh-0", "fresh-1", "fresh-2", "fresh-3", "fresh-4", "fresh-5"},
	} {
		for _, name := range names {
			want["ec2/"+name+" "+size] = 1
		}
	}
	return want
}

// managed counts the managed resources of the sandbox, and returns their IDs.
func managed(t *testing.T, dir string) (counts map[string]int, ids map[string]string) {
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
	counts, ids = map[string]int{}, map[string]string{}
	for _, x := range all {
		if x.Ref == "" && x.Default || x.State == "terminated" || x.State == "shutting-down" || x.Kind == "ebs" {
			continue
		}
		size := x.Size
		if x.Kind != "ec2" {
			size = ""
		}
		counts[x.Kind+"/"+x.Name+" "+size]++
		ids[x.Kind+"/"+x.Name] = x.ID
	}
	return counts, ids
}

// TestKilledAmongAllActions kills, with kill -9 at random moments, an apply that creates,
// updates, restarts, replaces and deletes; every third time the next apply is killed as well. The
// one after it finishes: nothing exists twice, nothing is lost, what is kept is the same resource
// as before, no changes are left, the log verifies and the store equals its replay. 6 moments;
// OVI_KILLS=200 for the promise in full.
func TestKilledAmongAllActions(t *testing.T) {
	t.Parallel()
	kills := killsOf(t, 6)
	base := t.TempDir()
	writeConfig(t, base, mixBefore)
	must(t, base, "apply", "--sandbox", "--auto-approve", "--quiet")
	whole, _ := mixedRun(t, base, 0, false)
	t.Logf("the whole apply takes %s", whole.Round(time.Millisecond))
	var inTheMiddle atomic.Int32
	for i := range kills {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			moment := 1 + time.Duration(drawn.Rand(t).Float64()*float64(whole))
			if _, open := mixedRun(t, base, moment, i%3 == 2); open {
				inTheMiddle.Add(1)
			}
		})
	}
	t.Cleanup(func() {
		t.Logf("%d kills, %d of them between the beginning of some action and its end", kills, inTheMiddle.Load())
	})
}

// mixedRun applies in a copy of the base, killed after a moment (0: not), and then for good.
func mixedRun(t *testing.T, base string, moment time.Duration, twice bool) (took time.Duration, open bool) {
	dir := t.TempDir()
	copyTo(t, dir, base)
	_, before := managed(t, dir)
	writeConfig(t, dir, mixAfter)
	if moment > 0 {
		killedApply(t, dir, moment)
		open = strings.Contains(must(t, dir, "status", "--sandbox"), "no result recorded")
		if twice {
			killedApply(t, dir, time.Duration(drawn.Rand(t).Float64()*float64(moment)))
		}
	}
	start := time.Now()
	must(t, dir, "apply", "--sandbox", "--auto-approve", "--quiet", "--lock-timeout", "2m")
	took = time.Since(start)
	counts, after := managed(t, dir)
	if diff := cmp.Diff(mixDesired(), counts); diff != "" {
		t.Errorf("killed after %s: what is there (-want +got):\n%s", moment, diff)
	}
	maps.DeleteFunc(before, func(name, _ string) bool {
		return !strings.HasPrefix(name, "ec2/web") && name != "s3/mix-kept" && name != "security_group/door"
	})
	for name, id := range before {
		if after[name] != id {
			t.Errorf("killed after %s: %s was %s and is %s now: it was created again", moment, name, id, after[name])
		}
	}
	must(t, dir, "audit", "verify")
	if out := must(t, dir, "audit", "replay"); !strings.Contains(out, "Equal") {
		t.Errorf("killed after %s: %s", moment, out)
	}
	if out := must(t, dir, "plan", "--sandbox", "--detailed-exitcode"); !strings.Contains(out, "No changes") {
		t.Errorf("killed after %s: something is left to do:\n%s", moment, out)
	}
	return took, open
}

func killedApply(t *testing.T, dir string, moment time.Duration) {
	t.Helper()
	cmd := ovi(t, dir, "apply", "--sandbox", "--auto-approve", "--claim-ttl", "3s", "--lock-timeout", "2m")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(moment)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}
