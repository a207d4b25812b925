package config_test

import (
	"errors"
	"fmt"
	"os"
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

// TestAPipeIsRefused: ovi looks at a source more than once, and the second time a pipe is empty.
func TestAPipeIsRefused(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("version: v1\n"); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	_, err = config.New([]string{fmt.Sprintf("/dev/fd/%d", r.Fd())}, options(nil)).Load(t.Context())
	if err == nil || !strings.Contains(err.Error(), "it is a pipe") || !strings.Contains(err.Error(), "write the text to a file") {
		t.Errorf("%v", err)
	}
}

// TestTextsOfExpressionsCannotFillTheMemory: a text has at most 1 MiB, and those of a configuration have a budget.
func TestTextsOfExpressionsCannotFillTheMemory(t *testing.T) {
	doubled := "  a0: \"0123456789\"\n"
	for i := range 40 {
		doubled += fmt.Sprintf("  a%d: \"${vars.a%d}${vars.a%d}\"\n", i+1, i, i)
	}
	const head, end = "version: v1\nprovider: fake\nvars:\n", "resources:\n  - {type: disk, name: bb, tags: {a: \"${vars.%s}\"}%s}\n"
	long := "  long: \"" + strings.Repeat("x", 1<<19) + "\"\n"
	for name, x := range map[string]struct{ text, want string }{
		"doubled":      {head + doubled + fmt.Sprintf(end, "a40", ""), "the text is longer than 1 MiB"},
		"many in one":  {head + long + "  all: \"" + strings.Repeat("${vars.long}", 1000) + "\"\n" + fmt.Sprintf(end, "all", ""), "the text is longer than 1 MiB"},
		"one for each": {head + long + strings.Replace(fmt.Sprintf(end, "long", ", count: 10000"), "${vars.long}", "${vars.long}${index}", 1), "the expressions of the configuration take too long"},
	} {
		_, err := load(t, x.text)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}
