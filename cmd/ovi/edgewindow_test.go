package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestANewVersionAndADeleteWaitForTheirWindow while the orchestrator runs, and start by themselves in one that is open.
func TestANewVersionAndADeleteWaitForTheirWindow(t *testing.T) {
	s := newOrderedSite(t)
	s.runs("1", 3)
	day := strings.ToLower(time.Now().UTC().AddDate(0, 0, 3).Weekday().String()[:3])
	closed := fmt.Sprintf("update: {windows: [{name: later, days: [%s], from: \"01:00\", to: \"02:00\"}]}\n", day)
	open := "update: {windows: [{name: am, from: \"00:00\", to: \"12:30\"}, {name: pm, from: \"12:00\", to: \"00:30\"}]}\n"

	s.deploy("2", closed)
	s.shows("rollout: window later", "why", "edge/berlin/n1/deployment/web")
	s.runs("1", 3)
	s.deploy("2", open)
	s.runs("2", 3)

	nodes := "nodes: [{name: n1}, {name: n2}, {name: n3}]\ndeployments: none\n"
	s.write("site.yaml", nodes+closed)
	if err := os.Remove(filepath.Join(s.folder, "web.yaml")); err != nil {
		t.Fatal(err)
	}
	s.shows("delete of deployment/web is deferred", "why", "edge/berlin/n1/deployment/web")
	s.runs("2", 3)
	s.write("site.yaml", nodes+open)
	s.runs("2", 0)
	s.shows("recovered: the delete was done", "history", "edge/berlin/n1/deployment/web")
	s.shows("deployment/web was deleted", "why", "edge/berlin/n1/deployment/web")
	for _, command := range []string{"history", "why"} {
		if out := s.read(command, "edge/berlin/n1/deployment/web"); strings.Contains(out, "outside ovi") {
			t.Errorf("ovi %s says:\n%s", command, out)
		}
	}
}
