package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTranscripts runs every command of the transcripts of a page, in order, in one world, and compares what
// they print. A YAML block that begins with the name of a file is saved as that file when its turn comes. -update
// rewrites the page.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"README.md", "docs/start.md"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("../..", page)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "shop")
			if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")); err != nil {
				t.Fatal(err)
			}
			commands := 0
			block := regexp.MustCompile("(?s)```(console|yaml)\n(.*?)```")
			now := block.ReplaceAllStringFunc(string(text), func(b string) string {
				m := block.FindStringSubmatch(b)
				if m[1] == "yaml" {
					save(t, dir, m[2])
					return b
				}
				commands += strings.Count(m[2], "$ ovi ")
				return "```console\n" + rerun(t, dir, b) + "```"
			})
			if commands < 3 {
				t.Errorf("%s runs %d commands", page, commands)
			}
			if *update {
				if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(masked(string(text)), masked(now)); diff != "" {
				t.Errorf("%s is stale, `make golden` rewrites it (-want +got):\n%s", page, diff)
			}
		})
	}
}

// save writes a block whose first line is a comment with the name of a file.
func save(t *testing.T, dir, block string) {
	t.Helper()
	name := regexp.MustCompile(`^# (\S+\.yaml)\n`).FindStringSubmatch(block)
	if name == nil {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name[1]), []byte(block), 0o600); err != nil {
		t.Fatal(err)
	}
}

// rerun runs the commands of one block and gives the block with what they print.
func rerun(t *testing.T, dir, block string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(block, "\n") {
		command, ok := strings.CutPrefix(line, "$ ovi ")
		if !ok {
			continue
		}
		out, err := ovi(t, dir, strings.Fields(command)...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		fmt.Fprintf(&b, "%s\n%s", line, withoutStarts(string(out)))
	}
	return b.String()
}

// withoutStarts leaves out the lines that only a pipe gets: on a terminal a running action is
// drawn and vanishes.
func withoutStarts(out string) string {
	return regexp.MustCompile(`(?m)^(?:\+|~|-/\+|-) \S+  (creating|updating|deleting|replacing)(, with a restart)?\n`).ReplaceAllString(out, "")
}

// masked removes what varies between runs: IDs, times, and the order in which actions
// that run side by side end.
func masked(text string) string {
	text = regexp.MustCompile(`\b(i|vpc|sg|subnet|vol)-0[0-9a-f]{16}`).ReplaceAllString(text, "$1-0…")
	text = regexp.MustCompile(`\d+\.\ds`).ReplaceAllString(text, "0.0s")
	text = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`).ReplaceAllString(text, "TIME")
	text = regexp.MustCompile(`\b2\d{3}-\d\d-\d\d\b`).ReplaceAllString(text, "DATE")
	text = regexp.MustCompile(`\b\d+s ago`).ReplaceAllString(text, "0s ago")
	text = regexp.MustCompile(`\b(records?)( +)[\d, -]+`).ReplaceAllString(text, "$1 N")
	text = regexp.MustCompile(`(?m)^\d+ +TIME`).ReplaceAllString(text, "N  TIME")
	lines := strings.Split(text, "\n")
	ended := regexp.MustCompile(`^(?:\+|~|-/\+|-) \S+  `)
	for i := 0; i < len(lines); i++ {
		j := i
		for j < len(lines) && ended.MatchString(lines[j]) {
			j++
		}
		slices.Sort(lines[i:j])
	}
	return strings.Join(lines, "\n")
}

// TestShellCommandsOfPages: commands besides ovi that a page tells people to type work. A command through
// `go run` is run here by the binary that this test is; a make target must be one.
func TestShellCommandsOfPages(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	dir, ran := t.TempDir(), 0
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"README.md", "docs/start.md"} {
		text, err := os.ReadFile(filepath.Join("../..", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			for line := range strings.SplitSeq(strings.TrimSpace(b[1]), "\n") {
				words := strings.Fields(line)
				switch {
				case strings.HasPrefix(line, "go run ./cmd/ovi "):
					ran++
					if out, err := ovi(t, dir, words[3:]...).CombinedOutput(); err != nil {
						t.Errorf("%s: %v\n%s", line, err, out)
					}
				case words[0] == "make" && strings.Contains(string(makefile), "\n"+words[1]+":"):
				case line == "git clone https://github.com/ovi-project/ovi && cd ovi":
				default:
					t.Errorf("%s says %q: nothing tries it", page, line)
				}
			}
		}
	}
	if ran == 0 {
		t.Error("the pages run nothing from the source: the main job belongs there")
	}
}
