package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/etcdtest"
)

// TestLostResponsesOfTheStoreDoNotEndACommand cuts the connections to etcd while plans and applies run: what may be
// requested again is requested again.
func TestLostResponsesOfTheStoreDoNotEndACommand(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 15 s")
	}
	t.Parallel()
	server := etcdtest.Start(t)
	cutter := etcdtest.Cut(t, server)
	s := siteOn(t, server, stackOf("cut", "t3.micro"))
	s.store = "etcd://" + cutter.Endpoint + "/cut"
	for i, every := range []int64{60, 60, 60, 16, 16, 16} {
		writeConfig(t, s.dir, stackOf("cut", []string{"t3.small", "t3.micro"}[i%2]))
		cutter.Every(every)
		s.run("one", "0 2", "plan", "--sandbox", "ovi.yaml")
		s.run("one", "0", "apply", "--sandbox", "--auto-approve", "ovi.yaml")
		s.run("one", "0", "status", "--sandbox", "ovi.yaml")
		cutter.Every(0)
	}
	if cutter.Cuts() == 0 {
		t.Error("nothing was cut")
	}
	if out := s.run("one", "0", "sandbox", "list", "ovi.yaml"); strings.Count(out, "running") != 4 {
		t.Errorf("want 4 instances\n%s", out)
	}
	s.run("one", "0", "audit", "replay", "ovi.yaml")
	t.Logf("%d responses were lost", cutter.Cuts())
}

func stackOf(stack, size string) string {
	return fmt.Sprintf("version: v1\nstack: %s\nprovider: aws\nregion: us-east-1\nresources:\n"+
		"  - {type: ec2, name: web, size: %s, count: 4}\n", stack, size)
}
