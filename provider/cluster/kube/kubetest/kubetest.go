// Package kubetest prepares clusters for tests.
package kubetest

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/provider/cluster/kube"
)

// InstallArgo makes the namespace and the definitions of Argo CD in a cluster, and returns once it serves
// them. Nothing of Argo CD runs.
func InstallArgo(t testing.TB, api *kube.Client) {
	t.Helper()
	Namespace(t, api, "argocd")
	for _, file := range clustertest.ArgoDefinitions(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any // of any kind
		if err := yaml.Unmarshal(text, &object); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		meta, _ := object["metadata"].(map[string]any)
		name, _ := meta["name"].(string)
		if err := api.Apply(t.Context(), "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"+name, object,
			new(json.RawMessage)); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	for _, kind := range []string{"applications", "applicationsets", "appprojects"} {
		path := "/apis/argoproj.io/v1alpha1/namespaces/argocd/" + kind
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			err := api.Get(t.Context(), path, nil, new(json.RawMessage))
			if err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal(err)
			}
		}
	}
}

// Namespace makes a namespace.
func Namespace(t testing.TB, api *kube.Client, name string) {
	t.Helper()
	object := json.RawMessage(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"` + name + `"}}`)
	if err := api.Apply(t.Context(), "/api/v1/namespaces/"+name, object, new(json.RawMessage)); err != nil {
		t.Fatal(err)
	}
}
