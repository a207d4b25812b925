package compose_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
	"github.com/ovi-project/ovi/source/compose"
)

// TestLaw9_NoVariableOfAComposeFileIsPublic imports variables in every form of Compose. The chart declares none of
// them public, and its resources have them as secrets only.
func TestLaw9_NoVariableOfAComposeFileIsPublic(t *testing.T) {
	for name, service := range map[string]string{
		"env_file":       "env_file: db.env",
		"env_file, list": "env_file: [{path: db.env}]",
		"outside":        "env_file: ../outside.env",
		"of the host":    "environment: [PASSWORD]",
		"null":           "environment: {PASSWORD: }",
		"literal":        "environment: {PASSWORD: Canary7f3kQa}",
		"variable":       "environment: {PASSWORD: 'x${PASSWORD:-Canary7f3kQa}'}",
		"both":           "environment: {PASSWORD: Canary7f3kQa}, env_file: db.env",
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			dir := filepath.Join(top, "p")
			write(t, filepath.Join(dir, "db.env"), []byte("# a comment\nPASSWORD=Canary7f3kQa\nEMPTY=\n"))
			write(t, filepath.Join(top, "outside.env"), []byte("PASSWORD=Canary7f3kQa\n"))
			into := filepath.Join(dir, "out")
			got, err := compose.Import(compose.Input{
				Name: "compose.yaml", Dir: dir, Into: into,
				Text: "services:\n  web: " + block(service) + "\n",
			})
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range got.Files {
				if strings.Contains(text, "public") {
					t.Errorf("%s: %s", file, text)
				}
				write(t, filepath.Join(into, file), []byte(text))
			}
			opts := options()
			opts.Env = func(string) (string, bool) { return "Canary7f3kQa", true }
			intents, err := source.Load(context.Background(), chart.New([]string{into}, opts))
			if err != nil {
				t.Fatal(err)
			}
			secrets := 0
			for _, d := range intents[0].Resources {
				if d.Ref.Kind == "secret" {
					secrets++
					data := d.Attrs.Object("data")
					if v, _ := data.Get("PASSWORD"); v == nil {
						t.Errorf("%s has no PASSWORD", d.Ref)
					} else if _, ok := v.(resource.Secret); !ok {
						t.Errorf("%s has PASSWORD as %T", d.Ref, v)
					}
				}
			}
			if secrets != 1 {
				t.Errorf("%d secrets, not 1", secrets)
			}
		})
	}
}

// block returns a service with an image and with one or two more keys.
func block(service string) string {
	return "{image: busybox, " + service + "}"
}
