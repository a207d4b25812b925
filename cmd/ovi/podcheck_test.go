package main

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

const threeOnANetwork = `version: v1
provider: podman
stack: shop
resources:
  - {type: network, name: front}
  - {type: volume, name: data}
  - {type: container, name: web, image: "localhost/%s", networks: [front], volumes: [{name: data, mount_path: /data}]}
  - {type: container, name: api, image: "localhost/app:1", networks: [front], ports: [{container_port: 80, host_port: %d}]}
`

// TestWhatCannotBeCreatedIsFoundFirst: a missing image and a port in use are found before an apply
// creates anything that only they need.
func TestWhatCannotBeCreatedIsFoundFirst(t *testing.T) {
	s := newPod(t)
	l, err := net.Listen("tcp", fmt.Sprintf(":%d", s.port))
	if err != nil {
		t.Fatal(err)
	}
	writeConfig(t, s.dir, fmt.Sprintf(threeOnANetwork, "nope:1\", image_pull_policy: \"Never", s.port))
	out := s.run(3, "apply", "--auto-approve")
	for _, want := range []string{"localhost/nope:1 is not on the host", fmt.Sprintf("host port %d is in use", s.port), "needed only by resources that were not started, such as container/", "2 failed, 2 not started"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if all := s.host.Podman(t, "ps", "-aq") + s.host.Podman(t, "network", "ls", "-q", "--filter", "label=ovi/ref") + s.host.Podman(t, "volume", "ls", "-q", "--filter", "label=ovi/ref"); all != "" {
		t.Errorf("created were %s", all)
	}
	_ = l.Close() // the port is free
	writeConfig(t, s.dir, fmt.Sprintf(threeOnANetwork, "app:1", s.port))
	s.run(0, "apply", "--auto-approve")
	s.run(0, "plan")
}

// TestARenamedContainerGetsItsNameBack: the plan shows the name that it was given by hand, and an apply
// renames it, without a restart.
func TestARenamedContainerGetsItsNameBack(t *testing.T) {
	s := newPod(t)
	s.configure("1", true)
	s.run(0, "apply", "--auto-approve")
	id := s.host.Podman(t, "inspect", "-f", "{{.Id}} {{.State.StartedAt}}", "web")
	s.host.Podman(t, "rename", "web", "other")
	for _, args := range [][]string{{"plan"}, {"drift"}} {
		if out := s.run(0, args...); !strings.Contains(out, "other") || !strings.Contains(out, "name ") {
			t.Errorf("ovi %s shows:\n%s", args[0], out)
		}
	}
	s.run(0, "apply", "--auto-approve")
	s.serving("1")
	if now := s.host.Podman(t, "inspect", "-f", "{{.Id}} {{.State.StartedAt}}", "web"); now != id {
		t.Errorf("it is %s, was %s", now, id)
	}
}

// TestAPodmanThatDoesNotAnswerIsGivenUp: a socket that accepts and is silent holds a plan no longer than
// --timeout, and a URL that is none is named.
func TestAPodmanThatDoesNotAnswerIsGivenUp(t *testing.T) {
	dir := t.TempDir()
	writeConfig(t, dir, fmt.Sprintf(oneContainer, "1", ""))
	l, err := net.Listen("unix", dir+"/silent.sock")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	for host, want := range map[string]string{
		"unix://" + dir + "/silent.sock": "the timeout is over",
		"foo":                            `invalid host "foo" for the host local, from --podman-host or CONTAINER_HOST`,
		"http://x":                       `unknown way to connect to the host "http://x" for the host local`,
	} {
		cmd := ovi(t, dir, "plan", "--timeout", "1s")
		cmd.Env = append(cmd.Env, "CONTAINER_HOST="+host)
		start := time.Now()
		out, err := cmd.CombinedOutput()
		if text := strings.Join(strings.Fields(string(out)), " "); err == nil || !strings.Contains(text, want) || time.Since(start) > 20*time.Second {
			t.Errorf("%s: after %s, %v:\n%s", host, time.Since(start), err, out)
		}
	}
}
