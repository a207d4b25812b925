package podman

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// health is the condition of a container. Where no timer of systemd runs the health checks,
// nothing does: a check whose last result is too old is run now.
func (g *reading) health(ctx context.Context, c *libpod.Container) (resource.Health, string, error) {
	s := c.State
	switch {
	case s.Paused:
		return resource.Stopped, "paused", nil
	case s.Status == "stopping" || s.Status == "removing":
		return resource.Pending, s.Status, nil
	case !s.Running:
		return g.ended(ctx, c)
	case g.loops(c):
		return resource.Failing, fmt.Sprintf("it ends again and again: Podman started it %d times, the last time %s ago", c.RestartCount, g.now.Sub(s.StartedAt).Round(time.Second)), nil
	case !hasCheck(c):
		return resource.Healthy, "", nil
	}
	if err := g.checkOverdue(ctx, c); err != nil {
		return resource.Unclear, "", err
	}
	switch c.State.Health.Status {
	case "healthy":
		return resource.Healthy, "", nil
	case "unhealthy":
		return resource.Failing, "unhealthy" + g.said(ctx, c), nil
	}
	return resource.Pending, "its health check has not passed yet" + g.said(ctx, c), nil
}

// ended is the condition of a container that does not run. One that was stopped, or ended well,
// is stopped; one that ended with an error is failing. One that is configured to end, and ended
// well, has done its work and stays as it is.
func (g *reading) ended(ctx context.Context, c *libpod.Container) (resource.Health, string, error) {
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
	if log, err := g.Logs(ctx, c.ID, logLines); err == nil && strings.TrimSpace(log) != "" {
		out += ": " + g.printed(ctx, c, log)
	}
	return resource.Failing, out, nil
}

const (
	logLines = 5
	// longest is how much of what a program printed is shown and recorded.
	longest = 400
)

func hasCheck(c *libpod.Container) bool {
	h := c.Config.Healthcheck
	return h != nil && len(h.Test) > 0 && h.Test[0] != "NONE"
}

// said is what the last health check printed, if it failed.
func (g *reading) said(ctx context.Context, c *libpod.Container) string {
	log := c.State.Health.Log
	if len(log) == 0 || log[len(log)-1].ExitCode == 0 {
		return ""
	}
	last := log[len(log)-1]
	if text := strings.TrimSpace(last.Output); text != "" {
		return ": " + g.printed(ctx, c, text)
	}
	return fmt.Sprintf(": the check ended with %d", last.ExitCode)
}

// brief is a text on one line, cut in the middle if it is long.
func brief(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > longest {
		return string(r[:longest/2]) + " … " + string(r[len(r)-longest/2:])
	}
	return s
}

// steady is how long a container without a health check must run to count as started.
const steady = 200 * time.Millisecond

// await waits until a container that was started is healthy, or has had the time that its
// health check gives it. It runs the check itself. Nothing is concluded here: what it found is
// read again by the caller.
func (h *host) await(ctx context.Context, id string, progress func(provider.Progress)) error {
	start := h.clock()
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		c, err := h.Container(ctx, id)
		if err != nil {
			return err
		}
		if !c.State.Running && c.State.Status != "initialized" {
			return nil
		}
		passed := h.clock().Sub(start)
		switch {
		case !hasCheck(&c) && passed >= steady:
			return nil
		case !hasCheck(&c):
			wait = steady
		default:
			if now, err := h.Healthcheck(ctx, id); err == nil && now.Status == "healthy" {
				return nil
			} else if ctx.Err() != nil {
				return err
			}
			if passed > h.patience(&c) {
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

// patience is how long a container may take to become healthy.
func (h *host) patience(c *libpod.Container) time.Duration {
	check := c.Config.Healthcheck
	return time.Duration(check.StartPeriod) + time.Duration(check.Retries)*time.Duration(check.Interval) + h.extra
}
