// Package host is one service of Podman's: its ID, which a volume keeps, and what observations of it share.
package host

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/resource"
)

// Volume keeps the ID of a host in its label. Podman has none that lasts.
const Volume = "ovi-host"

// Local is the word of a configuration for the service that is found by itself.
const Local = "local"

// Host is one service of Podman's.
type Host struct {
	*libpod.Client
	Word     string // as configured: "local" or a URL
	IsLocal  bool   // this machine: its files and ports are the host's
	Clock    func() time.Time
	Patience time.Duration // beyond the time that a health check gives a container
	Digest   func(plain string) string
	Registry RegistryAnswers
	mu       sync.Mutex
	id       string
	kept     bool // the volume exists
}

// Scope returns the scope of the resources on the host.
func (h *Host) Scope() resource.Scope {
	return resource.Scope{Provider: schema.Name, Location: h.id + "/" + h.Word}
}

// SplitLocation splits ID/WORD; a location as configured has no ID.
func SplitLocation(location string) (id, word string) {
	if id, word, ok := strings.Cut(location, "/"); ok && isHostID(id) {
		return id, word
	}
	if location == "" || location == "default" {
		return "", Local
	}
	return "", location
}

func isHostID(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 6
}

// Known returns the ID of the host; "" before it is read or drawn.
func (h *Host) Known() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.id
}

// IsNew reports whether nothing was created on the host yet.
func (h *Host) IsNew() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.id != "" && !h.kept
}

// Identify reads the ID of the host once. One that nothing was created on takes the ID that a
// plan gave it, or draws one.
func (h *Host) Identify(ctx context.Context, planned string) error {
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
func (h *Host) draw(ctx context.Context) (string, error) {
	if h.Digest == nil {
		b := make([]byte, 6)
		_, err := rand.Read(b)
		return hex.EncodeToString(b), err
	}
	info, err := h.Info(ctx)
	if err != nil {
		return "", err
	}
	var machine []byte
	if h.IsLocal {
		machine, err = os.ReadFile("/etc/machine-id")
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return "", fmt.Errorf("read the identity of the machine: %w", err)
		}
	}
	sum := sha256.Sum256([]byte(h.Digest(strings.Join([]string{h.Word, info.Host.Hostname, string(machine)}, "\n"))))
	return hex.EncodeToString(sum[:6]), nil
}

// readID reads the ID of the host, and says whether its volume keeps it.
func (h *Host) readID(ctx context.Context) (id string, kept bool, err error) {
	v, err := h.Volume(ctx, Volume)
	switch {
	case failure.IsNotFound(err):
		id, err = h.rememberedID(ctx)
		return id, false, err
	case err != nil:
		return "", false, err
	case !isHostID(v.Labels[marks.LabelHost]):
		return "", false, failure.Mistake("", "rename it: ovi keeps the ID of the host in a volume of that name",
			"the volume %s has no label %s with an ID", Volume, marks.LabelHost)
	}
	return v.Labels[marks.LabelHost], true, nil
}

// rememberedID finds the ID in the labels of what was created here, if the volume was deleted.
func (h *Host) rememberedID(ctx context.Context) (string, error) {
	var labels []map[string]string
	ours := libpod.Filters{"label": {marks.LabelRef}}
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
		if ref, err := resource.ParseRef(l[marks.LabelRef]); err == nil {
			if id, _ := SplitLocation(ref.Location); id != "" {
				return id, nil
			}
		}
	}
	return "", nil
}

// KeepID keeps the ID of a host in the volume, before anything is created on it.
func (h *Host) KeepID(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kept {
		return nil
	}
	_, err := h.CreateVolume(ctx,
		&libpod.Volume{Name: Volume, Labels: map[string]string{marks.LabelHost: h.id, marks.LabelManagedBy: marks.ManagedBy}})
	if err == nil {
		h.kept = true
		return nil
	}
	id, kept, readErr := h.readID(ctx)
	switch {
	case readErr != nil || !kept:
		return err
	case id != h.id:
		return failure.InUse("", "plan again", "another run has named this host %s meanwhile", id)
	}
	h.kept = true
	return nil
}
