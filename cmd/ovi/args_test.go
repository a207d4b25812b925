package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
	"pgregory.net/rapid"
)

func tidied(t *testing.T, line ...string) ([]string, error) {
	t.Helper()
	return tidyArgs((&process{}).app().Commands, line)
}

func TestOptionsStandOnEitherSide(t *testing.T) {
	want := []string{"plan", "--sandbox", "--out=x.plan", "--", "ovi.yaml"}
	for name, line := range map[string]string{
		"after the argument":           "plan ovi.yaml --sandbox --out x.plan",
		"before the argument":          "plan --sandbox --out x.plan ovi.yaml",
		"before the command":           "--sandbox --out x.plan plan ovi.yaml",
		"around everything":            "--sandbox plan ovi.yaml -out=x.plan",
		"with one dash":                "plan -sandbox -out x.plan ovi.yaml",
		"with an equals sign":          "plan --sandbox --out=x.plan ovi.yaml",
		"with the end of options said": "plan --sandbox --out x.plan -- ovi.yaml",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tidied(t, strings.Fields(line)...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", line, diff)
			}
		})
	}
}

func TestArgumentsThatLookLikeOptions(t *testing.T) {
	got, err := tidied(t, "plan", "--", "--sandbox", "-")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"plan", "--", "--sandbox", "-"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrongCommandLinesSayWhatToDo(t *testing.T) {
	for name, x := range map[string]struct{ line, summary, next string }{
		"a misspelt command":           {"aply x.yaml", "there is no command `ovi aply`", "did you mean `ovi apply`?"},
		"a misspelt subcommand":        {"audit lgo", "there is no command `ovi audit lgo`", "did you mean `ovi audit log`?"},
		"a misspelt option":            {"apply --paralelism 3", "`ovi apply` has no option --paralelism", "did you mean --parallelism?"},
		"an option of another command": {"status --auto-approve", "`ovi status` has no option --auto-approve", "see `ovi status --help`"},
		"an option without its value":  {"plan --out", "option --out needs a value", "write --out VALUE"},
		"an option without a command":  {"--sandbox", "option --sandbox, but no command", "see `ovi help`"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tidied(t, strings.Fields(x.line)...)
			var p *problem
			if !errors.As(err, &p) {
				t.Fatalf("%s: got %v", x.line, err)
			}
			if p.summary != x.summary || p.next != x.next {
				t.Errorf("%s:\ngot  %s / %s\nwant %s / %s", x.line, p.summary, p.next, x.summary, x.next)
			}
		})
	}
}

// TestNoCommandLinePanics: whatever is typed, the answer is an error or an order of words,
// with every argument kept in its order.
func TestNoCommandLinePanics(t *testing.T) {
	commands := (&process{}).app().Commands
	word := rapid.SampledFrom([]string{"plan", "apply", "audit", "log", "sandbox", "break", "-", "--", "--out", "-f", "--sandbox", "--out=", "-=", "---", "x", "", "--help", "ü"})
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SliceOfN(word, 0, 8).Draw(t, "line")
		out, err := tidyArgs(commands, line)
		if err == nil && len(out) > 2*len(line)+3 {
			t.Fatalf("%q became %q", line, out)
		}
	})
}

// TestEveryCommandHelps: each command has a help text that names it, and says nothing on
// standard error.
func TestEveryCommandHelps(t *testing.T) {
	p := &process{}
	each(p.app().Commands, "", func(path string, _ *cli.Command) {
		var out, bad bytes.Buffer
		args := append(strings.Fields(path), "--help")
		code := run(context.Background(), context.Background(), args, none, strings.NewReader(""), &out, &bad)
		if code != 0 || bad.Len() > 0 || !strings.HasPrefix(out.String(), "ovi"+path+": ") {
			t.Errorf("ovi%s --help: code %d, errors %q, begins %.60q", path, code, bad.String(), out.String())
		}
	})
}

func none(string) (string, bool) { return "", false }
