package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// maxProblems bounds what one load reports; what comes after is counted. After maxHints the
// nearest name is no longer looked for: in a big stack that takes its time.
const (
	maxProblems = 1000
	maxHints    = 50
)

// loader is one load: it gathers wishes and problems, document by document.
type loader struct {
	opts      Options
	problems  source.Problems
	more      int // problems beyond maxProblems
	desired   []resource.Desired
	uses      [][]use // of each wish
	intern    interner
	outside   map[string]string // what came from outside, and how it was written
	words     settings
	nameless  map[string]resource.Position // by file and kind
	counted   map[resource.Ref]group       // by the ref that a count was put behind
	scopes    map[resource.Scope]bool
	broken    map[string]bool       // names of blocks with problems: nobody is told that they are not there
	taken     map[resource.Ref]bool // names that begin as ids do, and are names
	again     bool                  // some were found on this load, which took them for ids
	memo      map[string]*checked
	scratch   []byte
	isDesired bool // some document says resources
}

func newLoader(opts Options, taken map[resource.Ref]bool) *loader {
	return &loader{
		opts: opts, intern: newInterner(), outside: map[string]string{}, words: settings{told: map[string]resource.Position{}},
		nameless: map[string]resource.Position{}, counted: map[resource.Ref]group{}, scopes: map[resource.Scope]bool{},
		memo: map[string]*checked{}, broken: map[string]bool{}, taken: taken,
	}
}

func (l *loader) problem(at resource.Position, ref, summary, suggestion string) {
	if len(l.problems) == maxProblems {
		l.more++
		return
	}
	l.problems = append(l.problems, source.Problem{
		At: at, Ref: l.redact(ref), Summary: l.redact(summary), Suggestion: l.redact(suggestion),
	})
}

// redact puts back how a value was written where the value itself came from outside: it may
// be a secret in a wrong place.
func (l *loader) redact(s string) string {
	if s == "" {
		return s
	}
	for plain, written := range l.outside {
		quoted := strconv.Quote(plain)
		s = strings.ReplaceAll(s, quoted, strconv.Quote(written))
		if len(plain) >= 3 {
			s = strings.ReplaceAll(s, plain, written)
			s = strings.ReplaceAll(s, quoted[1:len(quoted)-1], written)
		}
	}
	return s
}

// sorted gives the problems in order of place.
func (l *loader) sorted() source.Problems {
	slices.SortStableFunc(l.problems, func(a, b source.Problem) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line),
			cmp.Compare(a.At.Column, b.At.Column), cmp.Compare(a.Summary, b.Summary))
	})
	if l.more > 0 {
		l.problems = append(l.problems, source.Problem{Summary: fmt.Sprintf("and %d problems more", l.more)})
	}
	return l.problems
}

// file reads all documents of a file. False asks for a new load with whole documents.
func (l *loader) file(f *file, whole bool) bool {
	if f.isJSON() {
		root, err := parseJSON([]byte(f.text))
		if err != nil {
			l.syntax(f, err)
			return true
		}
		l.document(f, &root, items(&root))
		return true
	}
	if !whole {
		if cut, ok := split(f.text); ok {
			return l.cutDocument(f, cut)
		}
	}
	docs, err := parseYAML(strings.NewReader(f.text))
	if err != nil {
		l.syntax(f, err)
		return true
	}
	for _, d := range docs {
		l.wholeDocument(f, d)
	}
	return true
}

func (l *loader) syntax(f *file, err error) {
	var at *syntaxError
	if errors.As(err, &at) {
		l.problem(f.at(at.line, at.col), "", at.msg, "check the commas, quotes and brackets around here")
		return
	}
	text, shift := f.text, 0
	if c, ok := split(f.text); ok {
		c.each(func(s string, line int32) bool {
			if _, bad := parseYAML(strings.NewReader(s)); bad != nil {
				text, shift, err = s, int(line)-1, bad
			}
			return shift == 0
		})
	}
	e, suggestion := fromYAML(text, shift, err)
	l.problem(f.at(e.line, e.col), "", e.msg, suggestion)
}

// intent joins what was read.
func (l *loader) intent(files []*file) resource.Intent {
	if !l.isDesired && len(l.problems) == 0 {
		l.problem(files[0].at(1, 1), "", "nothing says what the stack wants", "add resources:, or resources: [] for a stack that wants nothing")
	}
	objects := l.join(files)
	in := resource.Intent{
		Stack: l.stack(files), Source: files[0].name, Resources: objects,
		Rules: l.words.rules, Options: l.words.options,
	}
	if len(files) > 1 {
		in.Source = fmt.Sprintf("%s and %d more", files[0].name, len(files)-1)
	}
	for s := range l.scopes {
		in.Scopes = append(in.Scopes, s)
	}
	slices.SortFunc(in.Scopes, resource.Scope.Compare)
	sums := make([]byte, 0, 64*len(files))
	for _, f := range files {
		sums = append(sums, f.sum...)
	}
	if in.Version = "sha256:" + files[0].sum; len(files) > 1 {
		in.Version = "sha256:" + digest(sums)
	}
	return in
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// stack names the stack: what the files say, what the caller says, or the folder.
func (l *loader) stack(files []*file) string {
	if s := cmpOr(l.words.stack, l.opts.Stack); s != "" {
		return s
	}
	names := map[string]bool{}
	name := ""
	for _, f := range files {
		dir, err := filepath.Abs(f.dir)
		if err != nil || l.opts.Files != nil {
			dir = f.dir
		}
		name = strings.Trim(unfit.ReplaceAllString(filepath.Base(dir), "-"), "-.")
		names[name] = true
	}
	switch {
	case len(names) > 1:
		l.problem(files[0].at(1, 1), "", "the files stand in several folders, so the stack needs a name", "add stack: NAME to one of them")
	case name == "":
		l.problem(files[0].at(1, 1), "", "the folder has no name that could be the stack's", "add stack: NAME")
	}
	return name
}

// cmpOr is cmp.Or for the texts that must not be empty.
func cmpOr(a, b string) string { return cmp.Or(a, b) }
