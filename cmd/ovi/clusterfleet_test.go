package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/internal/gitclone/gittest"
	"github.com/ovi-project/ovi/provider/cluster/haproxy/haproxytest"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/kube/kubetest"
	"github.com/ovi-project/ovi/provider/cluster/portainer/portainertest"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// fleetRow is a row of a table.
type fleetRow struct {
	name, provider, subnet string
	nodePort               int
}

// fleetRows are those of the gate: one cluster of each program. With OVI_CLUSTERS=all they are those of
// examples/fleet.
func fleetRows() []fleetRow {
	rows := []fleetRow{{"dev", "k3d", "10.101.0.0/16", 30080}, {"dev-a", "kind", "", 30081}}
	if realFleets() {
		rows = append(rows, fleetRow{"uat", "k3d", "10.102.0.0/16", 30080}, fleetRow{"prod", "k3d", "10.103.0.0/16", 30080},
			fleetRow{"dev-b", "kind", "", 30082}, fleetRow{"dev-c", "kind", "", 30083})
	}
	return rows
}

// fleetSite is a site with a table, a management cluster with Argo CD's definitions, and HAProxy.
type fleetSite struct {
	*clusterSite
	kind, k3d string // images
	rows      []fleetRow
	portainer *portainertest.Fake
	git       *gittest.Repository
	theirs    int // environments of Portainer's by others
}

// settings are those of the example, with the images of tests.
func (f *fleetSite) settings() string {
	f.t.Helper()
	b, err := os.ReadFile("../../examples/fleet/clusters.db.yaml")
	if err != nil {
		f.t.Fatal(err)
	}
	return strings.NewReplacer("kindest/node:v1.31.12", f.kind, "rancher/k3s:v1.31.5-k3s1", f.k3d).Replace(string(b))
}

// quickFleet has clusters with a fake API server.
func quickFleet(t *testing.T) *fleetSite {
	t.Helper()
	return newFleet(t, clustertest.QuickImage, clustertest.QuickK3sImage)
}

// realFleet has clusters with a real kube-apiserver and etcd where all six are created.
func realFleet(t *testing.T) *fleetSite {
	t.Helper()
	if !realFleets() {
		return quickFleet(t)
	}
	return newFleet(t, clustertest.Image, clustertest.K3sImage)
}

func realFleets() bool { return os.Getenv("OVI_CLUSTERS") == "all" }

func newFleet(t *testing.T, kind, k3d string) *fleetSite {
	t.Helper()
	f := &fleetSite{clusterSite: newClusterSite(t), kind: kind, k3d: k3d, rows: fleetRows(), portainer: portainertest.Start(t), git: gittest.New(t)}
	f.git.Commit(map[string]string{"deploy/app.yaml": "one\n"})
	f.environ = []string{"XDG_CACHE_HOME=" + t.TempDir(), "OVI_CLUSTER_GIT_REPO=file://" + f.git.Bare, "OVI_CLUSTER_PORTAINER=" + f.portainer.URL, "OVI_CLUSTER_PORTAINER_TOKEN=" + portainertest.Token}
	f.proxy = haproxytest.Start(t)
	kubetest.InstallArgo(t, f.api)
	sqlitetest.Exec(t, f.database(), sqlitetest.Schema())
	for i, r := range f.rows {
		sqlitetest.Exec(t, f.database(), fmt.Sprintf("INSERT INTO clusters (name, provider, subnet, node_port, pf_port, http_port, https_port) VALUES ('%s', '%s', nullif('%s', ''), %d, %d, %d, %d)",
			r.name, r.provider, r.subnet, r.nodePort, 19001+i, 18090+i, 18443+i))
	}
	if err := os.WriteFile(f.database()+".yaml", []byte(f.settings()), 0o600); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fleetSite) database() string { return filepath.Join(f.dir, "clusters.db") }

