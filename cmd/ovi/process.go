package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/user"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
)

// process is what a command is given from outside. It is made by run and never changes.
type process struct {
	hard           context.Context // ends at the second Ctrl-C
	env            func(string) (string, bool)
	stdin          io.Reader
	stdout, stderr io.Writer
	answer         *answer // stdout, with what became of it
	now            func() time.Time
}

// getenv is the value of a variable, or "".
func (p *process) getenv(name string) string {
	v, _ := p.env(name)
	return v
}

// columnsOf is the width of the terminal a stream goes to; 0 and false for anything else.
func columnsOf(stream any) (int, bool) {
	if a, ok := stream.(*answer); ok {
		stream = a.w
	}
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return width, true
}

// styleOf is what may be shown on a stream: colour on a terminal that wants it.
func (p *process) styleOf(stream any, noColor bool) render.Style {
	width, terminal := columnsOf(stream)
	dumb := p.getenv("TERM") == "dumb"
	return render.Style{
		Width: width,
		Color: terminal && !noColor && !dumb && p.getenv("NO_COLOR") == "",
		Live:  terminal && !dumb,
	}
}

// call is one command being run.
type call struct {
	*process
	context.Context
	cli *cli.Context
	out *output
	log hclog.Logger
	// acting are closed records under whose claims something may still be done: kept, so that
	// the files that say so stay locked.
	acting []*ledger.Ledger
	// progress is what the screen shows while an apply goes on.
	progress atomic.Pointer[render.Progress]
}

// action makes a command's action of a function of its call. Every error ends up here: it is
// told in the format that was asked for, and becomes the exit code.
func (p *process) action(do func(*call) error) cli.ActionFunc {
	return func(cc *cli.Context) error {
		out, err := p.newOutput(cc)
		if err != nil {
			return err
		}
		log, err := p.newLog(cc)
		if err != nil {
			return err
		}
		c := &call{process: p, Context: cc.Context, cli: cc, out: out, log: log}
		if err = withinLimits(cc); err == nil {
			err = do(c)
		}
		return c.ended(errors.Join(err, out.finish()))
	}
}

// ended tells of an error, and is the exit code. What could not be written ends a command with
// an error also where nobody looked, but hides no other one.
func (c *call) ended(err error) error {
	lost, code := c.answer.failure(), codeOf(err)
	c.out.end(err)
	if lost != nil {
		if ds := diagnose(err); len(ds) == 0 || !errors.Is(err, lost) {
			c.out.end(lost)
		}
		code = worst(code, exitError)
	}
	return status(code)
}

// newLog is the log on standard error; silent unless asked for.
func (p *process) newLog(cc *cli.Context) (hclog.Logger, error) {
	name := cc.String("log-level")
	if name == "" {
		name = p.getenv("OVI_LOG")
	}
	if name == "" {
		name = "warn"
	}
	level := hclog.LevelFromString(name)
	if level == hclog.NoLevel {
		return nil, usage("write one of trace, debug, info, warn, error, off", "%q is no log level", name)
	}
	return hclog.New(&hclog.LoggerOptions{Name: "ovi", Level: level, Output: p.stderr}), nil
}

// arg is the n-th argument, or "".
func (c *call) arg(n int) string { return c.cli.Args().Get(n) }

// atMost refuses arguments the command has no use for.
func (c *call) atMost(n int) error {
	if c.cli.NArg() <= n {
		return nil
	}
	return usage("see `ovi "+c.cli.Command.Name+" --help`", "`ovi %s` has no use for the argument %q", c.cli.Command.Name, c.arg(n))
}

// user is who runs this, for the record.
func (p *process) user() string {
	for _, name := range []string{"OVI_USER", "USER", "LOGNAME", "USERNAME"} {
		if v := p.getenv(name); v != "" {
			return v
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "unknown"
}
