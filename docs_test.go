package ovi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestArchitectureMatchesTheCode: ARCHITECTURE.md names every folder at the top that has code, every
// package says in a comment what it is for, and test/laws.md has exactly the tests of laws that exist.
func TestArchitectureMatchesTheCode(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	all := sources(t)
	documented := map[string]bool{}
	for _, s := range all {
		room, _, _ := strings.Cut(s.pkg, "/")
		if !strings.Contains(text, "`"+room+"`") && !strings.Contains(text, "`"+room+"/") {
			t.Errorf("ARCHITECTURE.md does not describe %s: add a sentence to section 3", room)
		}
		documented[s.pkg] = documented[s.pkg] || s.file.Doc != nil
	}
	for pkg, has := range documented {
		if !has {
			t.Errorf("%s has no comment on its package clause that says what it promises", pkg)
		}
	}
	laws, err := os.ReadFile("test/laws.md")
	if err != nil {
		t.Fatal(err)
	}
	named := slices.DeleteFunc(regexp.MustCompile(`\bTest\w+`).FindAllString(string(laws), -1), func(name string) bool {
		return name == "TestScripts" // TestThePageHasTheCrashTable
	})
	var exist []string
	for _, f := range testFiles(t, all) {
		exist = append(exist, regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllString(f, -1)...)
	}
	for i := range exist {
		exist[i] = strings.TrimPrefix(exist[i], "func ")
		if strings.HasPrefix(exist[i], "TestLaw") && !slices.Contains(named, exist[i]) {
			t.Errorf("test/laws.md does not name %s beside its law", exist[i])
		}
	}
	for _, name := range named {
		if !slices.Contains(exist, name) {
			t.Errorf("test/laws.md names %s, but that test does not exist", name)
		}
	}
}

// TestThePageHasTheCrashTable: engine/crashes.md has each row of the engine's crash tables, in the same
// words, and test/laws.md names only scripts that exist.
func TestThePageHasTheCrashTable(t *testing.T) {
	b, err := os.ReadFile("engine/crashes.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	laws, err := os.ReadFile("test/laws.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range tableCells(t, "engine/crash_test.go", "crashTable", 4) {
		if cells[0] == "" {
			cells[0] = "the plan"
		}
		hasRow(t, page, cells[0], cells[1], cells[3])
	}
	for _, cells := range tableCells(t, "engine/inprogress_test.go", "replaceTable", 4) {
		hasRow(t, page, cells...)
	}
	for _, m := range regexp.MustCompile("`TestScripts/([a-z0-9-]+)`").FindAllStringSubmatch(string(laws), -1) {
		if _, err := os.Stat("cmd/ovi/testdata/script/" + m[1] + ".txtar"); err != nil {
			t.Errorf("test/laws.md names a script that does not exist: %v", err)
		}
	}
}

func hasRow(t *testing.T, page string, cells ...string) {
	t.Helper()
	if row := strings.ReplaceAll("| "+strings.Join(cells, " | ")+" |", "|  |", "| |"); !strings.Contains(page, row) {
		t.Errorf("engine/crashes.md has no row %s", row)
	}
}

// tableCells returns the first strings of each row of a table in a test.
func tableCells(t *testing.T, file, table string, columns int) (rows [][]string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != table {
			return true
		}
		for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
			cells := make([]string, columns)
			for i, cell := range e.(*ast.CompositeLit).Elts[:columns] {
				cells[i], _ = strconv.Unquote(cell.(*ast.BasicLit).Value)
			}
			rows = append(rows, cells)
		}
		return false
	})
	if len(rows) == 0 {
		t.Errorf("%s has no %s", file, table)
	}
	return rows
}

// testFiles returns the text of every test of this module and of faultrun.
func testFiles(t *testing.T, all []source) []string {
	t.Helper()
	var out []string
	for _, s := range folders(all) {
		entries, err := os.ReadDir(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), "_test.go") {
				b, err := os.ReadFile(s + "/" + e.Name())
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, string(b))
			}
		}
	}
	return out
}

func folders(all []source) []string {
	out := []string{"."}
	for _, s := range all {
		if !slices.Contains(out, s.pkg) {
			out = append(out, s.pkg)
		}
	}
	return out
}

// TestLinksOfPagesLead: each relative link of a page leads to a file and, where it has a fragment, to a heading
// of that page.
func TestLinksOfPagesLead(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pages, anchors := []string{}, map[string]map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".md" && !strings.Contains(name, "testdata") {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
				continue
			}
			if anchors[file] == nil {
				anchors[file] = headings(t, file)
			}
			if fragment != "" && !anchors[file][fragment] {
				t.Errorf("%s links to %s: that page has no such heading", page, m[1])
			}
		}
	}
}

// headings returns the fragments by which links reach the headings of a page.
func headings(t *testing.T, page string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	if filepath.Ext(page) != ".md" {
		return out
	}
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(b), -1) {
		plain := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(m[1]), "")
		out[strings.ReplaceAll(plain, " ", "-")] = true
	}
	return out
}

// TestUnmaintainedModulesHaveAReason: CONTRIBUTING.md says why each of them stays, and names none that is gone.
func TestUnmaintainedModulesHaveAReason(t *testing.T) {
	b, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	modules, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "| module | state | why it stays |")
	table, _, _ = strings.Cut(table, "\n## ")
	for line := range strings.Lines(string(modules)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, unmaintained := range []string{
			"/mitchellh/", "golang/protobuf", "/bigfft", "/blackfriday", "/go-md2man", "fatih/color", "/smetrics", "pkg/errors", "gogo/protobuf",
			"golang/mock", "imdario/mergo", "gopkg.in/yaml.v2", "gopkg.in/yaml.v3",
		} {
			if strings.Contains(name, unmaintained) && !strings.Contains(table, "`"+name+"`") {
				t.Errorf("CONTRIBUTING.md gives no reason for %s", name)
			}
		}
	}
	for _, m := range regexp.MustCompile("`([a-z]+\\.[a-z]+/[^`]+)`").FindAllStringSubmatch(table, -1) {
		if !strings.Contains(string(modules), m[1]+" v") {
			t.Errorf("CONTRIBUTING.md gives a reason for %s, which is not used", m[1])
		}
	}
}
