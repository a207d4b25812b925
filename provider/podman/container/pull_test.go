package container

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// unending starts each pull and ends none.
type unending struct{}

func (unending) RoundTrip(q *http.Request) (*http.Response, error) {
	<-q.Context().Done()
	return nil, q.Context().Err()
}

// TestAPullThatNeverEndsEnds: by its deadline, or by that of the configuration, as a registry that cannot be reached.
// It was not refused, and no container was made.
func TestAPullThatNeverEndsEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host.Host{Client: libpod.New(unending{}), Clock: time.Now}
		r := provider.Request{Desired: resource.Desired{Attrs: resource.Attrs{}.
			With("image", resource.String("registry.example.com/web:1")).
			With("image_pull_policy", resource.String("Always"))}}
		start := time.Now()
		var began, ended time.Duration
		waits := provider.WithWaits(t.Context(), func() func() {
			began = time.Since(start)
			return func() { ended = time.Since(start) }
		})
		err := ensureImage(waits, h, r)
		if began != slowPull || ended != pullWait {
			t.Errorf("it delays others until %s, and again after %s", began, ended)
		}
		if provider.CauseOf(err) != provider.Unreachable || !strings.Contains(err.Error(), "not pulled in time") ||
			time.Since(start) != pullWait {
			t.Errorf("after %s: %s, %v", time.Since(start), provider.CauseOf(err), err)
		}
		ctx, stop := provider.WithTimeout(t.Context(), time.Hour, nil)
		defer stop()
		start = time.Now()
		if err := ensureImage(ctx, h, r); err == nil || time.Since(start) != time.Hour {
			t.Errorf("with a timeout of an hour, after %s: %v", time.Since(start), err)
		}
	})
}
