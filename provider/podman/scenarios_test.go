package podman_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/internal/podmantest"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

const scenariosFile = "testdata/scenarios.json"

// shopWith is a network, a volume and a container on both, with attributes of its own.
func shopWith(set values) func(*real) []one {
	return func(r *real) []one {
		web := values{
			"image": text(podmantest.Image), "networks": resource.List{r.of("network", "back")},
			"volumes": resource.List{object(values{"name": r.of("volume", "data"), "mount_path": text("/data")})},
		}
		for k, v := range set {
			web[k] = v
		}
		return []one{{"back", "network", values{}}, {"data", "volume", values{}}, {"web", "container", web}}
	}
}

func some(all ...one) func(*real) []one { return func(*real) []one { return all } }

// vault is a secret and a container that reads it.
func vault(value string) func(*real) []one {
	return func(r *real) []one {
		return []one{
			{"pass", "secret", values{"data": object(values{"PASS": secretOf(value)})}},
			{"web", "container", values{
				"image":   text(podmantest.Image),
				"secrets": resource.List{object(values{"name": r.of("secret", "pass"), "path": text("/etc/pass")})},
			}},
		}
	}
}

func must(r *real, err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func scenarios() []scenario {
	whole := []string{"container/web healthy", "network/back healthy", "volume/data healthy"}
	sick := object(values{"command": texts("false"), "interval_seconds": resource.Int(1), "retries": resource.Int(1)})
	return []scenario{
		{
			name: "nothing exists", desired: shopWith(nil), left: whole,
			actions: []string{"create network/back", "create volume/data", "create container/web"},
		},
		{name: "all matches", initial: shopWith(nil), desired: shopWith(nil), left: whole},
		{
			name: "a container was stopped", initial: shopWith(nil), desired: shopWith(nil), left: whole,
			byHand: func(r *real, c *libpod.Client) {
				must(r, c.StopContainer(r.context(), r.ids[r.ref("container", "web")], time.Second))
			},
			actions: []string{"restart container/web: state"},
		},
		{
			name: "a container was removed", initial: shopWith(nil), desired: shopWith(nil), left: whole,
			byHand: func(r *real, c *libpod.Client) {
				must(r, c.StopContainer(r.context(), r.ids[r.ref("container", "web")], time.Second))
				must(r, c.RemoveContainer(r.context(), r.ids[r.ref("container", "web")]))
			},
			actions: []string{"create container/web"},
		},
		{
			name: "a network was disconnected", initial: shopWith(nil), desired: shopWith(nil), left: whole,
			byHand: func(r *real, c *libpod.Client) {
				must(r, c.Disconnect(r.context(), "back", r.ids[r.ref("container", "web")]))
			},
			actions: []string{"update container/web: networks"},
		},
		{
			name: "another environment", initial: shopWith(nil), left: whole,
			desired: shopWith(values{"env": object(values{"A": text("1")})}),
			actions: []string{"replace container/web: env.A"},
		},
		{
			name: "labels of a volume", initial: some(one{"data", "volume", values{}}), left: []string{"volume/data healthy"},
			desired: some(one{"data", "volume", values{"labels": object(values{"team": text("shop")})}}),
			actions: []string{"update volume/data: labels.team"},
		},
		{
			name: "a secret is rotated", initial: vault("fake-1"), desired: vault("fake-2"),
			actions: []string{"replace secret/pass: data.PASS", "replace container/web: secrets"},
			left:    []string{"container/web healthy", "secret/pass healthy"},
		},
		{
			name: "orphans", initial: shopWith(nil), desired: some(), left: []string{"volume/data healthy"},
			actions: []string{"delete network/back", "delete container/web"},
		},
		{
			name: "an orphaned volume is pruned", initial: some(one{"data", "volume", values{}}), desired: some(), prune: true,
			actions: []string{"delete volume/data"},
		},
		{
			name: "a pod with a container", left: []string{"container/in healthy", "pod/group healthy"},
			desired: func(r *real) []one {
				return []one{
					{"group", "pod", values{}},
					{"in", "container", values{"image": text(podmantest.Image), "pod": r.of("pod", "group")}},
				}
			},
			actions: []string{"create pod/group", "create container/in"},
		},
		{
			name: "an image that does not exist", left: []string{"network/back healthy", "volume/data healthy"},
			desired: shopWith(values{"image": text("localhost/none:1"), "image_pull_policy": text("Never")}),
			actions: []string{"create network/back", "create volume/data", "create container/web"},
			errors: []string{
				"container/web: configuration: check: the image localhost/none:1 is not on the host, and image_pull_policy is Never; " +
					"Suggestion: pull it on the host, or set image_pull_policy",
			},
		},
		{
			name: "a container of others has the name",
			byHand: func(r *real, c *libpod.Client) {
				_, err := c.CreateContainer(r.context(), &libpod.ContainerSpec{Name: "web", Image: podmantest.Image})
				must(r, err)
			},
			desired: some(one{"web", "container", values{"image": text(podmantest.Image)}}),
			errors:  []string{"container/web: conflict: exists and is unmanaged"},
			left:    []string{"container/web stopped"},
		},
		{
			name: "a new container that does not become healthy", initial: shopWith(nil), left: whole,
			desired: shopWith(values{"health": sick}),
			actions: []string{"replace container/web: health"},
			errors:  []string{"container/web: : goes back: unhealthy: the check ended with 1"},
		},
	}
}

// tape is what was recorded of the scenarios. Most answers come more than once: those of an exchange are
// indices into Answers.
type tape struct {
	Answers   []string              `json:"answers"`
	Scenarios map[string][]exchange `json:"scenarios"`
}

func readTape(t *testing.T) map[string][]exchange {
	t.Helper()
	var tape tape
	b, err := os.ReadFile(filepath.FromSlash(scenariosFile))
	if err == nil {
		err = json.Unmarshal(b, &tape)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range tape.Scenarios {
		for i := range all {
			n, err := strconv.Atoi(all[i].Answer)
			if err != nil || n >= len(tape.Answers) {
				t.Fatalf("%s has no answer %q", scenariosFile, all[i].Answer)
			}
			all[i].Answer = tape.Answers[n]
		}
	}
	return tape.Scenarios
}

func writeTape(t *testing.T, all map[string][]exchange, dir string) {
	t.Helper()
	tape, index := tape{Scenarios: all}, map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for i := range all[name] {
			x := &all[name][i]
			n, known := index[x.Answer]
			if !known {
				n = len(tape.Answers)
				index[x.Answer] = n
				tape.Answers = append(tape.Answers, strings.ReplaceAll(x.Answer, dir, "/var/lib/containers"))
			}
			x.Answer = strconv.Itoa(n)
		}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(tape)
	if err == nil {
		err = os.WriteFile(filepath.FromSlash(scenariosFile), out.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func playScenario(t *testing.T, s scenario, transport http.RoundTripper, clock func() time.Time) {
	a := &actor{real: over(t, transport, clock), configured: map[resource.Ref]resource.Attrs{}}
	a.run(s, libpod.New(transport))
}

// TestScenarios: each manager and the core decide and do what the table says, on what a real Podman
// answered.
func TestScenarios(t *testing.T) {
	if *record {
		recordScenarios(t)
		return
	}
	recorded := readTape(t)
	for _, s := range scenarios() {
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := playOf(t, recorded[s.name])
				playScenario(t, s, p, p.clock)
			})
		})
	}
}

func recordScenarios(t *testing.T) {
	recorded, dir := map[string][]exchange{}, ""
	for _, s := range scenarios() {
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			h := podmantest.Start(t)
			rec := &recorder{to: engineapi.Unix(h.Socket)}
			playScenario(t, s, rec, time.Now)
			recorded[s.name], dir = rec.all, h.Dir
		})
	}
	if !t.Failed() {
		writeTape(t, recorded, dir)
	}
}
