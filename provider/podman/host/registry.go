package host

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider/podman/libpod"
)

// IsMissingImage reports that an image is not on the host.
func IsMissingImage(err error) bool {
	var said *engineapi.Error
	return errors.As(err, &said) && (strings.Contains(said.Cause, "image not known") ||
		strings.Contains(said.Message, "image not known"))
}

// registryAge is how long an answer of a registry is good for: registries count questions.
const registryAge = 5 * time.Minute

// RegistryAnswers remembers what registries said of images that are always pulled.
type RegistryAnswers struct {
	mu  sync.Mutex
	all map[string]registryAnswer
}

type registryAnswer struct {
	id string
	at time.Time
}

// Moved returns the ID that the registry has for an image, if that differs from a container's; ""
// if it is the same, or is not known. A registry that cannot be reached is no drift.
func (a *RegistryAnswers) Moved(ctx context.Context, g *Reading, name string, have *libpod.Image) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, ok := a.all[name]
	if !ok || g.Now.Sub(x.at) > registryAge {
		id, err := g.RegistryImage(ctx, name, have.OS, have.Architecture)
		if err != nil {
			return ""
		}
		x = registryAnswer{id, g.Now}
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

// Forget asks the registry again next time.
func (a *RegistryAnswers) Forget(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.all, name)
}