// reconcile runs `ovi cluster reconcile`.
func (f *fleetSite) reconcile(want int, args ...string) string {
	f.t.Helper()
	defer f.took("ovi cluster reconcile "+strings.Join(args, " "), time.Now())
	return f.ovi(want, slices.Concat([]string{"cluster", "reconcile", "--log-file", filepath.Join(f.dir, "log"), "--retry-wait", "1s"}, args, []string{f.database()})...)
}

// took logs how long something took.
func (f *fleetSite) took(what string, since time.Time) {
	f.t.Helper()
	f.t.Logf("%s: %v", what, time.Since(since).Round(10*time.Millisecond))
}

func (f *fleetSite) names() (out []string) {
	for _, r := range f.rows {
		out = append(out, r.name)
	}
	slices.Sort(out)
	return out
}

// whole: every cluster answers through HAProxy, Argo CD reaches it by its registration, and has its element.
func (f *fleetSite) whole(names []string) {
	f.t.Helper()
	for _, name := range names {
		f.route(name)
		f.ready(name)
		f.reachable(name)
	}
	if n, _ := f.portainer.Counts(); n != len(names)+f.theirs {
		f.t.Errorf("there are %d environments of Portainer's for %d clusters, and %d of others", n-f.theirs, len(names), f.theirs)
	}
	if diff := cmp.Diff(names, f.elements()); diff != "" {
		f.t.Errorf("elements of the ApplicationSet:\n%s", diff)
	}
	if diff := cmp.Diff(append([]string{"main"}, names...), f.branches()); diff != "" {
		f.t.Errorf("branches:\n%s", diff)
	}
	if diff := cmp.Diff(names, f.registrations()); diff != "" {
		f.t.Errorf("registrations:\n%s", diff)
	}
}

func (f *fleetSite) route(name string) {
	f.t.Helper()
	status, body := f.proxy.Get("whoami." + name + ".example.com")
	if host, _, _ := strings.Cut(body, " answers "); status != 200 || host != name+"-control-plane" && host != "k3d-"+name+"-server-0" {
		f.t.Errorf("the route of %s answers %d %q", name, status, body)
	}
}

// ready asks the API server as a user would, with the kubeconfig that kind or k3d gives.
func (f *fleetSite) ready(name string) {
	f.t.Helper()
	context, args := "k3d-"+name, []string{"k3d", "kubeconfig", "get", name}
	if f.rowOf(name).provider == "kind" {
		context, args = "kind-"+name, []string{"kind", "get", "kubeconfig", "--name", name}
	}
	config, err := kube.Parse([]byte(f.output(args[0], args[1:]...)), context, "")
	var api *kube.Client
	if err == nil {
		api, err = kube.New(config)
	}
	if err == nil {
		err = api.Ready(f.t.Context())
	}
	version := ""
	if err == nil {
		version, err = api.Version(f.t.Context())
	}
	if fake := strings.HasSuffix(version, "-fake"); err != nil || fake != (f.kind == clustertest.QuickImage) {
		f.t.Errorf("%s at %s has the version %q: %v", name, config.Server, version, err)
	}
}

func (f *fleetSite) rowOf(name string) fleetRow {
	return f.rows[slices.IndexFunc(f.rows, func(r fleetRow) bool { return r.name == name })]
}

// reachable asks the API server as Argo CD would.
func (f *fleetSite) reachable(name string) {
	f.t.Helper()
	var s struct{ Data map[string][]byte }
	if err := f.api.Get(f.t.Context(), "/api/v1/namespaces/argocd/secrets/cluster-"+name, nil, &s); err != nil {
		f.t.Error(err)
		return
	}
	var config struct {
		TLS struct {
			ServerName                string
			CAData, CertData, KeyData []byte
		} `json:"tlsClientConfig"`
	}
	err := json.Unmarshal(s.Data["config"], &config)
	var api *kube.Client
	if err == nil {
		api, err = kube.New(kube.Config{Server: string(s.Data["server"]), ServerName: config.TLS.ServerName, CA: config.TLS.CAData, Cert: config.TLS.CertData, Key: config.TLS.KeyData})
	}
	if err == nil {
		err = api.Ready(f.t.Context())
	}
	if err == nil {
		err = f.hasAgent(api, name)
	}
	if err != nil {
		f.t.Errorf("Argo CD cannot reach %s at %s: %v", name, s.Data["server"], err)
	}
}

