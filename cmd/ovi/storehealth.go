package main

import (
	"fmt"
	"time"
)

// heardOfStore tells that the store is silent, and that it answers again. Between the two nothing
// is begun: a beginning would have to be recorded first.
func (c *call) heardOfStore(err error) {
	at := c.Now().UTC().Format(time.TimeOnly)
	what, next := "the store answers again", ""
	if err != nil {
		what = "the store is silent: nothing more is begun (" + err.Error() + ")"
		next = "nothing here, but see to the store: what is in flight goes on as long as its claims last, and is settled by looking"
	}
	switch progress := c.progress.Load(); {
	case progress != nil && next == "":
		progress.Notice(what)
	case progress != nil:
		progress.Notice("warning: " + what)
	case err != nil:
		c.out.Warn(fmt.Sprintf("%s  %s", at, what), next)
	default:
		c.out.Say("%s  %s", at, what)
	}
}
