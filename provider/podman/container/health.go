package container

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/resource"
)

// health is the condition of a container. Where no timer of systemd runs the health checks,
// nothing does: a check whose last result is too old is run now.
func health(ctx context.Context, g *host.Reading, c *libpod.Container) (resource.Health, string, error) {
	s := c.State
	switch {
	case s.Paused:
		return resource.Stopped, "paused", nil
	case s.Status == "stopping" || s.Status == "removing":
		return resource.Pending, s.Status, nil
	case loops(c, g.Now):
		// Each observation that differs from the one before is a record: the text stays while the count rises.
		least := manyRestarts
		for n := 10; n <= c.RestartCount; n *= 10 {
			least = n
		}
		return resource.Failing, fmt.Sprintf("it ends again and again: Podman started it again at least %d times", least), nil
	case !s.Running:
		return ended(ctx, g, c)
	case !hasCheck(c):
		return resource.Healthy, "", nil
	}
	if err := checkOverdue(ctx, g, c); err != nil {
		return resource.Unclear, "", err
	}
	switch c.State.Health.Status {
	case "healthy":
		return resource.Healthy, "", nil
	case "unhealthy":
		return resource.Failing, "unhealthy" + said(c), nil
	}
	return resource.Pending, "its health check has not passed yet" + said(c), nil
}

// loops reports whether Podman starts a container again and again: it runs, or its clean-up is open, after which Podman
// starts it. Starting it by hand resets the count.
func loops(c *libpod.Container, now time.Time) bool {
	return c.RestartCount >= manyRestarts && now.Sub(c.State.StartedAt) < notSettled &&
		(c.State.Running || c.State.Status == "stopped")
}

// ended is the condition of a container that does not run. One that was stopped, or ended well,
// is stopped; one that ended with an error is failing. One that is configured to end, and ended
// well, has done its work and stays as it is.
func ended(ctx context.Context, g *host.Reading, c *libpod.Container) (resource.Health, string, error) {
	s := c.State
	switch {
	case s.Status == "created" || s.Status == "initialized" || s.Status == "configured":
		return resource.Stopped, "not started", nil
	case s.OOMKilled:
		return resource.Failing, "killed: it exceeded its memory", nil
	case s.ExitCode == 0 && finishes(c):
		return resource.Healthy, resource.Completed, nil
	case s.ExitCode == 0 || s.ExitCode == 137 || s.ExitCode == 143:
		return resource.Stopped, fmt.Sprintf("exited with %d", s.ExitCode), nil
	}
	out := fmt.Sprintf("exited with %d", s.ExitCode)
	if log, err := lastLines(ctx, g, c); err == nil && log != "" {
		out += ": " + printed(c, log)
	}
	return resource.Failing, out, nil
}

