package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/exposed"
)

// Call is one command being run.
type Call struct {
	*Process
	context.Context
	Cmd *urfave.Context
	Out *cli.Output
	Log hclog.Logger
	cut context.Context // with --timeout: ends running actions
	// Acting are closed ledgers under whose claims an action may still run: kept, so that the
	// files that show this stay locked.
	Acting []*ledger.Ledger
	// Reported is called when a location has reported by itself; nil means that nothing waits for that.
	Reported func(resource.Scope)
	// Alarmed is called with each alarm of a provider; nil means that they are warnings.
	Alarmed func(provider.Alarm)
	// Ordered is called with the orders of a central orchestrator; nil means that nothing obeys them.
	Ordered func(site string, o provider.Orders)
	// Environment is one of several environments of the configuration; "" means the one of --env or OVI_ENV.
	Environment string
	*readings
	// Progress is what the screen shows during an apply.
	Progress atomic.Pointer[render.Progress]
}

// readings are the memory of a command about its sources. The calls of its environments share it.
type readings struct {
	// Secrets are those that were digested, for a configuration that cannot be read now.
	Secrets knownSecrets
	// Repositories are the clones of this command, by URL and folder: what did not change is not read again.
	Repositories sync.Map
	// Versions are what was read last, such as a commit, by stack.
	Versions sync.Map
	// Exposed has the evident secrets in plain text of the configuration that was read last.
	Exposed atomic.Pointer[exposed.Finder]
}

// InEnvironment returns a call that reads the sources for one environment of the configuration.
func (c *Call) InEnvironment(name string) *Call {
	return &Call{
		Process: c.Process, Context: c.Context, Cmd: c.Cmd, Out: c.Out, Log: c.Log, cut: c.cut,
		Environment: name, readings: c.readings,
	}
}

// Action makes a command's action from a function of its call. Every error ends up here: it is
// reported in the format that was asked for, and becomes the exit code.
func (p *Process) Action(do func(*Call) error) urfave.ActionFunc {
	return func(cc *urfave.Context) error {
		out, err := p.NewOutput(cc)
		if err != nil {
			return err
		}
		log, err := p.NewLog(logLevel(cc), cc.String("log-format"))
		if err != nil {
			return err
		}
		c := &Call{Process: p, Context: cc.Context, Cmd: cc, Out: out, Log: log, readings: &readings{}}
		if err = errors.Join(cli.CheckLimits(cc), checkLoud(c)); err == nil {
			err = do(c)
		}
		return c.Ended(errors.Join(err, out.Finish()))
	}
}

// Staying makes the action of a command that runs until it is interrupted. An interruption is its normal end at any
// moment, even while the command starts: the exit code is 0.
func (p *Process) Staying(do func(*Call) error) urfave.ActionFunc {
	return p.Action(func(c *Call) error { return c.Interrupted(do(c)) })
}

// Interrupted returns the error of such a command, or nil if the error only says that the command was interrupted. Any
// other error stays, such as an error on closing a store.
func (c *Call) Interrupted(err error) error {
	if c.Err() != nil && !c.TimedOut() && onlyInterrupted(err) {
		return nil
	}
	return err
}

func onlyInterrupted(err error) bool {
	if joined, is := err.(interface{ Unwrap() []error }); is {
		return !slices.ContainsFunc(joined.Unwrap(), func(e error) bool { return !onlyInterrupted(e) })
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, cli.ErrInterrupted)
}

// logLevel is that of --log-level, or of --verbose for commands that have no other use for it.
func logLevel(cc *urfave.Context) string {
	for _, f := range cc.Command.Flags {
		if v, is := f.(*urfave.BoolFlag); is && v.Name == "verbose" && v.Category == cli.Everywhere && cc.Bool("verbose") &&
			!cc.IsSet("log-level") {
			return "debug"
		}
	}
	return cc.String("log-level")
}

