package compose_test

import (
	"testing"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/compose"
	"github.com/ovi-project/ovi/source/sourcetest"
)

// TestNoComposeFileCanFillTheMemory reads files that are nested too deep, repeat themselves too much or are too large.
func TestNoComposeFileCanFillTheMemory(t *testing.T) {
	sourcetest.Budget(t, source.MaxText, func(_ *testing.T, text string) error {
		_, err := compose.Import(compose.Input{Name: "compose.yaml", Text: text, Dir: "/x", Into: "/x/out"})
		return err
	})
}
