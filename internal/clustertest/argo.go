package clustertest

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
)

// The module that Argo CD's definitions are taken from.
const (
	argoModule = "github.com/argoproj/argo-cd/v3@v3.1.8"
	argoSum    = "h1:NkLPiRI5qGkV+q1EN3O7/0Wb9O/MVl62vadKteZqMUw="
)

// ArgoDefinitions are the files with the definitions of Argo CD's kinds. Nothing of Argo CD runs.
func ArgoDefinitions(t testing.TB) []string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", argoModule)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	var m struct{ Dir, Sum, Error string }
	if err == nil {
		err = json.Unmarshal(out, &m)
	}
	if err != nil || m.Sum != argoSum {
		t.Fatalf("download %s: %v: sum %q: %s", argoModule, err, m.Sum, m.Error)
	}
	files, err := filepath.Glob(filepath.Join(m.Dir, "manifests", "crds", "*-crd.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no definitions: %v", m.Dir, err)
	}
	return files
}
