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

// TestNoRegularExpressionTakesLong: the size of a regular expression times the length of its text is bounded, in an
// expression and in the form of a variable. A configuration that matches what people write is unaffected.
func TestNoRegularExpressionTakesLong(t *testing.T) {
	const form = "version: v1\nprovider: aws\nregion: us-east-1\nvars: {text: {default: '%s'%s}}\nresources:\n  - {type: s3, name: bbb, tags: {a: '%s'}}\n"
	const large, loop = "(a{1,30}){1,30}b?c", `${lists.range(%d).all(i, !vars.text.matches("%s")) ? "1" : "2"}`
	for name, x := range map[string]struct{ text, want string }{
		"one match":        {fmt.Sprintf(form, strings.Repeat("a", 100_000), "", fmt.Sprintf(loop, 1, large)), "takes too long for a text of 100000 bytes"},
		"many matches":     {fmt.Sprintf(form, strings.Repeat("a", 5_000), "", fmt.Sprintf(loop, 1000, large)), "the expression takes too long"},
		"an expression":    {fmt.Sprintf(form, "a", "", fmt.Sprintf(loop, 1, strings.Repeat("a{1000}", 100))), "repeats too much"},
		"the form, a text": {fmt.Sprintf(form, strings.Repeat("a", 100_000), ", match: '"+large+"'", "b"), "takes too long for a text of 100000 bytes"},
		"the form":         {fmt.Sprintf(form, "a", ", match: '"+strings.Repeat("a{1000}", 100)+"'", "b"), "match: the regular expression repeats too much"},
		"of people":        {fmt.Sprintf(form, "eu-west-1", ", match: '[a-z]{2}-[a-z]+-[0-9]{1,2}'", fmt.Sprintf(loop, 100, "^us-")), ""},
	} {
		_, err := load(t, x.text)
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}
