package sourcetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/source"
)

// bomb is a text of YAML that is nested too deep, repeats itself too much or is too large.
type bomb struct {
	text  string
	wants []string // one of them is in a problem
}

// laughs is a document of a few lines that expands to about 150,000 values.
func laughs() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x]\n")
	for i := range 9 {
		was, is := string(rune('a'+i)), string(rune('a'+i+1))
		b.WriteString(is + "0: &" + is + "0 [*" + was + "0, *" + was + "0, *" + was + "0]\n")
	}
	return b.String()
}

func bombs(size int) map[string]bomb {
	deep, many := []string{"nested more than", "max depth"}, []string{"aliases expand to too many values"}
	long := "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a, ", 300) + "*a]\n"
	return map[string]bomb{
		"lists":          {"a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n", deep},
		"maps":           {"a: " + strings.Repeat("{a: ", 100) + strings.Repeat("}", 100) + "\n", deep},
		"blocks":         {"a:\n  " + strings.Repeat("- ", 100) + "a\n", deep},
		"many lists":     {"a: " + strings.Repeat("[", 1<<16), deep},
		"many blocks":    {"a:\n  " + strings.Repeat("- ", 1<<16) + "a\n", deep},
		"billion laughs": {laughs() + "l0: [*j0, *j0]\n", many},
		"merged laughs":  {laughs() + "l0: {<<: [{a: *j0, b: *j0}]}\n", many},
		"long texts":     {long, []string{"aliases expand to more than 256 MiB"}},
		"documents":      {strings.Repeat("---\n"+laughs(), 30), append(many, "document")},
		"size":           {strings.Repeat("# A comment.\n", size/13+1), []string{"larger than"}},
	}
}

// Budget checks that a reader of YAML ends with a problem where a text would need too much, and says what to do.
// size is the most bytes that it reads.
func Budget(t *testing.T, size int, read func(t *testing.T, text string) error) {
	for name, b := range bombs(size) {
		t.Run(name, func(t *testing.T) {
			err := read(t, b.text)
			var problems source.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("%v: no problem", err)
			}
			found := false
			for _, p := range problems {
				for _, want := range b.wants {
					found = found || strings.Contains(p.Summary, want)
				}
				if p.Suggestion == "" {
					t.Errorf("no suggestion: %+v", p)
				}
			}
			if !found {
				t.Errorf("no problem contains one of %q: %v", b.wants, problems)
			}
		})
	}
}
