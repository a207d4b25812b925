package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/podmantest"
)

const labeledChart = `version: v1
provider: podman
stack: shop
resources:
  - {type: network, name: back, labels: {team: %[1]s}, subnet: %[3]s}
  - {type: volume, name: data, labels: {team: %[1]s}}
  - type: container
    name: db
    image: ` + podmantest.Image + `
    env: {LEVEL: %[2]s}
    networks: [back]
    volumes: [{name: data, mount_path: /data}]
`

// TestALabelReplacesNoData: another label of a network or volume is recorded and disturbs nothing;
// a network is replaced without its containers.
func TestALabelReplacesNoData(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs containers")
	}
	s := newPod(t)
	const subnet = "10.250.7.0/24"
	configure := func(team, level, subnet string) {
		writeConfig(t, s.dir, fmt.Sprintf(labeledChart, team, level, subnet))
	}
	inspect := func() string { return s.host.Podman(t, "inspect", "-f", "{{.Id}}", "db") }
	configure("shop", "info", subnet)
	s.run(0, "apply", "--auto-approve")
	before := inspect()
	configure("other", "info", subnet)
	plan := strings.Join(strings.Fields(s.run(0, "plan")), " ")
	if !strings.Contains(plan, "labels.team shop -> other") || !strings.Contains(plan, "Plan: 2 to update, 1 unchanged.") {
		t.Errorf("the plan of other labels is:\n%s", plan)
	}
	s.run(0, "apply", "--auto-approve")
	if after := inspect(); after != before {
		t.Error("a label replaced the container")
	}
	if out := s.run(0, "plan"); !strings.Contains(out, "No changes. 3 unchanged.") {
		t.Errorf("recorded, the labels still change:\n%s", out)
	}
	configure("other", "debug", subnet)
	s.run(0, "apply", "--auto-approve")
	before = inspect()
	configure("other", "debug", "10.250.8.0/24")
	if out := s.run(0, "plan"); strings.Contains(out, "container/db  replace") || !strings.Contains(out, "network/back  replace") {
		t.Errorf("the plan of another subnet is:\n%s", out)
	}
	s.run(0, "apply", "--auto-approve")
	if after := inspect(); after != before {
		t.Error("the network replaced the container")
	}
	if out := s.run(0, "plan"); !strings.Contains(out, "No changes. 3 unchanged.") {
		t.Errorf("in another network, there are changes:\n%s", out)
	}
}
