package ovi_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheMapIsTrue holds ARCHITECTURE.md to the code: it names every package, and of the tests
// that bear a law's name just those that are.
func TestTheMapIsTrue(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	all := sources(t)
	for _, s := range all {
		if !strings.Contains(text, "`"+s.pkg+"`") && !within(s.pkg, "bench") && s.pkg != "internal/awsfake/raw" {
			t.Errorf("ARCHITECTURE.md does not say what %s is for: give it a sentence in section 3", s.pkg)
		}
	}
	law := regexp.MustCompile(`TestLaw[0-9]_\w+`)
	told := law.FindAllString(text, -1)
	var there []string
	for _, f := range testFiles(t, all) {
		there = append(there, regexp.MustCompile(`(?m)^func (TestLaw[0-9]_\w+)`).FindAllString(f, -1)...)
	}
	for i := range there {
		there[i] = strings.TrimPrefix(there[i], "func ")
		if !slices.Contains(told, there[i]) {
			t.Errorf("ARCHITECTURE.md does not name %s beside its law", there[i])
		}
	}
	for _, name := range told {
		if !slices.Contains(there, name) {
			t.Errorf("ARCHITECTURE.md names %s, and there is no such test", name)
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
