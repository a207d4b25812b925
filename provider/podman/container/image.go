package container

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/spec"
)

// ensureImage pulls the image as the policy says.
func ensureImage(ctx context.Context, h *host.Host, r provider.Request) error {
	image, _ := r.Desired.Attrs.Text("image")
	policy := spec.PullPolicy(r.Desired.Attrs)
	if policy != "Always" {
		_, err := h.Image(ctx, image)
		switch {
		case !host.IsMissingImage(err):
			return err
		case policy == "Never":
			return failure.Mistake("", "pull it on the host, or set image_pull_policy",
				"the image %s is not on the host, and image_pull_policy is Never", image)
		}
	}
	h.Registry.Forget(image)
	last := ""
	ctx, stop := context.WithTimeoutCause(ctx, provider.Patience(ctx, pullWait), errSlowPull)
	defer stop()
	defer provider.WaitingAfter(ctx, slowPull)()
	err := h.Pull(ctx, image, func(line string) {
		if r.Progress != nil && line != last {
			last = line
			r.Progress(provider.Progress{Text: "pulling " + image + ": " + line})
		}
	})
	if err != nil && errors.Is(context.Cause(ctx), errSlowPull) {
		return &provider.Error{
			Cause: provider.Unreachable, Op: "pull", Err: fmt.Errorf("%s: %w", image, errSlowPull),
			Hint: "pull it on the host, or raise the timeouts of container",
		}
	}
	return imageError(image, err)
}

// slowPull is the time after which a pull holds up no action of another container.
const slowPull = 30 * time.Second

// pullWait bounds a pull, unless the configuration has a timeout for the action. The container does not exist before
// the pull has ended.
const pullWait = 30 * time.Minute

var errSlowPull = errors.New("the image was not pulled in time")

// checkImage finds out whether the image is on the host, or else in its registry.
func checkImage(ctx context.Context, h *host.Host, r provider.Request) error {
	image, ok := r.Desired.Attrs.Text("image")
	if !ok {
		return nil // it refers to something that does not exist yet
	}
	_, err := h.Image(ctx, image)
	policy := spec.PullPolicy(r.Desired.Attrs)
	switch {
	case err == nil && policy != "Always":
		return nil
	case err != nil && !host.IsMissingImage(err):
		return err
	case policy == "Never" && err != nil:
		return failure.Mistake("check", "pull it on the host, or set image_pull_policy",
			"the image %s is not on the host, and image_pull_policy is Never", image)
	case policy == "Never":
		return nil
	}
	_, err = h.RegistryImage(ctx, image, "", "")
	return imageError(image, err)
}
