package provider_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/provider"
)

// TestACallThatTakesLongWaits from a time on, and a short one does not.
func TestACallThatTakesLongWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, ended := 0, 0
		ctx := provider.WithWaits(t.Context(), func() func() {
			begun++
			return func() { ended++ }
		})
		for _, c := range []struct {
			takes time.Duration
			want  int
		}{{time.Second, 0}, {time.Minute, 1}, {29 * time.Second, 1}, {31 * time.Second, 2}} {
			end := provider.WaitingAfter(ctx, 30*time.Second)
			time.Sleep(c.takes)
			synctest.Wait()
			if begun != c.want {
				t.Errorf("after %s: %d waits, want %d", c.takes, begun, c.want)
			}
			end()
			time.Sleep(time.Minute)
			if begun != c.want || ended != c.want {
				t.Errorf("after the end of a call of %s: %d waits, %d ended, want %d", c.takes, begun, ended, c.want)
			}
		}
		end := provider.WaitingAfter(t.Context(), time.Second) // no engine
		time.Sleep(time.Minute)
		end()
	})
}
