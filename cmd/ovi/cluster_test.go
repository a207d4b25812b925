package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/provider/cluster/haproxy/haproxytest"
	"github.com/ovi-project/ovi/provider/cluster/kube"
)

// clusterSite is a configuration of clusters on an engine of its own, with a management cluster.
type clusterSite struct {
	t          *testing.T
	e          *clustertest.Engine
	dir        string
	kubeconfig string // of the management cluster
	api        *kube.Client
	proxy      *haproxytest.Proxy
	environ    []string // more of it
}

// newClusterSite makes a management cluster by hand: a real kube-apiserver and etcd, and the namespace of Argo CD.
func newClusterSite(t *testing.T) *clusterSite {
	t.Helper()
	f := &clusterSite{t: t, e: clustertest.Start(t), dir: t.TempDir()}
	f.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	f.byHand("kind", "create", "cluster", "--name", "devops", "--image", clustertest.Image)
	text, err := os.ReadFile(f.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config, err := kube.Parse(text, "kind-devops", "")
	if err != nil {
		t.Fatal(err)
	}
	if f.api, err = kube.New(config); err != nil {
		t.Fatal(err)
	}
	namespace := json.RawMessage(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"argocd"}}`)
	if err := f.api.Apply(t.Context(), "/api/v1/namespaces/argocd", namespace, new(json.RawMessage)); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *clusterSite) byHand(program string, args ...string) {
	f.t.Helper()
	f.output(program, args...)
}

// output runs kind or k3d as a user would, and returns what it prints.
func (f *clusterSite) output(program string, args ...string) string {
	f.t.Helper()
	return f.e.Run(f.t, f.kubeconfig, program, args...)
}

func (f *clusterSite) command(args ...string) *exec.Cmd {
	cmd := ovi(f.t, f.dir, args...)
	cmd.Env = append(cmd.Env, f.e.Env()...)
	cmd.Env = append(cmd.Env, "OVI_CLUSTER_MANAGEMENT=kind-devops", "OVI_CLUSTER_KUBECONFIG="+f.kubeconfig)
	cmd.Env = append(cmd.Env, f.environ...)
	if f.proxy != nil {
		to := f.proxy.Folder
		cmd.Env = append(cmd.Env, "OVI_CLUSTER_HAPROXY="+to.Path, "OVI_CLUSTER_HAPROXY_SOCKET="+to.Socket, "OVI_CLUSTER_HAPROXY_MASTER="+to.Master)
	}
	return cmd
}

func (f *clusterSite) ovi(want int, args ...string) string {
	f.t.Helper()
	cmd := f.command(args...)
	out, err := cmd.CombinedOutput()
	got := 0
	if err != nil {
		got = cmd.ProcessState.ExitCode()
	}
	if got != want {
		f.t.Fatalf("ovi %s: exit %d, want %d\n%s", strings.Join(args, " "), got, want, out)
	}
	return string(out)
}

func (f *clusterSite) shows(out string, want ...string) {
	f.t.Helper()
	for _, w := range want {
		if !strings.Contains(out, w) {
			f.t.Errorf("the output lacks %q:\n%s", w, out)
		}
	}
}

// registered is the server and the certificate of a secret of Argo CD; "" if there is none.
func (f *clusterSite) registered(name string) (server, cert string) {
	f.t.Helper()
	var s struct{ Data map[string][]byte }
	err := f.api.Get(f.t.Context(), "/api/v1/namespaces/argocd/secrets/cluster-"+name, nil, &s)
	if kube.IsNotFound(err) {
		return "", ""
	}
	var config struct{ TLSClientConfig struct{ CertData string } }
	if err == nil {
		err = json.Unmarshal(s.Data["config"], &config)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return string(s.Data["server"]), config.TLSClientConfig.CertData
}

const twoClusters = `version: v1
stack: fleet
provider: cluster
resources:
  - type: cluster
    name: dev-a
    spec: {provider: kind, image: ` + clustertest.QuickImage + `, node_port: 30081}
  - type: argocd_secret
    name: dev-a
    location: management
    server: https://dev-a-control-plane:6443
    kubeconfig: ${cluster/local/cluster/dev-a.kubeconfig}
    labels: {env: dev-a, ip: "${cluster/local/cluster/dev-a.server_ip}"}
`

// TestClustersAreMadeAndHealed, by one apply each: from nothing, with what depends on the cluster; after a
// stop; after it was deleted by hand; and torn down in order. The engine, kind, Podman and the management
// cluster's kube-apiserver are real; nothing runs in the clusters.
func TestClustersAreMadeAndHealed(t *testing.T) {
	f := newClusterSite(t)
	writeConfig(t, f.dir, twoClusters)
	f.shows(f.ovi(0, "apply", "--auto-approve"), "cluster/dev-a", "argocd_secret/dev-a", "Apply complete: 2 created.")
	server, first := f.registered("dev-a")
	if server != "https://dev-a-control-plane:6443" || first == "" {
		t.Errorf("Argo CD has the server %s and %d letters of a certificate", server, len(first))
	}
	f.shows(f.ovi(0, "plan"), "No changes. 2 unchanged.")

	f.e.Podman(t, "stop", "dev-a-control-plane")
	f.shows(f.ovi(0, "plan"), "stopped -> running")
	f.shows(f.ovi(0, "apply", "--auto-approve"), "Apply complete: 2 updated.") // the address too
	f.shows(f.ovi(0, "plan"), "No changes. 2 unchanged.")

	f.byHand("kind", "delete", "cluster", "--name", "dev-a")
	f.ovi(0, "apply", "--auto-approve")
	if _, second := f.registered("dev-a"); second == first || second == "" {
		t.Error("after the cluster was created again Argo CD has the certificate of the first")
	}
	f.shows(f.ovi(0, "plan"), "No changes. 2 unchanged.")
	f.secretsStayOut(first)

	writeConfig(t, f.dir, "version: v1\nstack: fleet\nprovider: cluster\nresources: []\n")
	out := f.ovi(0, "apply", "--auto-approve")
	f.shows(out, "DATA LOSS: everything in the cluster", "Apply complete: 2 deleted.")
	if first, then, ok := strings.Cut(out, "deleted cluster-dev-a"); !ok || strings.Contains(first, "cluster/dev-a        deleting") || !strings.Contains(then, "deleting") {
		t.Errorf("the cluster is not deleted after its registration:\n%s", out)
	}
	if server, _ := f.registered("dev-a"); server != "" {
		t.Error("Argo CD still has the cluster")
	}
	if left := f.e.Podman(t, "ps", "-a", "--format", "{{.Names}}"); left != "devops-control-plane" {
		t.Errorf("containers: %s", left)
	}
}

// secretsStayOut: no file of the data directory has the certificate that Argo CD got.
func (f *clusterSite) secretsStayOut(secret string) {
	f.t.Helper()
	files := 0
	err := filepath.WalkDir(f.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), secret[:64]) {
			f.t.Errorf("%s has the certificate", path)
		}
		return err
	})
	if err != nil || files == 0 {
		f.t.Errorf("%s files read: %v", strconv.Itoa(files), err)
	}
}
