package ledger_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/storage/mem"
)

// TestARunIsDeadWhenItsClaimsAreLeft: a running process opens its data directory again when it
// broke, and must not wait for claims of its own.
func TestARunIsDeadWhenItsClaimsAreLeft(t *testing.T) {
	leave := map[string]struct {
		how  func(*ledger.Ledger, *failing)
		dead bool
	}{
		"in order": {func(*ledger.Ledger, *failing) {}, false},
		"broken": {func(l *ledger.Ledger, s *failing) {
			s.err = errors.New("the disk is gone")
			if _, err := l.Record(t.Context(), event.Loaded{Stack: "web"}); !errors.Is(err, ledger.ErrBroken) {
				t.Fatalf("recorded on a store that is gone: %v", err)
			}
			s.err = nil
		}, true},
		"owing":                {func(l *ledger.Ledger, _ *failing) { l.LeaveClaims(false) }, true},
		"while an action runs": {func(l *ledger.Ledger, _ *failing) { l.LeaveClaims(true) }, false},
	}
	for name, c := range leave {
		t.Run(name, func(t *testing.T) {
			dir, store := t.TempDir(), &failing{Store: mem.New()}
			old := open(t, dir, store)
			c.how(old, store)
			if err := old.Close(); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				runtime.GC() // what is not referred to is closed by it
			}
			next := open(t, dir, store)
			if dead := next.IsDead(old.Run()); dead != c.dead {
				t.Errorf("the run before is dead: %v, want %v", dead, c.dead)
			}
			if all := must[[]string](t)(next.DeadRuns()); c.dead != (len(all) == 1) {
				t.Errorf("dead are %v", all)
			}
			runtime.KeepAlive(old)
		})
	}
}
