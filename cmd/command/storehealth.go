package command

import (
	"fmt"
	"time"
)

// HeardOfStore reports that the store does not answer, and that it answers again. No action starts
// between the two, because its start would have to be recorded first.
func HeardOfStore(c *Call, err error) {
	at := c.Now().UTC().Format(time.TimeOnly)
	what, next := "the store answers again", ""
	if err != nil {
		what = "the store does not answer; no action is started (" + err.Error() + ")"
		next = "check the store; actions in flight continue until their claims expire and are then recovered"
	}
	switch progress := c.Progress.Load(); {
	case progress != nil && next == "":
		progress.Notice(what)
	case progress != nil:
		progress.Notice("warning: " + what)
	case err != nil:
		c.Out.Warn(fmt.Sprintf("%s  %s", at, what), next)
	default:
		c.Out.Say("%s  %s", at, what)
	}
}
