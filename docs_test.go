package ovi_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages are the documents, with their text.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			out[f] = string(b)
		}
	}
	return out
}

// TestLinksLeadSomewhere: what a page links to inside the repository is there.
func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for file, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", file, m[1])
			}
		}
	}
}

// TestNamedTestsExist: a law in ARCHITECTURE.md that names a test has that test, and each law
// names at least one.
func TestNamedTestsExist(t *testing.T) {
	there := testNames(t)
	text := pages(t)["ARCHITECTURE.md"]
	named := regexp.MustCompile("`(Test[A-Za-z0-9_]+)(/[a-z0-9-]+)?`").FindAllStringSubmatch(text, -1)
	for _, m := range named {
		if m[2] != "" {
			if _, err := os.Stat("cmd/ovi/testdata/script" + m[2] + ".txtar"); err != nil {
				t.Errorf("ARCHITECTURE.md names the script %s: %v", m[2], err)
			}
		}
		if !slices.Contains(there, m[1]) {
			t.Errorf("ARCHITECTURE.md names %s, which is no test", m[1])
		}
	}
	for _, law := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		row := regexp.MustCompile(`(?m)^\| ` + law + `\. .*$`).FindString(text)
		if !strings.Contains(row, "`Test") {
			t.Errorf("law %s names no test: %q", law, row)
		}
	}
}

// TestCrashTableIsTheTestedOne: each row of the table that the engine's test dies through
// stands in ARCHITECTURE.md in the same words.
func TestCrashTableIsTheTestedOne(t *testing.T) {
	code, err := os.ReadFile("engine/crash_test.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\t\{"[^"]*", "[^"]*", "[^"]*", "([^"]+)"\},$`).FindAllSubmatch(code, -1)
	if len(rows) < 8 {
		t.Fatalf("%d rows found in engine/crash_test.go, want at least 8", len(rows))
	}
	text := pages(t)["ARCHITECTURE.md"]
	for _, row := range rows {
		if !strings.Contains(text, "| "+string(row[1])+" |") {
			t.Errorf("ARCHITECTURE.md lacks the row %q", row[1])
		}
	}
}

// TestProviderGuideNamesItsCases: each case of the conformance suite stands in the guide, and
// the guide names no other.
func TestProviderGuideNamesItsCases(t *testing.T) {
	code, err := os.ReadFile("provider/providertest/suite.go")
	if err != nil {
		t.Fatal(err)
	}
	var cases []string
	for _, m := range regexp.MustCompile(`(?m)^\t\t\{"(\w+)", \w+\},$`).FindAllSubmatch(code, -1) {
		cases = append(cases, string(m[1]))
	}
	text := pages(t)["docs/provider-guide.md"]
	for _, c := range cases {
		if !strings.Contains(text, "`"+c+"`") {
			t.Errorf("docs/provider-guide.md does not name the case %s", c)
		}
	}
	table := text[strings.Index(text, "| promise"):strings.Index(text, "## Errors")]
	for _, m := range regexp.MustCompile("`([A-Z][a-z]+[A-Z]\\w+)`[,|]? *\\|?$").FindAllStringSubmatch(table, -1) {
		if !slices.Contains(cases, m[1]) {
			t.Errorf("docs/provider-guide.md names %s, which is no case", m[1])
		}
	}
}

func testNames(t *testing.T) []string {
	t.Helper()
	var out []string
	declared := regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]+)\(`)
	err := filepath.WalkDir(".", func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		b, err := os.ReadFile(name)
		for _, m := range declared.FindAllSubmatch(b, -1) {
			out = append(out, string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
