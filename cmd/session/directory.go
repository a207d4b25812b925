package session

import (
	"errors"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/ledger"
)

// askDirectory asks on a terminal whether a data directory of unknown origin is the user's own. Elsewhere, and without
// a yes, it returns the error with the ways out.
func askDirectory(c *command.Call, dir string, e *ledger.DirectoryError) error {
	refused := &cli.Problem{
		Summary: "the data directory is not known as your own", File: dir, Err: errors.New(e.Why),
		Suggestion: "if it came with a repository or an archive, delete it; if it is yours, accept it with " +
			"`ovi store trust --directory --data-dir " + dir + "`; in CI, set OVI_LOG_KEY_FILE to the key that signed it",
	}
	if c.Out.CanAsk(c.Stdin, "") != nil {
		return refused
	}
	c.Out.Warn(e.Error(), "type yes only if you put it there yourself: "+
		"ovi deletes resources that its audit log calls created or adopted")
	question := "Accept this data directory as your own?\nType yes to continue: "
	if err := c.Out.Ask(c, c.Stdin, question); err != nil {
		return errors.Join(err, refused)
	}
	return nil
}
