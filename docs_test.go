package ovi_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchitectureMatchesTheCode: ARCHITECTURE.md names every package, and exactly the tests of
// laws that exist.
func TestArchitectureMatchesTheCode(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	all := sources(t)
	for _, s := range all {
		if !strings.Contains(text, "`"+s.pkg+"`") && !within(s.pkg, "bench") && s.pkg != "internal/awsfake/raw" {
			t.Errorf("ARCHITECTURE.md does not describe %s: add a sentence to section 3", s.pkg)
		}
	}
	law := regexp.MustCompile(`TestLaw[0-9]+_\w+`)
	named := law.FindAllString(text, -1)
	var exist []string
	for _, f := range testFiles(t, all) {
		exist = append(exist, regexp.MustCompile(`(?m)^func (TestLaw[0-9]+_\w+)`).FindAllString(f, -1)...)
	}
	for i := range exist {
		exist[i] = strings.TrimPrefix(exist[i], "func ")
		if !slices.Contains(named, exist[i]) {
			t.Errorf("ARCHITECTURE.md does not name %s beside its law", exist[i])
		}
	}
	for _, name := range named {
		if !slices.Contains(exist, name) {
			t.Errorf("ARCHITECTURE.md names %s, but that test does not exist", name)
		}
	}
}

// testFiles gives the text of every test of this module and of faultrun.
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