// hasAgent: the cluster has the agent of its environment, with its ID, and the key is in a secret.
func (f *fleetSite) hasAgent(api *kube.Client, name string) error {
	var agent, key json.RawMessage
	err := api.Get(f.t.Context(), "/apis/apps/v1/namespaces/portainer/deployments/portainer-agent-"+name, nil, &agent)
	if err == nil {
		err = api.Get(f.t.Context(), "/api/v1/namespaces/portainer/secrets/portainer-agent-"+name, nil, &key)
	}
	if err == nil && !strings.Contains(string(agent), `{"name":"EDGE_ID","value":"`) {
		err = fmt.Errorf("its agent has no ID: %s", agent)
	}
	return err
}

func (f *fleetSite) registrations() []string {
	f.t.Helper()
	var all struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	query := url.Values{"labelSelector": {"argocd.argoproj.io/secret-type=cluster,type=business"}}
	if err := f.api.Get(f.t.Context(), "/api/v1/namespaces/argocd/secrets", query, &all); err != nil {
		f.t.Fatal(err)
	}
	out := []string{}
	for _, s := range all.Items {
		out = append(out, strings.TrimPrefix(s.Metadata.Name, "cluster-"))
	}
	slices.Sort(out)
	return out
}

// branches are those of the repository, the default one first.
func (f *fleetSite) branches() []string {
	all := strings.Fields(f.git.Git("-C", f.git.Bare, "for-each-ref", "--format=%(refname:short)", "refs/heads/"))
	return append([]string{"main"}, slices.DeleteFunc(all, func(name string) bool { return name == "main" })...)
}

func (f *fleetSite) elements() []string {
	f.t.Helper()
	var set struct {
		Spec struct {
			Generators []struct {
				List struct{ Elements []struct{ Env string } }
			}
		}
	}
	if err := f.api.Get(f.t.Context(), "/apis/argoproj.io/v1alpha1/namespaces/argocd/applicationsets/whoami", nil, &set); err != nil {
		f.t.Fatal(err)
	}
	out := []string{}
	for _, g := range set.Spec.Generators {
		for _, e := range g.List.Elements {
			out = append(out, e.Env)
		}
	}
	slices.Sort(out)
	return out
}

// TestAFleetFromATable: from nothing; nothing to do; all clusters removed by hand; a row that is to be absent;
// a row that was deleted. What others made stays. kind, k3d, Podman, HAProxy, Argo CD's definitions and the
// management cluster's kube-apiserver are real; Portainer is a fake. In the clusters of the gate a fake API server
// answers; with OVI_CLUSTERS=all each of the six has a real kube-apiserver and etcd.
func TestAFleetFromATable(t *testing.T) {
	f := realFleet(t)
	f.foreign()
	f.reconcile(0)
	f.whole(f.names())
	started := time.Now()
	f.shows(f.ovi(0, "plan", f.database()), "No changes.")
	f.took("a plan with nothing to do", started)
	f.ovi(0, "cluster", "consistency", f.database())

	if realFleets() {
		f.removedByHand()
	}

	sqlitetest.Exec(t, f.database(), "UPDATE clusters SET desired_state = 'absent' WHERE name = 'dev-a'")
	f.inOrder(f.ovi(0, "apply", "--auto-approve", f.database()), "applicationset/whoami", "argocd_secret/dev-a", "cluster/dev-a")
	without := slices.DeleteFunc(f.names(), func(name string) bool { return name == "dev-a" })
	f.whole(without)
	f.ovi(0, "cluster", "consistency", f.database())

	sqlitetest.Exec(t, f.database(), "DELETE FROM clusters WHERE name = 'dev'")
	f.shows(f.reconcile(11), "--prune-missing deletes it")
	f.route("dev")
	f.reconcile(0, "--prune-missing", "--max-prune", "100%")
	f.whole(slices.DeleteFunc(without, func(name string) bool { return name == "dev" }))
	if status, _ := f.proxy.Get("whoami.dev.example.com"); status != 404 {
		t.Errorf("the route of the deleted row answers %d", status)
	}
	f.foreignIsThere()
}

