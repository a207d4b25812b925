package config_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/sourcetest"
)

// TestNoConfigurationCanFillTheMemory reads files that are nested too deep, repeat themselves too much or are too large.
func TestNoConfigurationCanFillTheMemory(t *testing.T) {
	sourcetest.Budget(t, source.MaxFile, func(t *testing.T, text string) error {
		_, err := load(t, text)
		return err
	})
}

// TestNoFileOfRulesCanFillTheMemory reads such files as rules.
func TestNoFileOfRulesCanFillTheMemory(t *testing.T) {
	sourcetest.Budget(t, source.MaxFile, func(t *testing.T, text string) error {
		files := fstest.MapFS{"rules.yaml": {Data: []byte(text)}}
		_, err := config.Rules(t.Context(), []string{"rules.yaml"}, options(files))
		return err
	})
}

// TestNestedJSONIsAProblem reads lists in lists.
func TestNestedJSONIsAProblem(t *testing.T) {
	text := `{"version": "v1", "resources": ` + strings.Repeat("[", 1<<20)
	files := fstest.MapFS{"ovi.json": {Data: []byte(text)}}
	_, err := loadFrom(config.New([]string{"ovi.json"}, options(files)))
	var problems source.Problems
	if !errors.As(err, &problems) || !strings.Contains(err.Error(), "nested more than") {
		t.Errorf("%v", err)
	}
}