// Ended reports an error and gives the exit code. Output that could not be written ends a command
// with an error too, and hides no other one.
func (c *Call) Ended(err error) error {
	if errors.Is(err, context.DeadlineExceeded) && c.TimedOut() {
		err = &cli.Problem{
			Summary: "stopped by --timeout before anything was changed", Err: err,
			Suggestion: "use a longer --timeout",
		}
	}
	lost, code := c.Answer.Failure(), cli.CodeOf(err)
	c.Out.End(err)
	if lost != nil {
		if ds := cli.Diagnose(err); len(ds) == 0 || !errors.Is(err, lost) {
			c.Out.End(lost)
		}
		code = cli.Worst(code, cli.ExitError)
	}
	return cli.Exit(code)
}

// Arg is the n-th argument, or "".
func (c *Call) Arg(n int) string { return c.Cmd.Args().Get(n) }

// AtMost refuses arguments the command does not use.
func (c *Call) AtMost(n int) error {
	if c.Cmd.NArg() <= n {
		return nil
	}
	name := c.Cmd.Command.HelpName // with the command that it is below
	return cli.Usage("see `"+name+" --help`", "unexpected argument %q for `%s`", c.Arg(n), name)
}

// Process is ovi, with what it is given from outside.
type Process struct {
	cli.Process
	Table func(*Process, hclog.Logger) []provider.Entry
}

// versionOf is what was read last of a stack; "" means that nothing was read yet.
func (c *Call) versionOf(stack string) string {
	v, _ := c.Versions.Load(stack)
	text, _ := v.(string)
	return text
}

// Closer closes what a command has opened.
type Closer func() error

// StateDir is the user's folder for what has no other place: $XDG_STATE_HOME/ovi.
func (p *Process) StateDir() string {
	state := p.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = filepath.Join(p.Getenv("HOME"), ".local", "state")
	}
	return filepath.Join(state, "ovi")
}

// CacheDir returns the user's folder for files that ovi can fetch again: $XDG_CACHE_HOME/ovi. It is empty if the user
// has none.
func (p *Process) CacheDir() string {
	if cache := p.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(cache) {
		return filepath.Join(cache, "ovi")
	}
	if home := p.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "ovi")
	}
	return ""
}

// Ago is the age of something, or "never".
func (c *Call) Ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return phrase.Age(c.Now().Sub(t)) + " ago"
}

// Elapsed is how long ago a time was, and never negative: the clock may have been set back.
func (c *Call) Elapsed(since time.Time) time.Duration { return max(c.Now().Sub(since), 0) }

// Given returns the first of the options that the command line gives, whatever their values are; "" if it gives none.
func (c *Call) Given(options ...string) string {
	return append(c.AllGiven(options...), "")[0]
}

// AllGiven returns the options that the command line gives, whatever their values are.
func (c *Call) AllGiven(options ...string) (given []string) {
	for _, name := range options {
		if c.Cmd.IsSet(name) {
			given = append(given, name)
		}
	}
	return given
}

// GivenLine returns the arguments and the options that the command line gives, as --NAME=VALUE.
func (c *Call) GivenLine() []string {
	out := append([]string{}, c.Cmd.Args().Slice()...)
	for _, f := range c.Cmd.Command.Flags {
		if name := f.Names()[0]; c.Cmd.IsSet(name) {
			out = append(out, fmt.Sprintf("--%s=%v", name, c.Cmd.Value(name)))
		}
	}
	return out
}

// Assume sets an option that the command line does not give.
func (c *Call) Assume(option, value string) error {
	if c.Given(option) != "" {
		return nil
	}
	return c.Cmd.Set(option, value)
}

// Takes reports whether the command has an option.
func (c *Call) Takes(option string) bool {
	return slices.ContainsFunc(c.Cmd.Command.Flags, func(f urfave.Flag) bool { return slices.Contains(f.Names(), option) })
}

// NamesDir reports whether the user named the data directory.
func (c *Call) NamesDir() bool {
	return DataDirOf(c) != "" || c.Process.Getenv("OVI_DATA_DIR") != ""
}
