package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/phrase"
)

// leftOpen are the actions that a stopped run left without a known result.
type leftOpen struct {
	mu  sync.Mutex
	all []string
}

// leave notes the actions of an apply whose results are unknown.
func (x *leftOpen) leave(c loop.Cycle) {
	if c.Result == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, o := range c.Result.Outcomes {
		if o.Status == engine.Uncertain {
			x.all = append(x.all, fmt.Sprintf("%s (%s)", o.Ref.Short(), phrase.Doing(o.Action)))
		}
	}
}

// stopped reports how a run that was stopped ended: whether all running actions had ended, or which were left open.
func (k *runner) stopped() error {
	k.left.mu.Lock()
	left := slices.Sorted(slices.Values(k.left.all))
	k.left.mu.Unlock()
	if len(left) == 0 {
		k.Out.Say("Stopped. All running actions have ended; no other was started.")
		return nil
	}
	names := strings.Join(left, ", ")
	k.Out.Warn("stopped before these actions ended, and their results are unknown: "+names,
		"none needed: the next start observes their results")
	return cli.ExitStatus(cli.ExitInterrupted)
}