// lastLines returns the last lines of a container that ended. Podman can tell the end before its log has the output.
func lastLines(ctx context.Context, g *host.Reading, c *libpod.Container) (string, error) {
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		log, err := g.Logs(ctx, c.ID, logLines)
		log = strings.TrimSpace(log)
		if err != nil || log != "" || wait > time.Second || g.Now.Sub(c.State.FinishedAt) > late {
			return log, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

const (
	logLines = 5
	// longest is how many bytes of a program's output are shown and recorded.
	longest = 400
)

func hasCheck(c *libpod.Container) bool {
	h := c.Config.Healthcheck
	return h != nil && len(h.Test) > 0 && h.Test[0] != "NONE"
}

// said is what the last health check printed, if it failed.
func said(c *libpod.Container) string {
	log := c.State.Health.Log
	if len(log) == 0 || log[len(log)-1].ExitCode == 0 {
		return ""
	}
	last := log[len(log)-1]
	if text := strings.TrimSpace(last.Output); text != "" {
		return ": " + printed(c, text)
	}
	return fmt.Sprintf(": the check ended with %d", last.ExitCode)
}

// brief is a text on one line, cut in the middle if it is long.
func brief(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > longest {
		return strings.ToValidUTF8(s[:longest/2], "") + " … " + strings.ToValidUTF8(s[len(s)-longest/2:], "")
	}
	return s
}

// steady is the time that a container without a health check must run to count as started.
const steady = 200 * time.Millisecond

// await waits until a container that was started is healthy, or has had the time that its health check gives it. It
// runs the check itself. Without a check, one process of the container must run for the time of steady: one that Podman
// started again is another. A container that ended several times must be healthy for longer. Nothing is concluded
// here: what it found is read again by the caller.
func await(ctx context.Context, h *host.Host, id string, progress func(provider.Progress)) error {
	defer provider.Waiting(ctx)()
	start := h.Clock()
	restarts, since := -1, start
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		c, err := h.Container(ctx, id)
		if err != nil {
			return err
		}
		if restarts >= 0 && c.RestartCount != restarts {
			since = h.Clock()
		}
		restarts = c.RestartCount
		passed := h.Clock().Sub(start)
		ending := c.State.Status == "stopped" && passed < settleWait
		if !c.State.Running && c.State.Status != "initialized" && !ending {
			return nil
		}
		switch {
		case ending:
			wait = steady / 4
		case !hasCheck(&c) && (restarts >= manyRestarts || h.Clock().Sub(since) >= steady):
			return nil
		case !hasCheck(&c):
			wait = steady
		default:
			now, err := h.Healthcheck(ctx, id)
			switch settled := restarts < manyRestarts || h.Clock().Sub(since) >= notSettled; {
			case err == nil && now.Status == "healthy" && settled:
				return nil
			case ctx.Err() != nil:
				return err
			}
			check := c.Config.Healthcheck
			patience := time.Duration(check.StartPeriod) + time.Duration(check.Retries)*time.Duration(check.Interval)
			if passed > patience+h.Patience {
				return nil
			}
			if progress != nil {
				progress(provider.Progress{Text: "waiting until it is healthy"})
			}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

const (
	// late is the delay after its interval with which a timer may run a check.
	late = time.Second
	// repeatFor bounds how long one observation repeats the check of one container.
	repeatFor = 10 * time.Second
)

// checkOverdue runs the health check of a container where nothing else does, and reads its state
// again. After a failure it repeats the check until the result is certain, because the next
// observation may be far away.
func checkOverdue(ctx context.Context, g *host.Reading, c *libpod.Container) error {
	if !overdue(g, c) {
		return nil
	}
	for start, n := g.Clock(), 0; ; n++ {
		if _, err := g.Healthcheck(ctx, c.ID); err != nil && ctx.Err() != nil {
			return err
		}
		again, err := g.Container(ctx, c.ID)
		if err != nil {
			return err
		}
		c.State = again.State
		unsure := c.State.Health.Status == "healthy" && c.State.Health.FailingStreak > 0
		if !c.State.Running || !unsure || n >= c.Config.Healthcheck.Retries || g.Clock().Sub(start) > repeatFor {
			return nil
		}
	}
}

// overdue reports that no process runs the health check.
func overdue(g *host.Reading, c *libpod.Container) bool {
	age := time.Duration(c.Config.Healthcheck.Interval) + late
	last := c.State.StartedAt
	if c.State.Health.Status == "starting" {
		age = time.Duration(c.Config.Healthcheck.StartPeriod)
	}
	if n := len(c.State.Health.Log); n > 0 {
		if at, err := time.Parse(time.RFC3339Nano, c.State.Health.Log[n-1].End); err == nil && at.After(last) {
			last = at
		}
	}
	return g.Now.Sub(last) > age
}

// A container that Podman started again so often, and that runs for less than this time since, is in
// a loop of crashes.
const (
	manyRestarts = 3
	notSettled   = 10 * time.Second // style:ok
)

// finishes reports that a container is configured to end: its restart policy, or its pod's, is set to no or
// on-failure. Without a policy it is unknown whether a container may end.
func finishes(c *libpod.Container) bool {
	configured, _ := marks.Applied(c.Config.Labels)
	policy, ok := configured.Text("restart_policy")
	if !ok {
		policy = c.Config.Labels[marks.LabelRestart]
	}
	policy, _, _ = strings.Cut(policy, ":")
	return policy == "no" || policy == "on-failure"
}
