package main

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/internal/drawn"
)

func tidied(t *testing.T, line ...string) ([]string, error) {
	t.Helper()
	return cli.Tidy(newApp(&command.Process{Table: table}).Commands, line)
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
		"an unknown command":           {"aply x.yaml", "unknown command `ovi aply`", "did you mean `ovi apply`?"},
		"an unknown subcommand":        {"audit lgo", "unknown command `ovi audit lgo`", "did you mean `ovi audit log`?"},
		"two environments":             {"plan --env dev --env prod", "--env is given twice: dev and prod", "use one --env; run the command for each environment, or `ovi run` for several"},
		"an unknown option":            {"apply --paralelism 3", "unknown option --paralelism for `ovi apply`", "did you mean --parallelism?"},
		"an option of another command": {"status --auto-approve", "unknown option --auto-approve for `ovi status`", "see `ovi status --help`"},
		"a short word is not another":  {"plan --foo", "unknown option --foo for `ovi plan`", "see `ovi plan --help`"},
		"a plan to save by apply":      {"apply --out x", "unknown option --out for `ovi apply`", "save a plan with `ovi plan --out FILE`"},
		"a yes of another tool":        {"apply --yes", "unknown option --yes for `ovi apply`", "use --auto-approve"},
		"an option without its value":  {"plan --out", "option --out needs a value", "use --out VALUE"},
		"an option without a command":  {"--sandbox", "option --sandbox without a command", "see `ovi help`"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tidied(t, strings.Fields(x.line)...)
			var p *cli.Problem
			if !errors.As(err, &p) {
				t.Fatalf("%s: got %v", x.line, err)
			}
			if p.Summary != x.summary || p.Suggestion != x.next {
				t.Errorf("%s:\ngot  %s / %s\nwant %s / %s", x.line, p.Summary, p.Suggestion, x.summary, x.next)
			}
		})
	}
}

// TestNoCommandLinePanics: whatever is typed, the answer is an error or an order of words,
// with every argument kept in its order.
func TestNoCommandLinePanics(t *testing.T) {
	commands := newApp(&command.Process{Table: table}).Commands
	words := []string{"plan", "apply", "audit", "log", "sandbox", "break", "-", "--", "--out", "-f", "--sandbox", "--out=", "-=", "---", "x", "", "--help", "ü"}
	draws := drawn.Rand(t)
	for range 100 {
		line := make([]string, draws.IntN(9))
		for i := range line {
			line[i] = words[draws.IntN(len(words))]
		}
		out, err := cli.Tidy(commands, line)
		if err == nil && len(out) > 2*len(line)+3 {
			t.Fatalf("%q became %q", line, out)
		}
	}
}

// TestEveryCommandHelps: the help of each command starts with a verb and shows how it is typed.
func TestEveryCommandHelps(t *testing.T) {
	p := &command.Process{Table: table}
	cli.Each(newApp(p).Commands, "", func(path string, _ *urfave.Command) {
		var out, bad bytes.Buffer
		args := append(strings.Fields(path), "--help")
		code := run(context.Background(), context.Background(), args, none, strings.NewReader(""), &out, &bad)
		if code != 0 || bad.Len() > 0 || !strings.Contains(out.String(), "\nUsage: ovi"+path+" ") || !verb.MatchString(out.String()) {
			t.Errorf("ovi%s --help: code %d, errors %q, begins %.60q", path, code, bad.String(), out.String())
		}
	})
}

// verb begins a sentence: one that is written as a command.
var verb = regexp.MustCompile(`^[A-Z][a-z]+,? [^\n]*\.\n`)

func none(string) (string, bool) { return "", false }
