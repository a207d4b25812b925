package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/sourcetest"
)

// TestConformance holds YAML and JSON files to what every source promises.
func TestConformance(t *testing.T) {
	for _, name := range []string{"ovi.yaml", "ovi.json"} {
		t.Run(name, func(t *testing.T) {
			sourcetest.Run(t, sourcetest.Harness{
				Write: func(t *testing.T, dir string, specs []sourcetest.Spec) source.Source {
					write(t, filepath.Join(dir, name), written(t, dir, specs))
					return config.New([]string{filepath.Join(dir, name)},
						config.Options{Options: sourcetest.Options(), Stack: "suite"})
				},
				Break: func(t *testing.T, dir string) {
					if err := os.Truncate(filepath.Join(dir, name), 300); err != nil {
						t.Fatal(err)
					}
				},
			})
		})
	}
}

// written is the configuration as JSON, which is YAML too. Secrets are in files.
func written(t *testing.T, dir string, specs []sourcetest.Spec) []byte {
	t.Helper()
	blocks := []map[string]any{}
	for i, s := range specs {
		b := map[string]any{"type": s.Kind, "name": s.Name}
		for k, v := range s.Attrs {
			b[k] = v
		}
		for k, v := range s.Secrets {
			file := fmt.Sprintf("%s-%d", k, i)
			write(t, filepath.Join(dir, file), []byte(v))
			b[k] = "${file:" + file + "}"
		}
		if s.Count > 0 {
			b["count"] = s.Count
		}
		if len(s.DependsOn) > 0 {
			b["depends_on"] = s.DependsOn
		}
		blocks = append(blocks, b)
	}
	out, err := json.MarshalIndent(map[string]any{"version": "v1", "provider": sourcetest.Provider, "resources": blocks},
		"", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
