package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/internal/needs"
	"github.com/ovi-project/ovi/provider/cluster/kube"
)

// TestTheManagementClusterOfTheFleet runs the example's script with real k3d and kubectl: the context that the settings
// name answers and has the definitions of Argo CD, also after a second run and after the cluster was stopped, and the
// context of the user stays the current one.
func TestTheManagementClusterOfTheFleet(t *testing.T) {
	needs.Program(t, "kubectl")
	e := clustertest.Start(t)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	mine := "apiVersion: v1\nkind: Config\ncurrent-context: mine\nclusters: []\nusers: []\ncontexts: []\n"
	if err := os.WriteFile(kubeconfig, []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(program string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = append(e.Env(), "KUBECONFIG="+kubeconfig, "MANAGEMENT_IMAGE="+clustertest.K3sImage, "ARGOCD_DEFINITIONS="+filepath.Dir(clustertest.ArgoDefinitions(t)[0]))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", program, err, out)
		}
	}
	for _, before := range []string{"nothing", "it", "it, stopped"} {
		if before == "it, stopped" {
			run(filepath.Join(e.Bin, "k3d"), "cluster", "stop", "devops")
		}
		run("../../examples/fleet/management.sh")
		text, err := os.ReadFile(kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		config, err := kube.Parse(text, "k3d-devops", "")
		var api *kube.Client
		if err == nil {
			api, err = kube.New(config)
		}
		var all struct{ Items []struct{} }
		if err == nil {
			err = api.Get(t.Context(), "/apis/argoproj.io/v1alpha1/namespaces/argocd/applicationsets", nil, &all)
		}
		if err != nil {
			t.Errorf("with %s before: %v", before, err)
		}
		if _, err := kube.Parse(text, "", ""); err == nil {
			t.Errorf("with %s before the current context is another one", before)
		}
	}
}
