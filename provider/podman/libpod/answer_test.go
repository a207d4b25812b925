package libpod

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
)

// silent accepts requests and never answers.
type silent struct{}

func (silent) RoundTrip(q *http.Request) (*http.Response, error) {
	<-q.Context().Done()
	return nil, q.Context().Err()
}

// TestAQuestionWithoutAnAnswerEnds: a question ends by itself, as a service that cannot be reached, because
// nothing was changed. A change ends by itself too, later, and its result is unknown.
func TestAQuestionWithoutAnAnswerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(silent{})
		for want, ask := range map[time.Duration]func(context.Context) error{
			engineapi.AnswerWait: func(ctx context.Context) error { _, err := c.Info(ctx); return err },
			slowWait:             func(ctx context.Context) error { _, err := c.Healthcheck(ctx, "web"); return err },
		} {
			start := time.Now()
			var unreachable *engineapi.ConnectError
			if err := ask(t.Context()); !errors.As(err, &unreachable) || time.Since(start) != want {
				t.Errorf("after %s: %v; want a ConnectError after %s", time.Since(start), err, want)
			}
		}
		for want, change := range map[time.Duration]func(context.Context) error{
			engineapi.ChangeWait:               func(ctx context.Context) error { return c.StartContainer(ctx, "web") },
			engineapi.ChangeWait + time.Minute: func(ctx context.Context) error { return c.StopContainer(ctx, "web", time.Minute) },
		} {
			start := time.Now()
			var lost *engineapi.LostError
			if err := change(t.Context()); !errors.As(err, &lost) || time.Since(start) != want {
				t.Errorf("after %s: %v; want a LostError after %s", time.Since(start), err, want)
			}
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := c.Info(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

// ending fails a number of times as Podman does when a container ends while it is inspected.
type ending struct{ fails int }

func (e *ending) RoundTrip(q *http.Request) (*http.Response, error) {
	status, body := http.StatusOK, `{"Id": "web"}`
	if e.fails > 0 {
		e.fails--
		status = http.StatusInternalServerError
		body = `{"cause": "no such process", "message": "read /proc/4258/cgroup: no such process", "response": 500}`
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Request: q}, nil
}

// TestAContainerThatEndsIsInspectedAgain, and an error that stays is an error.
func TestAContainerThatEndsIsInspectedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if c, err := New(&ending{fails: 3}).Container(t.Context(), "web"); err != nil || c.ID != "web" {
			t.Errorf("%+v, %v", c, err)
		}
		start := time.Now()
		if _, err := New(&ending{fails: 1000}).Container(t.Context(), "web"); err == nil || time.Since(start) > 2*time.Second {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	})
}
