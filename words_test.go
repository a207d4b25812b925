package ovi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rawPatterns are banned as they stand; test/banned.txt holds the words, one RE2 pattern a
// line, matched as whole words in any case.
var rawPatterns = []string{`(%[qsv]|") is no [^l]`, `[±↻]`, `\S → \S`} // style:ok

// passage is one piece of text that a user reads, and where it starts.
type passage struct {
	path string
	line int
	text string

	comment bool
}

// TestWordsFollowTheStyle matches the banned words against string literals, comments, golden files,
// scripts and docs. A line that must hold one (a name of an API, a user, a unit file) says
// style:ok in a comment.
func TestWordsFollowTheStyle(t *testing.T) {
	banned, _ := bannedPatterns(t)
	for _, raw := range rawPatterns {
		banned = append(banned, pattern{Regexp: regexp.MustCompile(raw)})
	}
	for _, p := range passages(t) {
		if p.path == "test/banned.txt" {
			continue
		}
		lower := strings.ToLower(p.text)
		for _, re := range banned {
			if !strings.Contains(lower, re.prefix) {
				continue
			}
			for _, at := range re.FindAllStringIndex(p.text, -1) {
				if line, shown := lineAt(p.text, at[0]); !strings.Contains(shown, "style:ok") {
					t.Errorf("%s:%d: %q in: %s", p.path, p.line+line, p.text[at[0]:at[1]], strings.TrimSpace(shown))
				}
			}
		}
	}
}

// bannedPatterns reads test/banned.txt: the words, and after the line [grammar] the patterns of TestGrammar.
func bannedPatterns(t *testing.T) (words, grammar []pattern) {
	t.Helper()
	list := &words
	for _, line := range readLines(t, "test/banned.txt") {
		if line == "[grammar]" {
			list = &grammar
		} else if raw, ok := strings.CutPrefix(line, "raw "); ok {
			*list = append(*list, pattern{Regexp: regexp.MustCompile(raw)})
		} else {
			*list = append(*list, wholeWords(line))
		}
	}
	return words, grammar
}

// pattern is a banned pattern. Where prefix is not in the lower-case text, nothing matches:
// that is found out in a hundredth of the time.
type pattern struct {
	*regexp.Regexp
	prefix string
}

// wholeWords compiles a line of the list. Between two words a line may end.
func wholeWords(line string) pattern {
	const space = `(?:[ \t]+|[ \t]*\n[ \t]*)`
	spaced := strings.ReplaceAll(line, " ", space)
	prefix, _ := regexp.MustCompile(spaced).LiteralPrefix()
	return pattern{regexp.MustCompile(`(?i)\b(?:` + spaced + `)\b`), prefix}
}

// lineAt gives the line of the text in which an offset stands, counted from 0.
func lineAt(text string, at int) (n int, line string) {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ = strings.Cut(text[start:], "\n")
	return strings.Count(text[:at], "\n"), line
}

// passages reads everything that is checked.
func passages(t *testing.T) []passage {
	t.Helper()
	var out []passage
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() {
			hidden := strings.HasPrefix(d.Name(), ".") && name != "." && name != ".ci"
			if hidden || d.Name() == "fuzz" || d.Name() == "bin" || d.Name() == "dist" {
				return fs.SkipDir
			}
			return nil
		}
		found, err := passagesOf(name)
		out = append(out, found...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 1000 {
		t.Fatalf("only %d passages found: is this the root of the repository?", len(out))
	}
	return out
}

func passagesOf(name string) ([]passage, error) {
	switch filepath.Ext(name) {
	case ".go":
		return literals(name)
	case ".mod", ".sum", ".rec", ".key", ".seg", ".gz", ".db", ".bin":
		return nil, nil
	}
	if name == "LICENSE" || name == "NOTICE" || strings.HasPrefix(name, "render/cutepod/testdata/") || strings.HasPrefix(name, "cmd/ovi/testdata/cutepod/") {
		return nil, nil // the screens of the containers design have its words
	}
	b, err := os.ReadFile(name)
	text := string(b)
	if err != nil || strings.ContainsRune(text, 0) {
		return nil, err
	}
	if filepath.Ext(name) == ".md" {
		text = prose(text)
	}
	if filepath.Ext(name) == ".service" { // a key of systemd
		text = strings.ReplaceAll(text, "\nWants=", "\n") // style:ok
	}
	return []passage{{path: name, line: 1, text: text}}, nil
}

// literals returns the strings and the comments of a Go file that is not generated. Adjacent strings of
// a sum are one text. A comment style:ok at the end of a line exempts that line.
func literals(name string) ([]passage, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
	if err != nil || ast.IsGenerated(f) {
		return nil, err
	}
	var out []passage
	exempt := map[int]bool{}
	for _, group := range f.Comments {
		for _, c := range group.List {
			line := fset.Position(c.Pos()).Line
			if strings.Contains(c.Text, "style:ok") {
				exempt[line] = true
			} else {
				out = append(out, passage{name, line, c.Text, true})
			}
		}
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		sum, ok := n.(*ast.BinaryExpr)
		if e, isExpr := n.(ast.Expr); isExpr && (!ok || sum.Op == token.ADD) {
			parts := summands(e)
			follows := false // the part before is a string, too
			for _, part := range parts {
				lit, ok := part.(*ast.BasicLit)
				if ok = ok && lit.Kind == token.STRING; !ok {
					if len(parts) > 1 {
						ast.Inspect(part, visit)
					}
					follows = false
					continue
				}
				line := fset.Position(lit.Pos()).Line
				text, err := strconv.Unquote(lit.Value)
				if follows = follows && !exempt[line]; follows {
					out[len(out)-1].text += text
				} else if err == nil && !exempt[line] {
					out, follows = append(out, passage{path: name, line: line, text: text}), true
				}
			}
			return len(parts) == 1
		}
		return true
	}
	ast.Inspect(f, visit)
	return out, nil
}

// summands returns the operands of a sum, from left to right; another expression is its own.
func summands(e ast.Expr) []ast.Expr {
	if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		return append(summands(sum.X), summands(sum.Y)...)
	}
	return []ast.Expr{e}
}

var codeSpan = regexp.MustCompile("`[^`\n]*(?:\n[^`\n]+)?`")

// prose blanks the code of a page: fenced and indented blocks, and spans.
func prose(page string) string {
	lines := strings.Split(page, "\n")
	fenced, block, blank := false, false, true
	for i, line := range lines {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence {
			fenced = !fenced
		}
		indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		block = indented && (block || blank)
		blank = strings.TrimSpace(line) == ""
		if (fenced || fence || block) && !strings.Contains(line, "style:ok") {
			lines[i] = ""
		}
	}
	return codeSpan.ReplaceAllStringFunc(strings.Join(lines, "\n"), func(span string) string {
		return "`" + strings.Repeat("\n", strings.Count(span, "\n")) + "`"
	})
}
