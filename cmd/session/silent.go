package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/resource"
)

// answerWithin is the time that the start of a loop waits for a repository whose stacks are recorded.
const answerWithin = 2 * time.Second

// AcceptSoon reads a source for the start of a loop, as AcceptOrRecorded does. If a repository does not answer within
// two seconds, it returns the recorded stacks, so that the loops of other sources start. A repository without a record
// has no stack that could start, and is waited for.
func AcceptSoon(c *command.Call, paths []string, dir string) ([]resource.Intent, error) {
	if !IsKind(paths[0], Repository) {
		return AcceptOrRecorded(c, paths, dir)
	}
	type reading struct {
		intents []resource.Intent
		err     error
	}
	since, over := c.Now(), make(chan reading, 1)
	go func() { // it opens no data directory: the loops have it open by the time it ends
		intents, _, err := AcceptParts(c, paths, dir)
		over <- reading{intents, err}
	}()
	select {
	case r := <-over:
		return orRecorded(c, paths, dir, r.intents, r.err)
	case <-time.After(answerWithin):
	}
	recorded, err := recorded(c, paths, dir, fmt.Errorf("no answer since %s", since.UTC().Format(time.RFC3339)))
	if err != nil || len(recorded) > 0 {
		return recorded, err
	}
	r := <-over
	return orRecorded(c, paths, dir, r.intents, r.err)
}

// recorded returns the stacks that were accepted from a source that cannot be read now; none if there is no record.
func recorded(c *command.Call, paths []string, dir string, unread error) ([]resource.Intent, error) {
	if !hasRecord(c, dir) {
		return nil, nil
	}
	l, err := OpenLedger(c, dir)
	if err != nil {
		return nil, err
	}
	intents, err := recordedAs(c, l, paths, unread)
	return intents, errors.Join(err, l.Close())
}
