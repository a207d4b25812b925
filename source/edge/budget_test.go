package edge_test

import (
	"testing"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/sourcetest"
)

// TestNoFileOfASiteCanFillTheMemory reads files that are nested too deep, repeat themselves too much or are too large.
func TestNoFileOfASiteCanFillTheMemory(t *testing.T) {
	for _, file := range []string{"site.yaml", "web.yaml"} {
		t.Run(file, func(t *testing.T) {
			sourcetest.Budget(t, source.MaxText, func(t *testing.T, text string) error {
				files := map[string]string{"site.yaml": nodes, "one.yaml": one}
				files[file] = text
				_, err := source.Load(t.Context(), write(t, t.TempDir(), files))
				return err
			})
		})
	}
}
