package podman

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// isMissingImage reports that an image is not on the host.
func isMissingImage(err error) bool {
	var said *engineapi.Error
	return errors.As(err, &said) && (strings.Contains(said.Cause, "image not known") || strings.Contains(said.Message, "image not known"))
}

// ensureImage pulls the image as the policy says.
func ensureImage(ctx context.Context, h *host, r provider.Request) error {
	image, _ := r.Desired.Attrs.Text("image")
	policy := pullPolicy(r.Desired.Attrs)
	if policy != "Always" {
		_, err := h.Image(ctx, image)
		switch {
		case !isMissingImage(err):
			return err
		case policy == "Never":
			return permanent("", "pull it on the host, or set image_pull_policy", "the image %s is not on the host, and image_pull_policy is Never", image)
		}
	}
	h.registry.forget(image)
	last := ""
	return imageError(image, h.Pull(ctx, image, func(line string) {
		if r.Progress != nil && line != last {
			last = line
			r.Progress(provider.Progress{Text: "pulling " + image + ": " + line})
		}
	}))
}

// imageHint is what to do about an image that its registry does not have.
const imageHint = "check image name and tag"

// imageError names the image that its registry does not have.
func imageError(image string, err error) error {
	var said *provider.Error
	if !errors.As(classify("", err), &said) || said.Hint != imageHint {
		return err
	}
	return &provider.Error{Class: said.Class, Code: said.Code, Err: fmt.Errorf("image '%s' not found", image), Hint: imageHint}
}

func pullPolicy(a resource.Attrs) string {
	if policy, ok := a.Text("image_pull_policy"); ok {
		return policy
	}
	return "IfNotPresent"
}

// checkImage finds out whether the image is on the host, or else in its registry.
func checkImage(ctx context.Context, h *host, r provider.Request) error {
	image, ok := r.Desired.Attrs.Text("image")
	if !ok {
		return nil // it refers to something that does not exist yet
	}
	_, err := h.Image(ctx, image)
	policy := pullPolicy(r.Desired.Attrs)
	switch {
	case err == nil && policy != "Always":
		return nil
	case err != nil && !isMissingImage(err):
		return err
	case policy == "Never" && err != nil:
		return permanent("check", "pull it on the host, or set image_pull_policy", "the image %s is not on the host, and image_pull_policy is Never", image)
	case policy == "Never":
		return nil
	}
	_, err = h.RegistryImage(ctx, image, "", "")
	return imageError(image, err)
}

// registryAge is how long an answer of a registry is good for: registries count questions.
const registryAge = 5 * time.Minute

// registryAnswers remembers what registries said of images that are always pulled.
type registryAnswers struct {
	mu  sync.Mutex
	all map[string]registryAnswer
}

type registryAnswer struct {
	id string
	at time.Time
}

// moved returns the ID that the registry has for an image, if that differs from a container's; ""
// if it is the same, or is not known. A registry that cannot be reached is no drift.
func (a *registryAnswers) moved(ctx context.Context, g *reading, name string, have *libpod.Image) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, ok := a.all[name]
	if !ok || g.now.Sub(x.at) > registryAge {
		id, err := g.RegistryImage(ctx, name, have.OS, have.Architecture)
		if err != nil {
			return ""
		}
		x = registryAnswer{id, g.now}
		if a.all == nil {
			a.all = map[string]registryAnswer{}
		}
		a.all[name] = x
	}
	if x.id == have.ID {
		return ""
	}
	return x.id
}

// forget asks the registry again next time.
func (a *registryAnswers) forget(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.all, name)
}
