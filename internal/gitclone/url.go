package gitclone

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// prefix starts the URLs of paths in repositories.
const prefix = "git+"

// URL names a path in a repository: git+https://HOST/REPOSITORY//PATH?ref=BRANCH.
type URL struct {
	Remote string // what git fetches from: https://…, ssh://… or file:///…
	Path   string // in the repository; "." is its root
	Ref    string // branch, tag or commit; "" is the repository's default branch
	Each   bool   // the path ends with /*: each folder in it is a stack
}

// IsURL reports whether a text is such a URL.
func IsURL(text string) bool { return strings.HasPrefix(text, prefix) }

var (
	goodRef    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._/+-]*$`)
	commitForm = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
)

// IsCommit reports whether a text is the whole ID of a commit.
func IsCommit(text string) bool { return commitForm.MatchString(text) }

// ParseURL reads a URL. It refuses what git or ssh could take for an option, and secrets: the URL is
// recorded.
func ParseURL(text string) (URL, error) {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return URL{}, fmt.Errorf("a source in Git starts with %s", prefix)
	}
	parsed, err := ParseRemote(rest)
	if err != nil {
		return URL{}, err
	}
	query := parsed.Query()
	u := URL{Ref: query.Get("ref")}
	for key, values := range query {
		if key != "ref" || len(values) > 1 {
			return URL{}, fmt.Errorf("unknown parameter %q: use ?ref=BRANCH", key)
		}
	}
	if u.Ref != "" && (!goodRef.MatchString(u.Ref) || strings.Contains(u.Ref, "..") ||
		strings.HasSuffix(u.Ref, ".lock") || strings.HasSuffix(u.Ref, "/")) {
		return URL{}, fmt.Errorf("invalid ref %q: use the name of a branch or a tag, or a commit", u.Ref)
	}
	repository, inside, _ := strings.Cut(parsed.Path, "//")
	inside, u.Each = strings.CutSuffix("/"+inside, "/*")
	u.Path = path.Clean("./" + strings.Trim(inside, "/"))
	if !fs.ValidPath(u.Path) || strings.Contains(inside, "*") {
		return URL{}, fmt.Errorf("invalid path %q in the repository: use //FOLDER, or //FOLDER/* for one stack from each "+
			"folder", strings.TrimPrefix(inside, "/"))
	}
	parsed.Path, parsed.RawPath, parsed.RawQuery = repository, "", ""
	u.Remote = parsed.String()
	return u, nil
}

// String is the URL as ParseURL reads it.
func (u URL) String() string {
	s := prefix + u.Remote
	switch {
	case u.Each:
		s += "//" + path.Join(u.Path, "*")
	case u.Path != ".":
		s += "//" + u.Path
	}
	if u.Ref != "" {
		s += "?ref=" + u.Ref
	}
	return s
}

// Name returns the last part of the path, or of the remote without a path. It names the stack if its files name none.
func (u URL) Name() string {
	if u.Path != "." {
		return strings.TrimSuffix(path.Base(u.Path), path.Ext(u.Path))
	}
	return strings.TrimSuffix(path.Base(u.Remote), ".git")
}
