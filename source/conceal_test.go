package source_test

import (
	"testing"

	"github.com/ovi-project/ovi/source"
)

// TestMessagesKeepTheirOwnWords: a secret that is a common word conceals no word of a message, which would show it; a
// value that a message quotes is concealed.
func TestMessagesKeepTheirOwnWords(t *testing.T) {
	for _, c := range []struct{ secret, summary, want string }{
		{"short", "password is too short or too long", "password is too short or too long"},
		{"password", `password is empty: "${env:P}" has no value`, `password is empty: "${env:P}" has no value`},
		{"env", `"${env:P}" has no value`, `"${env:P}" has no value`},
		{"characters", "use 8 to 128 characters", "use 8 to 128 characters"},
		{"128", "use 8 to 128 characters", "use 8 to 128 characters"},
		{"rds/db1", "rds/db1 is invalid", "rds/db1 is invalid"},
		{"hunter2", `unknown type "hunter2"`, `unknown type "${env:P}"`},
		{"hunter2", `invalid name "web-hunter2-a"`, `invalid name "web-${env:P}-a"`},
		{"a\"b", `got "a\"b"`, `got "${env:P}"`},
		{"x", `got "x" at x`, `got "${env:P}" at x`},
		{"not-a-real-secret-1", "cannot parse not-a-real-secret-1", "cannot parse ${env:P}"},
		{"-----BEGIN\nMIIE", "cannot parse -----BEGIN\nMIIE", "cannot parse ${env:P}"},
	} {
		d := source.NewDraft(source.Options{})
		d.InQuotes = true
		d.Outside(c.secret, "${env:P}")
		d.Problem(source.Problem{Summary: c.summary, Suggestion: c.summary})
		_, problems := source.Resolve([]*source.Draft{d})
		if len(problems) != 1 || problems[0].Summary != c.want || problems[0].Suggestion != c.want {
			t.Errorf("with the secret %q: %v, want %s", c.secret, problems, c.want)
		}
	}
}
