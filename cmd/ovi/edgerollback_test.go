package main

import (
	"strings"
	"testing"
)

// TestABadVersionOnANodeGoesBack: a version whose health check fails is tried, the last good one serves again, and
// the bad one is quarantined until the configuration changes. One attempt is allowed, because the loop pauses for
// half a minute before a second one; TestABadVersionIsTriedThreeTimesAndGoesBack has three, on virtual time.
func TestABadVersionOnANodeGoesBack(t *testing.T) {
	s := newEdgeSite(t)
	s.repo.Commit(map[string]string{"deployments/berlin/site.yaml": "nodes: [{name: n1}]\nattempts: 1\nrollback: on\n", "deployments/berlin/app1.yaml": app("1")})
	s.orchestrator()
	s.enroll()
	s.healthy("1")

	bad := strings.Replace(app("2"), "-e, /ok", "-e, /never", 1)
	s.repo.Commit(map[string]string{"deployments/berlin/app1.yaml": bad})
	out := ""
	defer s.onFailure("status:\n%s", &out)
	eventually(t, "the node is back on the last good version", func() bool {
		out = s.read("status", "--output", "json")
		return strings.Contains(out, `"exhausted":true,"back":"`) && strings.Contains(out, `"health":"healthy"`) && strings.Contains(out, `"version":"1"`)
	})
	s.until("ovi-app1 localhost/app:1")
	for command, want := range map[string]string{
		"why":     "It is back to its last good configuration",
		"history": "it is not tried again; back to",
	} {
		if text := s.read(command, "deployment/app1"); !strings.Contains(text, want) {
			t.Errorf("ovi %s says:\n%s\nwant: %s", command, text, want)
		}
	}
	s.started("missing", "restarts") // the node serves version 1 again: nothing more is asked of it

	s.repo.Commit(map[string]string{"deployments/berlin/app1.yaml": app("2")})
	s.until("ovi-app1 localhost/app:2")
	s.healthy("2")
	s.started("missing", "restarts", "restarts")
}

// TestAnErrorOfANodeHasACause: an image that a registry does not have is tried once, though three attempts are
// allowed, and the last good version serves on without a restart; a registry that does not answer costs no attempt.
func TestAnErrorOfANodeHasACause(t *testing.T) {
	s := newEdgeSite(t)
	file := "deployments/berlin/app1.yaml"
	s.repo.Commit(map[string]string{"deployments/berlin/site.yaml": "nodes: [{name: n1}]\nrollback: on\n", file: app("1")})
	s.orchestrator()
	s.enroll()
	s.healthy("1")

	of := func(image string) map[string]string {
		return map[string]string{file: strings.Replace(app("2"), "localhost/app:2", image, 1)}
	}
	const started = "{{.Id}} {{.State.StartedAt}}"
	running := s.host.Podman(t, "inspect", "-f", started, "ovi-app1")
	s.repo.Commit(of(s.host.Registry + "/nope:1"))
	out := ""
	defer s.onFailure("status:\n%s", &out)
	eventually(t, "one attempt uses all of them up", func() bool {
		out = s.read("status", "--output", "json")
		return strings.Contains(out, `"attempts":1`) && strings.Contains(out, `"exhausted":true,"back":"`) && strings.Contains(out, `"health":"healthy"`)
	})
	s.until("ovi-app1 localhost/app:1")
	// What was never stopped is not started again: the return to what runs is no action.
	if now := s.host.Podman(t, "inspect", "-f", started, "ovi-app1"); now != running {
		t.Errorf("the container and its start: %s, want %s", now, running)
	}
	s.started("missing", "restarts")
	if text := s.read("history", "deployment/app1"); !strings.Contains(strings.Join(strings.Fields(text), " "), "failed (cause: configuration): it is not tried again") {
		t.Errorf("ovi history says:\n%s", text)
	}

	s.repo.Commit(of("127.0.0.1:1/app:2"))
	eventually(t, "an attempt does not count", func() bool {
		out = s.read("status", "--output", "json")
		return strings.Contains(out, `"attempts":0,"other":1`)
	})
	if events := s.read("edge", "status", "--events", "--output", "json"); !strings.Contains(events, `"class":"configuration"`) || !strings.Contains(events, `"class":"unreachable"`) {
		t.Errorf("ovi edge status --events says:\n%s", events)
	}
}
