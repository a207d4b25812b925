package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestACommitOfAnOrderReachesTheNode: a commit that changes only what a deployment depends on starts no action, and the
// node, which needs it when it starts, has it without waiting for the next one. A deployment that is renamed keeps its
// name on the node, and its place in the order.
func TestACommitOfAnOrderReachesTheNode(t *testing.T) {
	t.Parallel()
	s := newFaultySite(t, 1, 1)
	s.push("db", "1")
	if found := s.rest(2 * time.Minute); len(found) > 0 {
		t.Fatal(strings.Join(found, "\n"))
	}
	_, before, err := s.hosts[0].created()
	if err != nil {
		t.Fatal(err)
	}
	s.repo.Commit(map[string]string{"deployments/berlin/web.yaml": deployment("web", "1") + "depends_on: [db]\n"})
	has := func(text string) bool {
		b, err := os.ReadFile(filepath.Join(s.folder(siteNode(0)), "desired.json"))
		return err == nil && bytes.Contains(b, []byte(text))
	}
	ordered := func() bool { return has(`"after":["db"]`) }
	eventually(t, "the node has the order", ordered)
	if found := s.rest(time.Minute); len(found) > 0 {
		t.Error(strings.Join(found, "\n"))
	}
	if _, after, err := s.hosts[0].created(); err != nil || after != before {
		t.Errorf("%d changes of containers, %d before the commit, %v", after, before, err)
	}
	s.repo.Commit(map[string]string{
		"deployments/berlin/db.yaml":   "",
		"deployments/berlin/data.yaml": strings.Replace(deployment("db", "1"), "id: db", "id: data", 1) + "was: db\n",
		"deployments/berlin/web.yaml":  deployment("web", "2") + "depends_on: [data]\n",
	})
	s.configured["web"] = "2"
	eventually(t, "the node has the new version", func() bool { return has(`localhost/web:2`) })
	eventually(t, "the node has the order under its own names", ordered)
	cycles := func() int {
		b, _ := os.ReadFile(s.lo.file)
		return bytes.Count(b, []byte("(interval, "))
	}
	enough := cycles() + 3
	eventually(t, "three more cycles", func() bool { return cycles() >= enough })
	if !ordered() {
		t.Error("the order was right, and is another one")
	}
	if found := append(s.rest(time.Minute), s.check()...); len(found) > 0 {
		t.Error(strings.Join(found, "\n"))
	}
}
