package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTwoStacksUseTheSameNames on one store, of one host and of two: each is created, changed and
// deleted alone, and the other stays as it is.
func TestTwoStacksUseTheSameNames(t *testing.T) {
	t.Parallel()
	t.Run("bolt", func(t *testing.T) {
		t.Parallel()
		twoStacks(t, &site{t: t, dir: t.TempDir()})
	})
	t.Run("etcd", func(t *testing.T) {
		t.Parallel()
		twoStacks(t, newSite(t, ""))
	})
}

func twoStacks(t *testing.T, s *site) {
	configure := func(stack, size, name string) {
		text := "version: v1\nprovider: aws\nregion: us-east-1\nstack: " + stack + "\nresources: []\n"
		if name != "" {
			text = strings.Replace(text, " []", fmt.Sprintf(`
  - {type: vpc, name: main, cidr: 10.0.0.0/16}
  - {type: subnet, name: app, vpc: main, cidr: 10.0.1.0/24}
  - {type: ec2, name: %s, size: %s, subnet: app}`, name, size), 1)
		}
		if err := os.WriteFile(filepath.Join(s.dir, stack+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	contains := func(out string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(unwrapped(out), want) {
				t.Errorf("%q is not in\n%s", want, out)
			}
		}
	}
	apply := func(stack, want string) {
		t.Helper()
		contains(s.run(stack, "0", "apply", "--sandbox", "--auto-approve", stack+".yaml"), want)
	}
	unchanged := func(stack string) {
		t.Helper()
		contains(s.run(stack, "0", "plan", "--sandbox", "--detailed-exitcode", stack+".yaml"), "No changes. 3 unchanged")
	}
	configure("shop", "t3.micro", "web")
	configure("blog", "t3.small", "web")
	apply("shop", "3 created")
	apply("blog", "3 created")
	unchanged("shop")
	unchanged("blog")
	blog := s.run("blog", "0", "show", "blog:ec2/web", "--output", "json")

	configure("shop", "t3.large", "web")
	apply("shop", "1 updated")
	contains(s.run("blog", "0", "why", "shop:ec2/web"), "t3.micro -> t3.large")
	contains(s.run("blog", "0", "why", "shop:web"), "stack shop")
	contains(s.run("shop", "0", "why", "blog:ec2/web"), "stack blog")
	contains(s.run("shop", "1", "why", "ec2/web"), `"ec2/web" fits 2 resources: blog:ec2/web, shop:ec2/web`)
	contains(s.run("shop", "0", "plan", "--sandbox", "--target", "shop:ec2/web", "shop.yaml"), "No changes. 3 unchanged")
	if out := s.run("blog", "0", "audit", "log", "--ref", "blog:ec2/web", "--output", "json"); !strings.Contains(out, `"ref":"blog:`) || strings.Contains(out, `"ref":"shop:`) {
		t.Errorf("the records of one:\n%s", out)
	}
	if out := s.run("shop", "0", "history", "blog:ec2/web"); strings.Contains(out, "t3.large") {
		t.Errorf("the history of one has the change of the other:\n%s", out)
	}
	contains(s.run("shop", "0", "why", "ec2/web", "-f", "shop.yaml"), "t3.micro -> t3.large")
	contains(s.run("shop", "0", "status"), "Stack blog", "Stack shop")
	contains(s.run("shop", "0", "audit", "log"), "shop:ec2/web")
	if out := s.run("shop", "0", "status", "shop.yaml"); strings.Count(out, "ec2/") != 1 || strings.Contains(out, "blog") {
		t.Errorf("the status of one source:\n%s", out)
	}
	unchanged("blog")

	contains(s.run("shop", "1", "move", "--sandbox", "shop:ec2/web", "blog:"), "is recorded under the new name")
	s.run("shop", "0", "move", "--sandbox", "shop:ec2/web", "blog:ec2/api")
	contains(s.run("blog", "0", "show", "ec2/api"), "stack blog")
	s.run("shop", "0", "move", "--sandbox", "ec2/api", "shop:ec2/web")
	unchanged("blog")
	unchanged("shop")
	if now := s.run("blog", "0", "show", "blog:ec2/web", "--output", "json"); resourceOf(now) != resourceOf(blog) {
		t.Errorf("one was changed with the other:\n%s\nbefore:\n%s", now, blog)
	}

	configure("shop", "", "")
	apply("shop", "3 deleted")
	unchanged("blog")
	contains(s.run("shop", "0", "why", "shop:ec2/web"), "deleted")
	contains(s.run("shop", "0", "why", "ec2/web"), "stack blog")
	s.sameAsItsLogs("shop", "blog")

	configure("blog", "", "")
	apply("blog", "3 deleted")
	configure("shop", "t3.micro", "web")
	apply("shop", "3 created")
	unchanged("shop")
	s.sameAsItsLogs("blog", "shop")
}

// resourceOf is what a record says of a resource, without when it was observed.
func resourceOf(record string) string {
	before, after, _ := strings.Cut(record, `"observed_at"`)
	_, after, _ = strings.Cut(after, ",")
	return before + after
}

// sameAsItsLogs replays the logs of all instances, which must give the store that exists.
func (s *site) sameAsItsLogs(instance string, others ...string) {
	s.t.Helper()
	args := []string{"audit", "replay"}
	for _, o := range others {
		if s.server != nil {
			args = append(args, "--with", s.dataDir(o))
		}
	}
	if out := s.run(instance, "0", args...); !strings.Contains(out, "Equal: ") {
		s.t.Errorf("replayed:\n%s", out)
	}
	s.run(instance, "0", "audit", "verify")
}
