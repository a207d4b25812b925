package gitlock

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ovi-project/ovi/internal/gitclone"
)

// FileName is the name of a lock.
const FileName = "ovi.lock"

const (
	// header is the first line of a lock, and has the version of the format.
	header = "ovi.lock v1"
	// defaultRef is written for the default branch of a repository.
	defaultRef = "HEAD"
	// mostLines bounds the lines of a lock, and maxLock its bytes.
	mostLines = 2_000
	maxLock   = 4 << 20
)

// Line is a line of a lock: the commit and the digest of a folder of a repository.
type Line struct {
	URL    gitclone.URL
	Commit string
	Digest string // sha256:HEX; it covers all files of the folder
	Number int    // in the file; 0 for a line that was not read from one
}

// Lock is the lines of a lock.
type Lock struct{ Lines []Line }

// Problem is a line that cannot be used.
type Problem struct {
	Line                int
	Summary, Suggestion string
}

// Error is an error with a suggestion.
type Error struct {
	Summary, Next string
	Err           error // the cause, which is part of the text; may be nil
	Kind          error // ErrMissing or ErrChanged; may be nil
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Summary
	}
	return e.Summary + ": " + e.Err.Error()
}

func (e *Error) Unwrap() []error { return []error{e.Err, e.Kind} }

// Suggestion is the next step.
func (e *Error) Suggestion() string { return e.Next }

// Example is a URL for messages.
const Example = "git+https://HOST/REPOSITORY//FOLDER?ref=TAG"

// ParseURL reads the URL of a folder: git+https://HOST/REPOSITORY//FOLDER?ref=REF. A lock can hold each URL that it
// returns.
func ParseURL(text string) (gitclone.URL, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return gitclone.URL{}, fmt.Errorf("the URL has a space or a control character")
	}
	u, err := gitclone.ParseURL(text)
	if err != nil {
		return gitclone.URL{}, err
	}
	if u.Ref == defaultRef {
		u.Ref = ""
	}
	switch again, err := gitclone.ParseURL(u.String()); {
	case u.Each:
		return gitclone.URL{}, fmt.Errorf("the URL ends with /*, and a component is one folder")
	case checkName(u.Path) != "":
		return gitclone.URL{}, fmt.Errorf("the folder in the URL has %s", checkName(u.Path))
	case strings.ContainsAny(u.Path, " ?#%"):
		return gitclone.URL{}, fmt.Errorf("the folder in the URL has a space, or one of ? # %%")
	case err != nil || again != u:
		return gitclone.URL{}, fmt.Errorf("the URL cannot be written in %s", FileName)
	}
	return u, nil
}

// Repository returns the repository and the ref of a URL. All its folders have one commit.
func Repository(u gitclone.URL) gitclone.URL {
	u.Path = "."
	return u
}

var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Parse reads a lock. The problems name each line that cannot be used.
func Parse(text []byte) (*Lock, []Problem) {
	l := &Lock{}
	var problems []Problem
	wrong := func(line int, summary, suggestion string) {
		problems = append(problems, Problem{line, summary, suggestion})
	}
	n, started := 0, false
	for raw := range bytes.Lines(text) {
		n++
		line := strings.TrimRight(string(raw), "\r\n")
		switch {
		case isConflict(line):
			wrong(n, "the line is from a conflict of a merge", "keep the lines of one side, and run `ovi fetch`")
		case !started && line != header:
			if strings.HasPrefix(line, "ovi.lock v") {
				wrong(n, fmt.Sprintf("unsupported version %q", line), "use a newer ovi, or restore the file from Git")
			} else {
				wrong(n, fmt.Sprintf("the first line is not %q", header),
					"restore the file from Git, or delete it and run `ovi fetch`")
			}
			return nil, problems
		case !started:
			started = true
		case len(l.Lines) == mostLines:
			wrong(n, fmt.Sprintf("the file has more than %d lines", mostLines), "restore the file from Git")
			return nil, problems
		case strings.TrimSpace(line) != "":
			parsed, summary := parseLine(line)
			if summary == "" {
				summary = l.contradicts(parsed)
			}
			if summary != "" {
				wrong(n, summary, "restore the line from Git, or delete it and run `ovi fetch`")
				continue
			}
			parsed.Number = n
			l.Lines = append(l.Lines, parsed)
		}
	}
	if !started && len(problems) == 0 {
		wrong(1, "the file is empty", "restore the file from Git, or delete it and run `ovi fetch`")
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return l, nil
}

// isConflict reports whether Git wrote a line around the sides of a conflict.
func isConflict(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	return slices.Contains([]string{"<<<<<<<", "=======", ">>>>>>>", "|||||||"}, word)
}

func parseLine(line string) (l Line, summary string) {
	words := strings.Split(line, " ")
	if len(words) != 4 {
		return l, "the line is not URL REF COMMIT DIGEST"
	}
	text := words[0]
	if strings.Contains(text, "?") {
		return l, "the URL has parameters; the ref is a word of its own"
	}
	if words[1] != defaultRef {
		text += "?ref=" + words[1]
	}
	u, err := ParseURL(text)
	switch {
	case err != nil:
		return l, "invalid URL: " + err.Error()
	case u.String() != text:
		return l, fmt.Sprintf("the URL is not written as %s", u)
	case !gitclone.IsCommit(words[2]):
		return l, fmt.Sprintf("%q is not a commit", words[2])
	case !digestForm.MatchString(words[3]):
		return l, fmt.Sprintf("%q is not a digest, sha256:HEX", words[3])
	}
	return Line{URL: u, Commit: words[2], Digest: words[3]}, ""
}

// contradicts explains why a line cannot be added.
func (l *Lock) contradicts(next Line) string {
	for _, x := range l.Lines {
		switch {
		case x.URL == next.URL:
			return fmt.Sprintf("line %d has the same URL and ref", x.Number)
		case Repository(x.URL) == Repository(next.URL) && x.Commit != next.Commit:
			return fmt.Sprintf("line %d has another commit of the same repository and ref", x.Number)
		}
	}
	return ""
}

// Format returns the text of a lock: the same lines give the same bytes.
func (l *Lock) Format() []byte {
	lines := make([]string, 0, len(l.Lines))
	for _, x := range l.Lines {
		u := x.URL
		u.Ref = ""
		lines = append(lines, fmt.Sprintf("%s %s %s %s\n", u, cmp.Or(x.URL.Ref, defaultRef), x.Commit, x.Digest))
	}
	slices.Sort(lines)
	return []byte(header + "\n" + strings.Join(lines, ""))
}

// Find returns the line of a URL.
func (l *Lock) Find(u gitclone.URL) (Line, bool) {
	i := slices.IndexFunc(l.Lines, func(x Line) bool { return x.URL == u })
	if i < 0 {
		return Line{}, false
	}
	return l.Lines[i], true
}

// CommitOf returns the commit that the lock has of the repository and the ref of a URL; it is empty if it has none.
func (l *Lock) CommitOf(u gitclone.URL) string {
	for _, x := range l.Lines {
		if Repository(x.URL) == Repository(u) {
			return x.Commit
		}
	}
	return ""
}
