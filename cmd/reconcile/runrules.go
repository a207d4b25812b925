package reconcile

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage"
)

// heldRules are the rules for every stack as they were last read in full.
type heldRules struct {
	mu  sync.Mutex
	now rules.Rules
}

// rulesNow reads the files of --policy again. If they cannot be read or compiled, the rules read
// before stay in effect, which the error states. A change is reported.
func (k *runner) rulesNow(context.Context) (rules.Rules, error) {
	k.rules.mu.Lock()
	defer k.rules.mu.Unlock()
	read, err := session.Policies(k.Call, nil)
	if err != nil {
		return k.rules.now, fmt.Errorf("cannot read the policies; the %s read before stay in effect: %w",
			rulesCount(k.rules.now), err)
	}
	if !reflect.DeepEqual(read, k.rules.now) {
		k.Out.Warn(fmt.Sprintf("the policies changed: %s now, %s before", rulesCount(read), rulesCount(k.rules.now)), "")
		k.rules.now = read
	}
	return k.rules.now, nil
}

// rulesCount is how many rules there are, in words.
func rulesCount(r rules.Rules) string {
	n := len(r.Ignore) + len(r.Windows) + len(r.Approvals) + len(r.Expressions)
	for _, set := range []bool{r.SkipDestructive, r.MaxDestroy.Set} {
		if set {
			n++
		}
	}
	return render.Many(n, "rule")
}

// namesSomething refuses a --target or --exclude that matches nothing configured or recorded: a
// typing error in an emergency must be found at once. What matched once is accepted later, although
// the resource may be gone when the data directory is opened again.
func (k *runner) namesSomething(l *session.Session) error {
	if k.named || len(k.given.targets.Only)+len(k.given.targets.Excluded) == 0 {
		return nil
	}
	live, _, err := l.Ledger.LiveState(k, storage.Now)
	if err != nil {
		return err
	}
	refs := command.Configured(k.intents)
	for _, snapshot := range live.Scopes {
		for _, o := range snapshot.Resources {
			refs = append(refs, o.Ref)
		}
	}
	err = k.given.targets.CheckAmong(refs)
	k.named = err == nil
	return err
}