// removedByHand: one run brings all clusters back, with all that is around them. Beside it, for its time, the
// clusters are created in a plain loop.
func (f *fleetSite) removedByHand() {
	f.t.Helper()
	f.deleteByHand()
	f.ovi(1, "cluster", "consistency", f.database())
	started := time.Now()
	for i, r := range f.rows {
		if r.provider == "kind" {
			f.byHand("kind", "create", "cluster", "--name", r.name, "--image", f.kind, "--wait", "60s")
			continue
		}
		f.byHand("k3d", "cluster", "create", r.name, "--image", f.k3d, "--subnet", r.subnet, "--port", fmt.Sprintf("%d:80@loadbalancer", 18090+i), "--kubeconfig-update-default=false")
	}
	f.took("a plain loop of kind and k3d", started)
	f.deleteByHand()
	f.reconcile(0)
	f.whole(f.names())
}

func (f *fleetSite) deleteByHand() {
	f.t.Helper()
	for _, r := range f.rows {
		if r.provider == "kind" {
			f.byHand("kind", "delete", "cluster", "--name", r.name)
		} else {
			f.byHand("k3d", "cluster", "delete", r.name)
		}
	}
}

// inOrder: the lines of what was done come in this order.
func (f *fleetSite) inOrder(out string, refs ...string) {
	f.t.Helper()
	_, done, _ := strings.Cut(out, "\nPlan: ")
	at := -1
	for _, ref := range refs {
		i := -1
		for n, line := range strings.Split(done, "\n") {
			if strings.Contains(line, ref) && (strings.Contains(line, "deleted") || strings.Contains(line, "updated")) {
				i = n
			}
		}
		if i <= at {
			f.t.Fatalf("%s is not done in its order:\n%s", ref, out)
		}
		at = i
	}
}

// foreign makes a registration of Argo CD and a backend of HAProxy's that are not ovi's.
func (f *fleetSite) foreign() {
	f.t.Helper()
	s := json.RawMessage(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"cluster-theirs","labels":{"argocd.argoproj.io/secret-type":"cluster"}},"stringData":{"server":"https://10.0.0.1"}}`)
	if err := f.api.PatchAs(f.t.Context(), "theirs", "/api/v1/namespaces/argocd/secrets/cluster-theirs", s, new(json.RawMessage)); err == nil {
		return
	}
	if err := f.api.Apply(f.t.Context(), "/api/v1/namespaces/argocd/secrets/cluster-theirs", s, new(json.RawMessage)); err != nil {
		f.t.Fatal(err)
	}
	f.portainer.Put("theirs")
	f.theirs++
	f.add("ovi.cfg", "backend be_theirs\n\tserver s1 127.0.0.1:9\n")
	f.add("routes.map", "theirs be_theirs\n")
}

func (f *fleetSite) add(name, text string) {
	f.t.Helper()
	path := filepath.Join(f.proxy.Folder.Path, name)
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, append(b, text...), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fleetSite) foreignIsThere() {
	f.t.Helper()
	if server, _ := f.secretOf("cluster-theirs"); server != "https://10.0.0.1" {
		f.t.Errorf("the registration of another program has the server %q", server)
	}
	for name, want := range map[string]string{"ovi.cfg": "backend be_theirs\n\tserver s1 127.0.0.1:9\n", "routes.map": "theirs be_theirs\n"} {
		b, err := os.ReadFile(filepath.Join(f.proxy.Folder.Path, name))
		if err != nil || !strings.Contains(string(b), want) {
			f.t.Errorf("%s has lost what was in it: %v\n%s", name, err, b)
		}
	}
}

func (f *fleetSite) secretOf(name string) (server string, err error) {
	var s struct{ Data map[string][]byte }
	err = f.api.Get(f.t.Context(), "/api/v1/namespaces/argocd/secrets/"+name, nil, &s)
	return string(s.Data["server"]), err
}
