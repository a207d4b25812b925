package podman

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// hostVolume keeps the ID of a host in its label. Podman has none that lasts.
const hostVolume = "ovi-host"

// local is the word of a configuration for the service that is found by itself.
const local = "local"

// host is one service of Podman's.
type host struct {
	*libpod.Client
	word     string // as configured: "local" or a URL
	local    bool   // this machine: its files and ports are the host's
	clock    clock
	extra    duration
	digest   func(plain string) string
	plain    func(resource.Digest) (string, bool)
	registry registryAnswers
	mu       sync.Mutex
	id       string
	kept     bool // the volume exists
}

func (h *host) scope() resource.Scope {
	return resource.Scope{Provider: Name, Location: h.id + "/" + h.word}
}

// Locate implements provider.Locator: "local" is resolved to ID/local. A host that nothing was
// created on has no ID yet: it gets a random one, which the first create keeps.
func (p *Provider) Locate(ctx context.Context, location string) (string, error) {
	h, err := p.resolved(ctx, location)
	if err != nil {
		return "", classify("", err)
	}
	return h.scope().Location, nil
}

// resolved gives the host of a location, in the form of a configuration or ID/WORD.
func (p *Provider) resolved(ctx context.Context, location string) (*host, error) {
	id, word := splitLocation(location)
	h, err := p.host(word)
	if err != nil {
		return nil, err
	}
	if err := h.identify(ctx, id); err != nil {
		return nil, err
	}
	if id != "" && h.id != id {
		return nil, fmt.Errorf("%s is another host (%s) than that of %s: %w", word, h.id, location, provider.ErrElsewhere)
	}
	return h, p.alone(h)
}

// splitLocation splits ID/WORD; a location as configured has no ID.
func splitLocation(location string) (id, word string) {
	if id, word, ok := strings.Cut(location, "/"); ok && isHostID(id) {
		return id, word
	}
	if location == "" || location == "default" {
		return "", local
	}
	return "", location
}

func isHostID(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 6
}

// host gives the host of a word, without connecting.
func (p *Provider) host(word string) (*host, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h, ok := p.hosts[word]; ok {
		return h, nil
	}
	c, isLocal, err := p.connect(word)
	if err != nil {
		return nil, err
	}
	h := &host{Client: c, word: word, local: isLocal, clock: p.opts.Clock, extra: p.opts.Patience, digest: p.opts.Digest, plain: p.opts.Plain}
	p.hosts[word] = h
	return h, nil
}

// alone refuses two words for one host: its resources would be configured twice.
func (p *Provider) alone(h *host) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for word, other := range p.hosts {
		if other != h && other.known() == h.known() {
			return permanent("", "use one of them everywhere", "%s and %s are the same host", h.word, word)
		}
	}
	return nil
}

func (h *host) known() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.id
}

// identify reads the ID of the host once. One that nothing was created on takes the ID that a
// plan gave it, or draws one.
func (h *host) identify(ctx context.Context, planned string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.id != "" && (h.kept || planned == "" || planned == h.id) {
		return nil
	}
	id, kept, err := h.readID(ctx)
	switch {
	case err != nil:
		return err
	case id != "":
		h.id, h.kept = id, kept
	case planned != "":
		h.id = planned
	case h.id == "":
		h.id, err = h.draw(ctx)
	}
	return err
}

// draw gives an ID to a host that nothing was created on. It is of a keyed digest, so that two
// plans of one data directory name the host alike, and no other does.
func (h *host) draw(ctx context.Context) (string, error) {
	if h.digest == nil {
		b := make([]byte, 6)
		_, err := rand.Read(b)
		return hex.EncodeToString(b), err
	}
	info, err := h.Info(ctx)
	if err != nil {
		return "", err
	}
	var machine []byte
	if h.local {
		machine, _ = os.ReadFile("/etc/machine-id") // not every machine has one
	}
	sum := sha256.Sum256([]byte(h.digest(strings.Join([]string{h.word, info.Host.Hostname, string(machine)}, "\n"))))
	return hex.EncodeToString(sum[:6]), nil
}

// Describe implements provider.Describer.
func (p *Provider) Describe(location string) string {
	_, word := splitLocation(location)
	p.mu.Lock()
	h := p.hosts[word]
	p.mu.Unlock()
	if h == nil {
		return "host " + word
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.id != "" && !h.kept {
		return "new host " + word
	}
	return "host " + word
}

// readID reads the ID of the host, and says whether its volume keeps it.
func (h *host) readID(ctx context.Context) (id string, kept bool, err error) {
	v, err := h.Volume(ctx, hostVolume)
	switch {
	case isNotFound(err):
		id, err = h.rememberedID(ctx)
		return id, false, err
	case err != nil:
		return "", false, err
	case !isHostID(v.Labels[labelHost]):
		return "", false, permanent("", "rename it: ovi keeps the ID of the host in a volume of that name", "the volume %s has no label %s with an ID", hostVolume, labelHost)
	}
	return v.Labels[labelHost], true, nil
}

// rememberedID finds the ID in the labels of what was created here, if the volume was deleted.
func (h *host) rememberedID(ctx context.Context) (string, error) {
	var labels []map[string]string
	ours := libpod.Filters{"label": {labelRef}}
	found, err := h.Containers(ctx, ours)
	if err != nil {
		return "", err
	}
	for _, c := range found {
		labels = append(labels, c.Labels)
	}
	volumes, err := h.Volumes(ctx, ours)
	if err != nil {
		return "", err
	}
	for _, v := range volumes {
		labels = append(labels, v.Labels)
	}
	for _, l := range labels {
		if ref, err := resource.ParseRef(l[labelRef]); err == nil {
			if id, _ := splitLocation(ref.Location); id != "" {
				return id, nil
			}
		}
	}
	return "", nil
}

// keepID keeps the ID of a host in the volume, before anything is created on it.
func (h *host) keepID(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kept {
		return nil
	}
	_, err := h.CreateVolume(ctx, &libpod.Volume{Name: hostVolume, Labels: map[string]string{labelHost: h.id, labelManagedBy: managedBy}})
	if err == nil {
		h.kept = true
		return nil
	}
	id, kept, readErr := h.readID(ctx)
	switch {
	case readErr != nil || !kept:
		return err
	case id != h.id:
		return conflict("", "plan again", "another run has named this host %s meanwhile", id)
	}
	h.kept = true
	return nil
}
