package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// checkLoud rejects --show-errors where standard error is not a terminal: a file, a pipe or a journal would keep the
// secrets.
func checkLoud(c *Call) error {
	if !c.Out.ShowErrors || c.OnTerminal() {
		return nil
	}
	return cli.Usage("run the command on a terminal, without a redirection of standard error",
		"--show-errors needs a terminal: standard error is not one")
}

// Loud returns the function that keeps the whole text of errors in a data directory and, with --show-errors, shows it
// on the terminal.
func (c *Call) Loud(dir string) func(ref resource.Ref, text string) {
	return func(ref resource.Ref, text string) {
		if err := keepError(dir, KeptError{Ref: ref, At: c.Now().UTC(), Text: text}); err != nil {
			c.Log.Warn("the whole text of an error is not kept", "resource", ref.Short(), "error", err)
		}
		if c.ShowsErrors() {
			c.ShowError(ref.Short()+": the whole error", text)
		}
	}
}

// ShowsErrors reports whether the command shows the whole text of errors: --show-errors, on a terminal.
func (c *Call) ShowsErrors() bool { return c.Out.ShowErrors && c.OnTerminal() }

// ShowError writes the whole text of an error to the terminal of standard error, below a title.
func (c *Call) ShowError(title, text string) {
	var out strings.Builder
	fmt.Fprintf(&out, "%s, on this terminal alone:\n", title)
	for line := range strings.Lines(text) {
		out.WriteString("    " + term.Printable(strings.TrimRight(line, "\r\n")) + "\n")
	}
	_, _ = io.WriteString(c.Stderr, out.String()) // the error itself is reported elsewhere
}
