package main

import (
	"context"
	"errors"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
)

func timeoutFlag() urfave.Flag {
	return &urfave.DurationFlag{Name: "timeout", Usage: "start nothing more after `DURATION`, and cancel what still runs 10s later (default: no limit)"}
}

// errTimeout is why the context of a command with --timeout ended.
var errTimeout = errors.New("the timeout is over")

// afterTimeout is how long running actions have to end.
const afterTimeout = 10 * time.Second

// bounded ends the command's contexts as --timeout says. The returned function must be called.
func (c *call) bounded() context.CancelFunc {
	limit := c.cmd.Duration("timeout")
	if limit <= 0 {
		return func() {}
	}
	soft, endSoft := context.WithTimeoutCause(c.Context, limit, errTimeout)
	hard, endHard := context.WithTimeoutCause(c.Hard, limit+afterTimeout, errTimeout)
	c.Context, c.cut = soft, hard
	return func() { endSoft(); endHard() }
}

// hard is the context whose end cancels running actions.
func (c *call) hard() context.Context {
	if c.cut != nil {
		return c.cut
	}
	return c.Hard
}

// timedOut reports whether --timeout stopped the command.
func (c *call) timedOut() bool { return errors.Is(context.Cause(c), errTimeout) }

// stopped is the exit code of a command that was stopped before its end.
func (c *call) stopped() int {
	if c.timedOut() {
		return cli.ExitFailed
	}
	return cli.ExitInterrupted
}
