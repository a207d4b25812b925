package cluster_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/resource"
)

// script writes a command.
func script(t *testing.T, lines ...string) []string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "command.sh")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+strings.Join(lines, "\n")+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return []string{name, "an argument"}
}

// empty is a provider with commands on an engine without containers, which is a fake of three answers.
func empty(t *testing.T, hooks cluster.Hooks) (*cluster.Provider, resource.Scope) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "engine.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/_ping") || strings.HasSuffix(q.URL.Path, "/volumes") {
			_, _ = w.Write([]byte("{}"))
			return
		}
		_, _ = w.Write([]byte("[]"))
	})}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	url := "unix://" + socket
	return cluster.New(cluster.Options{
		Engine: url, Environ: os.Environ, Hooks: hooks,
	}), resource.Scope{Provider: cluster.Name, Location: url}
}

// TestACommandThatCreatesNothingFails, whatever it ends with, and kind is not needed for it.
func TestACommandThatCreatesNothingFails(t *testing.T) {
	for want, words := range map[string][]string{
		"it ended with 0, and kind has no cluster dev": {"true"},
		"exit status 3:\nno disk dev 30081 unset": script(t,
			`echo "no disk $CLUSTER_NAME $CLUSTER_NODE_PORT ${CLUSTER_HTTP_PORT-unset}"`, "exit 3"),
		"no-such-command is missing in PATH": {"no-such-command"},
	} {
		p, scope := empty(t, cluster.Hooks{Create: words})
		d := resource.Desired{
			Ref:   resource.Ref{Stack: "fleet", Provider: cluster.Name, Location: scope.Location, Kind: "cluster", Name: "dev"},
			Attrs: resource.AttrsOf(values{"provider": text("kind"), "node_port": resource.Int(30081)}),
		}
		q := provider.Request{Key: "k", Desired: d}
		if err := p.Check(t.Context(), q); err != nil {
			t.Errorf("check: %v", err)
		}
		if _, err := p.Create(t.Context(), q); provider.Passes(err) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", words, err, want)
		}
	}
}

// TestLostOutputIsTriedAgain: podman can lose what kind reads in a node, which is no reason to fail. Another
// failure is shown at once.
func TestLostOutputIsTriedAgain(t *testing.T) {
	for _, c := range []struct {
		said  string
		tries int
		cause provider.Cause
	}{
		{"panic: runtime error: index out of range [0] with length 0", 3, provider.Unreachable},
		{
			"ERROR: failed to create cluster: failed to get kubernetes version from node: file should only be one line, got 0 " +
				"lines",
			3, provider.Unreachable,
		},
		{"ERROR: failed to create cluster: node(s) already exist for a cluster with the name \"dev\"", 1, provider.InUse},
	} {
		dir := t.TempDir()
		kind := "#!/bin/sh\n[ \"$1\" = create ] || { echo \"$*\" >>" + dir + "/other; exit 0; }\necho try >>" + dir + "/tries\necho '" + c.said + "'\nexit 1\n"
		if err := os.WriteFile(filepath.Join(dir, "kind"), []byte(kind), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
		p, scope := empty(t, cluster.Hooks{})
		d := resource.Desired{
			Ref:   resource.Ref{Stack: "fleet", Provider: cluster.Name, Location: scope.Location, Kind: "cluster", Name: "dev"},
			Attrs: resource.AttrsOf(values{"provider": text("kind")}),
		}
		_, err := p.Create(t.Context(), provider.Request{Key: "k", Desired: d})
		if provider.CauseOf(err) != c.cause || !strings.Contains(err.Error(), c.said) {
			t.Errorf("%v", err)
		}
		if b, err := os.ReadFile(filepath.Join(dir, "tries")); err != nil || strings.Count(string(b), "try") != c.tries {
			t.Errorf("%s: tried %q, %v; want %d", c.said, b, err, c.tries)
		}
		panics := strings.Contains(c.said, "panic")
		if b, err := os.ReadFile(filepath.Join(dir, "other")); panics && (err != nil || strings.Count(string(b), "delete cluster --name dev") != 2) {
			t.Errorf("%s: what it left was not removed before each try: %q, %v", c.said, b, err)
		}
	}
}

// TestCommandsOfTheUser create, verify and delete a cluster of a real kind. What they left is observed: a
// deletion that ends with 0 and deletes nothing fails, and a cluster that is not verified is uncertain.
func TestCommandsOfTheUser(t *testing.T) {
	e := clustertest.Quick(t)
	note := filepath.Join(t.TempDir(), "note")
	hooks := cluster.Hooks{
		Create: script(t, // more than once: podman exec may lose the output of kind's
			"for try in 1 2 3; do",
			`  kind create cluster --name "$CLUSTER_NAME" --image "$CLUSTER_IMAGE" --kubeconfig "$HOME/theirs" && exit 0`,
			`  kind delete cluster --name "$CLUSTER_NAME"`,
			"done; exit 1"),
		Verify: script(t, `grep -q "current-context: kind-$CLUSTER_NAME" "$KUBECONFIG" && echo "$1" >`+note),
		Delete: []string{"true"},
	}
	on := func(h cluster.Hooks) *real {
		r := newReal(t, e)
		r.p = cluster.New(cluster.Options{Engine: r.scope.Location, Environ: e.Env, Hooks: h})
		return r
	}
	r := on(hooks)
	d := r.desired("alpha", values{"provider": text("kind"), "image": text(clustertest.QuickImage)})
	made := r.create(d)
	if b, err := os.ReadFile(note); made.Health != resource.Healthy || string(b) != "an argument\n" {
		t.Errorf("created it is %s; the verification noted %q, %v", made.Health, b, err)
	}
	q := r.request(d)
	q.Have = made
	if err := r.p.Delete(r.context(), q); err == nil ||
		!strings.Contains(err.Error(), "delete_command deleted the cluster, and 1 of its containers are left") {
		t.Errorf("a deletion that deletes nothing: %v", err)
	}
	hooks.Verify = []string{"false"}
	r.e.Podman(t, "stop", "alpha-control-plane")
	have, _ := r.find("alpha")
	q.Have, q.Changes = have, []resource.Change{running(t, have)}
	if _, err := on(hooks).p.Update(r.context(), q); provider.CauseOf(err) != provider.UnknownResult ||
		!strings.Contains(err.Error(), "verify_command") {
		t.Errorf("a verification that fails: %v", err)
	}
	hooks.Delete = script(t,
		`kind delete cluster --name "$CLUSTER_NAME" --kubeconfig "$HOME/theirs"; echo "$CLUSTER_PROVIDER gone"`)
	var said []string
	q.Progress = func(p provider.Progress) { said = append(said, p.Text) }
	if err := on(hooks).p.Delete(r.context(), q); err != nil {
		t.Errorf("delete: %v", err)
	}
	if _, exists := r.find("alpha"); exists || !slices.Contains(said, "kind gone") {
		t.Errorf("it exists: %v; the command printed %q", exists, said)
	}
}

// TestTheCommandsOfTheOptions: words, or a list in JSON.
func TestTheCommandsOfTheOptions(t *testing.T) {
	open := func(text string) error {
		_, err := cluster.Entry().Open(t.Context(), provider.Config{Options: func(key string) string {
			if key == "verify-command" {
				return text
			}
			return ""
		}})
		return err
	}
	for _, good := range []string{"", "true", "create.sh -n dev", `["create.sh", "two words"]`} {
		if err := open(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"[", "[]", `[""]`, `["a", 1]`} {
		if err := open(bad); err == nil || !strings.Contains(err.Error(), "invalid --cluster-verify-command") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
