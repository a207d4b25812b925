package gitlock_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/gitlock"
)

const (
	commitA = "1111111111111111111111111111111111111111"
	commitB = "2222222222222222222222222222222222222222"
)

var digest = "sha256:" + strings.Repeat("ab", 32)

// TestALockIsWrittenInOneWay: the order of lines, line ends and empty lines of a lock that was read change no byte of
// the one that is written.
func TestALockIsWrittenInOneWay(t *testing.T) {
	lines := []string{
		"git+https://example.com/infra.git//web v1 " + commitA + " " + digest,
		"git+https://example.com/infra.git//network v1 " + commitA + " " + digest,
		"git+https://example.com/infra.git//network HEAD " + commitB + " " + digest,
		"git+ssh://git@example.com:2222/a/b//x/y release/2 " + commitA + " " + digest,
		"git+file:///srv/lib main " + commitA + " " + digest,
	}
	slices.Sort(lines)
	want := "ovi.lock v1\n" + strings.Join(lines, "\n") + "\n"
	slices.Reverse(lines)
	l, problems := gitlock.Parse([]byte("ovi.lock v1\r\n" + strings.Join(lines, "\r\n\r\n")))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got := string(l.Format()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	u, err := gitlock.ParseURL("git+https://example.com/infra.git//network?ref=HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if line, ok := l.Find(u); !ok || line.Commit != commitB || line.Number == 0 {
		t.Errorf("the default branch: %+v %t", line, ok)
	}
}

// TestWrongLocks: each line that cannot be used has its number, and what is wrong with it.
func TestWrongLocks(t *testing.T) {
	good := "git+https://example.com/a//x v1 " + commitA + " " + digest
	for name, c := range map[string]struct {
		text string
		line int
		want string
	}{
		"empty":             {"", 1, "is empty"},
		"no header":         {good, 1, "the first line is not"},
		"a newer version":   {"ovi.lock v2\n" + good, 1, "unsupported version"},
		"a conflict":        {"ovi.lock v1\n<<<<<<< HEAD\n" + good, 2, "conflict"},
		"a conflict before": {"<<<<<<< HEAD\novi.lock v1\n", 1, "conflict"},
		"the middle of one": {"ovi.lock v1\n" + good + "\n=======\n", 3, "conflict"},
		"the end of one":    {"ovi.lock v1\n" + good + "\n>>>>>>> other branch\n", 3, "conflict"},
		"a duplicate":       {"ovi.lock v1\n" + good + "\n" + good, 3, "line 2 has the same URL"},
		"two commits": {
			"ovi.lock v1\n" + good + "\ngit+https://example.com/a//y v1 " + commitB + " " + digest, 3, "line 2 has another commit",
		},
		"few words":        {"ovi.lock v1\n\ngit+https://example.com/a//x v1", 3, "is not URL REF COMMIT DIGEST"},
		"many words":       {"ovi.lock v1\n" + good + " x", 2, "is not URL REF COMMIT DIGEST"},
		"two spaces":       {"ovi.lock v1\n" + strings.Replace(good, " ", "  ", 1), 2, "is not URL REF COMMIT DIGEST"},
		"a short commit":   {"ovi.lock v1\n" + strings.Replace(good, commitA, commitA[:12], 1), 2, "is not a commit"},
		"an upper commit":  {"ovi.lock v1\n" + strings.Replace(good, commitA, strings.Repeat("A", 40), 1), 2, "is not a commit"},
		"a short digest":   {"ovi.lock v1\n" + good[:len(good)-2], 2, "is not a digest"},
		"another digest":   {"ovi.lock v1\n" + strings.Replace(good, "sha256", "sha512", 1), 2, "is not a digest"},
		"http":             {"ovi.lock v1\n" + strings.Replace(good, "https", "http", 1), 2, "unknown scheme"},
		"a password":       {"ovi.lock v1\n" + strings.Replace(good, "example", "u:example-pass@example", 1), 2, "password"},
		"a ref in the URL": {"ovi.lock v1\n" + strings.Replace(good, "//x", "//x?ref=v1", 1), 2, "parameters"},
		"a path outside":   {"ovi.lock v1\n" + strings.Replace(good, "//x", "//../x", 1), 2, "invalid path"},
		"each folder":      {"ovi.lock v1\n" + strings.Replace(good, "//x", "//x/*", 1), 2, "one folder"},
		"an option":        {"ovi.lock v1\n" + strings.Replace(good, " v1 ", " --upload-pack=x ", 1), 2, "invalid ref"},
		"a Git folder":     {"ovi.lock v1\n" + strings.Replace(good, "//x", "//x/.GIT", 1), 2, "Git does not allow"},
		"another spelling": {"ovi.lock v1\n" + strings.Replace(good, "//x", "//x/./y", 1), 2, "is not written as"},
		"too many": {
			"ovi.lock v1\n" + strings.Repeat("\n", 5) + strings.Repeat("x\n", 3), 7, "is not URL REF COMMIT DIGEST",
		},
	} {
		l, problems := gitlock.Parse([]byte(c.text))
		if l != nil || len(problems) == 0 || problems[0].Line != c.line || !strings.Contains(problems[0].Summary, c.want) ||
			problems[0].Suggestion == "" {
			t.Errorf("%s: %+v, want %q on line %d", name, problems, c.want, c.line)
		}
		for _, p := range problems {
			if strings.Contains(p.Summary, "example-pass") {
				t.Errorf("%s: the problem shows the password", name)
			}
		}
	}
}

// TestURLs: each URL that is accepted can be written into a lock; the others are errors.
func TestURLs(t *testing.T) {
	for _, text := range []string{
		"git+https://example.com/a b//x", "git+https://example.com/a//x y", "git+https://example.com/a//x%20y",
		"git+https://example.com/a//x%0ay", "git+https://example.com/a//.git/hooks", "git+https://example.com/a//x/git~1",
		"git+https://example.com/a//x/.git./y", "git+https://example.com/a//*", "git+https://example.com/a//x\\y",
		"git+https://example.com/a//x#y", "git+https://u@example.com/a//x", "git+https://example.com/a//x?ref=a&depth=1",
		"https://example.com/a//x", "./x", "git+https://example.com", "git+ext::x", "git+https://example.com/a//x:y",
	} {
		if u, err := gitlock.ParseURL(text); err == nil {
			t.Errorf("%q is read as %+v", text, u)
		}
	}
}

// FuzzLock: a lock that is accepted is written and read as the same one.
func FuzzLock(f *testing.F) {
	f.Add([]byte("ovi.lock v1\ngit+https://example.com/a//x v1 " + commitA + " " + digest + "\n"))
	f.Add([]byte("ovi.lock v1\r\ngit+ssh://git@example.com/a//x/y HEAD " + commitA + " " + digest + "\n\n"))
	f.Add([]byte("ovi.lock v1\ngit+file:///a%20b//x r/1 " + commitA + " " + digest + "\n<<<<<<< HEAD\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, problems := gitlock.Parse(text)
		if (l == nil) == (len(problems) == 0) {
			t.Fatalf("%v %v", l, problems)
		}
		if l == nil {
			return
		}
		once := l.Format()
		again, problems := gitlock.Parse(once)
		if len(problems) > 0 || !bytes.Equal(again.Format(), once) || len(again.Lines) != len(l.Lines) {
			t.Fatalf("%q: %v\n%s", text, problems, once)
		}
		for _, line := range l.Lines {
			if same, ok := again.Find(line.URL); !ok || same.Commit != line.Commit || same.Digest != line.Digest {
				t.Fatalf("%+v is lost in %s", line, once)
			}
		}
	})
}
