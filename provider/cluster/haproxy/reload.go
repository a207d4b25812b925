package haproxy

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	// reloadWait is how long a reload may take.
	reloadWait = 20 * time.Second
	// poll is how often a master that reloads is asked.
	poll = 20 * time.Millisecond
)

// errRefused is a configuration that HAProxy does not load.
var errRefused = errors.New("HAProxy does not load the configuration, and keeps the one before")

// Reloads is how often HAProxy was reloaded since it started.
func (f Folder) Reloads(ctx context.Context) (int, error) {
	n, _, err := f.processes(ctx)
	return n, err
}

// processes asks the master how often it was reloaded, and whether its worker is of the last time.
func (f Folder) processes(ctx context.Context) (reloads int, fresh bool, err error) {
	text, err := ask(ctx, f.Master, "show proc")
	if err != nil {
		return 0, false, err
	}
	current := false
	reloads = -1
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) > 1 && words[0] == "#":
			current = words[1] == "workers"
		case len(words) > 2 && words[1] == "master":
			if reloads, err = strconv.Atoi(words[2]); err != nil {
				return 0, false, fmt.Errorf("the master of HAProxy answers %q", words[2])
			}
		case len(words) > 2 && current && words[1] == "worker" && words[2] == "0":
			fresh = true
		}
	}
	if reloads < 0 {
		return 0, false, fmt.Errorf("no master of HAProxy answers at %s", f.Master)
	}
	return reloads, fresh, nil
}

// reload lets HAProxy load its files again, and returns once a new worker has them.
func (f Folder) reload(ctx context.Context) error {
	ctx, stop := context.WithTimeoutCause(ctx, reloadWait, errors.New("HAProxy did not reload in time"))
	defer stop()
	before, _, err := f.processes(ctx)
	if err != nil {
		return err
	}
	_, _ = ask(ctx, f.Master, "reload") // the master starts itself again, and may not answer
	for {
		now, fresh, err := f.processes(ctx)
		switch {
		case err == nil && now > before && fresh:
			return nil
		case err == nil && now > before:
			return errRefused
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-time.After(poll):
		}
	}
}
