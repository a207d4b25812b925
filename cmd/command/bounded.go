package command

import (
	"context"
	"errors"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
)

// TimeoutFlag returns the option --timeout.
func TimeoutFlag() urfave.Flag {
	return &urfave.DurationFlag{
		Name:  "timeout",
		Usage: "start nothing more after `DURATION`, and cancel what still runs 10s later (default: no limit)",
	}
}

// timeoutOf returns the value of --timeout; 0 if there is no limit.
func timeoutOf(c *Call) time.Duration { return c.Cmd.Duration("timeout") }

// ErrTimeout is why the context of a command with --timeout ended.
var ErrTimeout = errors.New("the timeout is over")

// AfterTimeout is how long running actions have to end.
const AfterTimeout = 10 * time.Second

// Bounded ends the command's contexts as --timeout says, and at a hangup. The returned function must
// be called. It comes before all that uses the contexts: what a plan has left running may read them
// until the process ends, so nothing changes them later.
func (c *Call) Bounded() context.CancelFunc {
	heedful, heedless := cli.Hangup(c.Context)
	c.Context = heedful
	limit := timeoutOf(c)
	if limit <= 0 {
		return heedless
	}
	soft, endSoft := context.WithTimeoutCause(c.Context, limit, ErrTimeout)
	hard, endHard := context.WithTimeoutCause(c.Hard, limit+AfterTimeout, ErrTimeout)
	c.Context, c.cut = soft, hard
	return func() { endSoft(); endHard(); heedless() }
}

// HardContext is the context whose end cancels running actions.
func (c *Call) HardContext() context.Context {
	if c.cut != nil {
		return c.cut
	}
	return c.Hard
}

// TimedOut reports whether --timeout stopped the command.
func (c *Call) TimedOut() bool { return errors.Is(context.Cause(c), ErrTimeout) }

// Stopped is the exit code of a command that was stopped before its end.
func (c *Call) Stopped() int {
	if c.TimedOut() {
		return cli.ExitFailed
	}
	return cli.ExitInterrupted
}
