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
	if !c.Cmd.Bool("show-errors") || c.OnTerminal() {
		return nil
	}
	return cli.Usage("run the command on a terminal, without a redirection of standard error",
		"--show-errors needs a terminal: standard error is not one")
}

// Loud returns the function that shows the whole text of errors on the terminal; nil without --show-errors.
func (c *Call) Loud() func(ref resource.Ref, text string) {
	if !c.Cmd.Bool("show-errors") || !c.OnTerminal() {
		return nil
	}
	return func(ref resource.Ref, text string) {
		var out strings.Builder
		fmt.Fprintf(&out, "%s: the whole error, on this terminal alone:\n", ref.Short())
		for line := range strings.Lines(text) {
			out.WriteString("    " + term.Printable(strings.TrimRight(line, "\r\n")) + "\n")
		}
		_, _ = io.WriteString(c.Stderr, out.String()) // the error itself is reported elsewhere
	}
}
