package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovi-project/ovi/cmd/edge/simulate"
	"github.com/ovi-project/ovi/provider/edge/identity"
)

// orderedSite is a site with three virtual nodes, n1 to n3, and a central orchestrator.
type orderedSite struct {
	*edgeSite
	folder, central string
	fleet           *simulate.Fleet
}

func newOrderedSite(t *testing.T) *orderedSite {
	t.Helper()
	s := &orderedSite{edgeSite: &edgeSite{t: t, dir: t.TempDir(), address: fmt.Sprintf("127.0.0.1:%d", freePort(t))}}
	s.folder = filepath.Join(s.dir, "berlin")
	authority, err := identity.Open(filepath.Join(s.data(), "edge"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s.fleet = &simulate.Fleet{Site: "berlin", Address: s.address, Beat: time.Second}
	for _, name := range []string{"n1", "n2", "n3"} {
		config, err := authority.Config("berlin/" + name)
		if err != nil {
			t.Fatal(err)
		}
		s.fleet.Add(name, config)
	}
	s.write("site.yaml", "nodes: [{name: n1}, {name: n2}, {name: n3}]\n")
	central, options := s.edgeSite.central()
	s.central = central
	s.deploy("1", "")
	s.start(append([]string{"edge", "lo", "--interval", "1s", "--edge-listen", s.address, s.folder}, options...)...)
	s.listens(s.address)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.fleet.Run(ctx) })
	t.Cleanup(func() { stop(); running.Wait() })
	return s
}

func (s *orderedSite) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.folder, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *orderedSite) deploy(version, more string) {
	s.t.Helper()
	s.write("web.yaml", fmt.Sprintf("id: web\nversion: %q\nimage: localhost/web:%s\nnodes: all\n%s", version, version, more))
}

// runs waits until so many nodes run a version.
func (s *orderedSite) runs(version string, nodes int) {
	s.t.Helper()
	eventually(s.t, fmt.Sprintf("%d nodes run version %s", nodes, version), func() bool {
		return len(s.fleet.Running("web", version)) == nodes
	})
}

// shows waits until a command shows a text, whatever its line breaks.
func (s *orderedSite) shows(text string, args ...string) {
	s.t.Helper()
	got := ""
	defer s.onFailure("it shows:\n%s", &got)
	eventually(s.t, "ovi "+strings.Join(args, " ")+" shows "+text, func() bool {
		got = s.read(args...)
		return strings.Contains(strings.Join(strings.Fields(got), " "), text)
	})
}

// TestACentralOrchestratorFreezesAndPromotes: its orders go to the site, onto the record there, and into what
// status and why show on both hosts. Nothing else starts than what they allow.
func TestACentralOrchestratorFreezesAndPromotes(t *testing.T) {
	s := newOrderedSite(t)
	s.runs("1", 3)
	co := []string{"--data-dir", s.central}
	s.read(append([]string{"edge", "freeze", "berlin", "--reason", "inventory"}, co...)...)
	frozen := "berlin frozen by ada in order"
	s.shows(frozen, "audit", "log", "--type", "ordered")
	s.shows(frozen, "edge", "status")
	s.shows(frozen, append([]string{"edge", "status"}, co...)...)

	s.deploy("2", "update: {waves: [1], promote: central}\n")
	s.shows("frozen by the central orchestrator: inventory", "why", "edge/berlin/n1/deployment/web")
	s.runs("1", 3)
	if out := s.read(append([]string{"edge", "unfreeze", "paris"}, co...)...); !strings.Contains(out, "paris") {
		t.Errorf("an order for a site that is not connected:\n%s", out)
	}
	s.shows("Site paris has not confirmed order", append([]string{"edge", "status"}, co...)...)
	s.read(append([]string{"edge", "unfreeze", "berlin"}, co...)...)
	s.runs("2", 1) // the first wave starts by itself

	promote := append([]string{"edge", "promote", "berlin/web"}, co...)
	s.shows("web wave 1 of 2", append([]string{"edge", "status"}, co...)...)
	s.shows("deferred until wave 2 of 2 is promoted", "why", "edge/berlin/n2/deployment/web")
	if out := s.read(append(promote, "--wave", "3")...); !strings.Contains(out, "wave 3 of berlin/web cannot be promoted") {
		t.Errorf("a wave that there is not:\n%s", out)
	}
	s.runs("1", 2)
	s.read(promote...)
	s.runs("2", 3)
	s.shows("promoted up to wave 2 by ada in order", "audit", "log", "--type", "ordered")
	s.shows("web wave 2 of 2", append([]string{"edge", "status"}, co...)...)
}

// TestALockedNodeIsNotUpdated while its orchestrator runs; it is once the lock has ended.
func TestALockedNodeIsNotUpdated(t *testing.T) {
	s := newOrderedSite(t)
	s.runs("1", 3)
	locked := "berlin/n2 locked by ada: a technician is there"
	s.read("edge", "lock", "berlin/n2", "--reason", "a technician is there")
	s.deploy("2", "")
	s.runs("2", 2)
	s.shows("locked by ada: a technician is there", "why", "edge/berlin/n2/deployment/web")
	s.shows(locked, "edge", "status")
	s.shows(locked, "edge", "status", "--data-dir", s.central)
	s.shows(locked, "audit", "log", "--type", "ordered")
	s.runs("1", 1)
	s.read("edge", "unlock", "berlin/n2")
	s.runs("2", 3)
	s.shows("nothing is frozen or locked", "edge", "status", "--events", "--data-dir", s.central)
}
