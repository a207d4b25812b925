package ovi_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var updateComments = flag.Bool("comments", false, "write test/comments.txt with today's counts; none may rise")

// commentsFile has a line for each package whose comments still have hits: the package and their
// number. A number may only fall; a package without a line has none.
const commentsFile = "test/comments.txt"

// pagesFile lists the pages that are not yet rewritten. The list may only shrink.
const pagesFile = "test/pages.txt"

// TestGrammar matches the patterns of sentences that hide their noun against the strings of product
// code and the pages, which have no hit, and against the comments of product code, whose hits are
// counted per package. The command
//
//	go test -run TestGrammar . -comments
//
// lowers the numbers.
func TestGrammar(t *testing.T) {
	_, patterns := bannedPatterns(t)
	comments := map[string][]string{}
	pages := readLines(t, pagesFile)
	hitPages := map[string]bool{}
	for _, p := range passages(t) {
		isTest := strings.HasSuffix(p.path, "_test.go") || strings.HasPrefix(p.path, "test/")
		page := path.Ext(p.path) == ".md" && !strings.Contains(p.path, "testdata/")
		if isTest || !page && (path.Ext(p.path) != ".go" || p.comment) {
			continue
		}
		hits := grammarHits(p, patterns)
		if len(hits) > 0 && slices.Contains(pages, p.path) {
			hitPages[p.path] = true
			continue
		}
		for _, hit := range hits {
			t.Error(hit)
		}
	}
	for _, p := range pages {
		if !hitPages[p] {
			t.Errorf("%s has no hit: remove its line from %s", p, pagesFile)
		}
	}
	for _, s := range sources(t) {
		for _, p := range commentGroups(t, s.path) {
			pkg := path.Dir(s.path)
			comments[pkg] = append(comments[pkg], grammarHits(p, patterns)...)
		}
	}
	checkComments(t, comments)
}

// checkComments compares the hits in the comments of each package with the recorded numbers.
func checkComments(t *testing.T, hits map[string][]string) {
	t.Helper()
	recorded := map[string]int{}
	for _, line := range readLines(t, commentsFile) {
		var pkg string
		var n int
		if _, err := fmt.Sscan(line, &pkg, &n); err != nil {
			t.Fatalf("%s: %q: %v", commentsFile, line, err)
		}
		recorded[pkg] = n
	}
	var table strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(hits)) {
		n := len(hits[pkg])
		if n > recorded[pkg] && len(recorded) > 0 {
			t.Errorf("the comments of %s have %d hits, and %s allows %d: name the noun that each hides\n%s",
				pkg, n, commentsFile, recorded[pkg], strings.Join(hits[pkg], "\n"))
			n = recorded[pkg]
		}
		if n > 0 {
			fmt.Fprintln(&table, pkg, n)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(recorded)) {
		if n := len(hits[pkg]); n < recorded[pkg] && !*updateComments {
			t.Logf("the comments of %s have %d hits, and %s allows %d: run go test -run TestGrammar . -comments",
				pkg, n, commentsFile, recorded[pkg])
		}
	}
	if *updateComments {
		if err := os.WriteFile(commentsFile, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// grammarHits returns a message for each match of the patterns. A sentence may wrap anywhere, so the
// lines of a paragraph are joined first; the joined text has the length of the original.
func grammarHits(p passage, patterns []pattern) (out []string) {
	joined := joinParagraphs(p.text)
	lower := strings.ToLower(joined)
	for _, re := range patterns {
		if !strings.Contains(lower, re.prefix) {
			continue
		}
		for _, at := range re.FindAllStringIndex(joined, -1) {
			line, shown := lineAt(p.text, at[0])
			if strings.Contains(shown, "style:ok") {
				continue
			}
			out = append(out, fmt.Sprintf("%s:%d: %q in: %s", p.path, p.line+line, joined[at[0]:at[1]],
				strings.TrimSpace(shown)))
		}
	}
	return out
}

// softBreak is the end of a line that goes on in the next one. Lists, tables, headings and indented
// blocks start a new line of their own.
var softBreak = regexp.MustCompile(`[^\n]\n[^\s#|*>\-]`)

func joinParagraphs(text string) string {
	joined := []byte(text)
	for i := 0; i < len(joined); i++ {
		at := softBreak.FindIndex(joined[i:])
		if at == nil {
			break
		}
		joined[i+at[0]+1] = ' '
		i += at[0]
	}
	return string(joined)
}

// commentGroups returns the comments of a Go file, each group as one text without its markers.
func commentGroups(t *testing.T, name string) (out []passage) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if ast.IsGenerated(f) {
		return nil
	}
	for _, group := range f.Comments {
		out = append(out, passage{path: name, line: fset.Position(group.Pos()).Line, text: group.Text()})
	}
	return out
}

// readLines returns the lines of a list, without comments and empty lines.
func readLines(t *testing.T, name string) (out []string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "# ") {
			out = append(out, line)
		}
	}
	return out
}
