package podman

import (
	"context"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/podman/libpod"
)

const (
	// late is how much later than its interval a timer may run a check.
	late = time.Second
	// repeatFor bounds how long one observation repeats the check of one container.
	repeatFor = 10 * time.Second
)

// checkOverdue runs the health check of a container where nothing else does, and reads its state
// again. After a failure it repeats the check until the result is certain, because the next
// observation may be far away.
func (g *reading) checkOverdue(ctx context.Context, c *libpod.Container) error {
	if !g.overdue(c) {
		return nil
	}
	for start, n := g.clock(), 0; ; n++ {
		if _, err := g.Healthcheck(ctx, c.ID); err != nil && ctx.Err() != nil {
			return err
		}
		again, err := g.Container(ctx, c.ID)
		if err != nil {
			return err
		}
		c.State = again.State
		unsure := c.State.Health.Status == "healthy" && c.State.Health.FailingStreak > 0
		if !c.State.Running || !unsure || n >= c.Config.Healthcheck.Retries || g.clock().Sub(start) > repeatFor {
			return nil
		}
	}
}

// overdue reports that no process runs the health check.
func (g *reading) overdue(c *libpod.Container) bool {
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
	return g.now.Sub(last) > age
}

// A container that Podman started again so often, and that runs for less than this time since, is in
// a loop of crashes.
const (
	manyRestarts = 3
	notSettled   = 10 * time.Second // style:ok
)

// loops reports that a container ends again and again. Starting it by hand resets the count.
func (g *reading) loops(c *libpod.Container) bool {
	return c.RestartCount >= manyRestarts && g.now.Sub(c.State.StartedAt) < notSettled
}

// finishes reports that a container is configured to end: its restart policy, or its pod's, is set to
// no or on-failure. Of one without a policy it is not known whether it may end.
func finishes(c *libpod.Container) bool {
	configured, _ := applied(c.Config.Labels)
	policy, ok := configured.Text("restart_policy")
	if !ok {
		policy = c.Config.Labels[labelRestart]
	}
	policy, _, _ = strings.Cut(policy, ":")
	return policy == "no" || policy == "on-failure"
}
