package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/term"
)

// hostileName sets the title of a terminal, clears it, overwrites a line, turns the direction of writing, hides a text
// and has bytes that are no text.
const hostileName = "x\x1b]0;evil\x07\x1b[2J\x1b[1A\rfake\u009b31m\u202edne\u200bz\x9b2J\x1b[8m"

// sinks are the ways in which a text reaches a terminal. Each writes a name of someone else as it is.
func sinks() map[string]func(o *Output, p *Process, name string) error {
	return map[string]func(o *Output, p *Process, name string) error{
		"a sentence": func(o *Output, _ *Process, s string) error { o.Say("%s", s); return nil },
		"a table": func(o *Output, _ *Process, s string) error {
			return o.Table(render.Table{Head: []string{s}, Rows: [][]string{{s}}}, "")
		},
		"no rows":   func(o *Output, _ *Process, s string) error { return o.Table(render.Table{}, s) },
		"a warning": func(o *Output, _ *Process, s string) error { o.Warn(s, s); return nil },
		"an error":  func(o *Output, _ *Process, s string) error { o.End(errors.New(s)); return nil },
		"a problem": func(o *Output, _ *Process, s string) error {
			o.End(&Problem{Summary: s, File: s, Err: errors.New(s), Suggestion: s})
			return nil
		},
		"a wrong line": func(o *Output, p *Process, s string) error { p.Misused([]string{s}).End(Usage(s, "%s", s)); return nil },
		"a document":   func(o *Output, _ *Process, s string) error { return o.Print([]byte(s)) },
		"records": func(_ *Output, p *Process, s string) error {
			return render.NewJSON(p.Stdout).Encode(render.Info{Type: "x", Data: s})
		},
		"YAML": func(_ *Output, p *Process, s string) error {
			return render.NewYAML(p.Stdout).Encode(render.Info{Type: "x", Data: s})
		},
		"a question": func(o *Output, _ *Process, s string) error {
			return o.Ask(context.Background(), strings.NewReader("yes\n"), s)
		},
		"the log": func(_ *Output, p *Process, s string) error {
			l, err := p.NewLog("trace", "")
			if err == nil {
				l.Warn(s, s, s)
			}
			return err
		},
		"shared":          func(o *Output, _ *Process, s string) error { o.Share(); _, err := fmt.Fprintln(o.W, s); return err },
		"standard output": func(_ *Output, p *Process, s string) error { _, err := io.WriteString(p.Stdout, s); return err },
		"standard error":  func(_ *Output, p *Process, s string) error { _, err := io.WriteString(p.Stderr, s); return err },
		"byte by byte": func(_ *Output, p *Process, s string) (err error) {
			for i := range len(s) {
				_, bad := p.Stderr.Write([]byte{s[i]})
				err = errors.Join(err, bad)
			}
			return err
		},
	}
}

// TestNoSinkPassesAHostileName: through each sink, and nothing of it changes a terminal. A document that goes to a file
// or another program is not changed, and the only one.
func TestNoSinkPassesAHostileName(t *testing.T) {
	t.Parallel()
	for name, write := range sinks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			answer := &Answer{W: &out}
			p := &Process{Stdout: answer, Answer: answer, Stderr: &Screen{W: &out}, Env: func(string) (string, bool) { return "", false }}
			o := &Output{Format: AsTable, Answer: answer, W: p.Stdout, ErrW: p.Stderr, Held: p.Held}
			if err := write(o, p, hostileName); err != nil {
				t.Fatal(err)
			}
			text := out.String()
			if name == "a document" {
				if text != hostileName+"\n" {
					t.Errorf("a document became %q", text)
				}
				return
			}
			if !strings.Contains(text, "fake") || !utf8.ValidString(text) || strings.ContainsFunc(strings.ReplaceAll(strings.ReplaceAll(text, "\n", ""), "\t", ""), term.UnsafeRune) {
				t.Errorf("it writes %q", text)
			}
		})
	}
}
