package libpod

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
)

// prefix is the version of the API in every path.
const prefix = "/v4.0.0/libpod"

// slowWait is how long an answer may take that Podman has to work for: a check runs a program, and a registry is
// asked over a network.
const slowWait = 5 * time.Minute

// Reader reads what a host has. It changes nothing; a health check runs its command in the
// container.
type Reader struct {
	api     engineapi.Client
	version atomic.Pointer[string] // of Podman, in its last answer
}

// NewReader returns a reader that sends its requests through a transport.
func NewReader(t http.RoundTripper) *Reader {
	r := &Reader{}
	r.api = engineapi.Client{Prefix: prefix, Transport: t, Answered: func(h http.Header) {
		if v := h.Get("Libpod-Api-Version"); v != "" {
			r.version.Store(&v)
		}
	}}
	return r
}

func (r *Reader) get(ctx context.Context, path string, query url.Values, out any) error {
	return r.api.Do(ctx, engineapi.Request{Method: http.MethodGet, Path: path, Query: query}, out)
}

// slow gets an answer that Podman has to work for.
func (r *Reader) slow(ctx context.Context, path string, out any) error {
	return r.api.Do(ctx, engineapi.Request{Method: http.MethodGet, Path: path, Wait: slowWait}, out)
}

// Version is the version of Podman, as its last answer says; "" before the first.
func (r *Reader) Version() string {
	if v := r.version.Load(); v != nil {
		return *v
	}
	return ""
}

// Info is what Podman tells about its host.
type Info struct{ Host struct{ Hostname string } }

// Info describes the host.
func (r *Reader) Info(ctx context.Context) (out Info, err error) {
	return out, r.get(ctx, "/info", nil, &out)
}

// Containers lists containers, those that do not run too.
func (r *Reader) Containers(ctx context.Context, f Filters) (out []ListedContainer, err error) {
	filters, err := f.query()
	if err != nil {
		return nil, err
	}
	return out, r.get(ctx, "/containers/json", engineapi.Values("all", "true", "filters", filters), &out)
}

// Container inspects a container, by name or ID.
func (r *Reader) Container(ctx context.Context, id string) (out Container, err error) {
	return out, r.get(ctx, "/containers/"+id+"/json", nil, &out)
}

// Healthcheck runs the health check of a container now and waits for its result.
func (r *Reader) Healthcheck(ctx context.Context, id string) (out Health, err error) {
	return out, r.slow(ctx, "/containers/"+id+"/healthcheck", &out)
}

// Image inspects an image, by name or ID.
func (r *Reader) Image(ctx context.Context, name string) (out Image, err error) {
	return out, r.get(ctx, "/images/"+name+"/json", nil, &out)
}

// Networks lists networks.
func (r *Reader) Networks(ctx context.Context) (out []Network, err error) {
	return out, r.get(ctx, "/networks/json", nil, &out)
}

// Volumes lists volumes.
func (r *Reader) Volumes(ctx context.Context, f Filters) (out []Volume, err error) {
	filters, err := f.query()
	if err != nil {
		return nil, err
	}
	return out, r.get(ctx, "/volumes/json", engineapi.Values("filters", filters), &out)
}

// Volume inspects a volume.
func (r *Reader) Volume(ctx context.Context, name string) (out Volume, err error) {
	return out, r.get(ctx, "/volumes/"+name+"/json", nil, &out)
}

// Secrets lists secrets. Podman 4 leaves out their labels.
func (r *Reader) Secrets(ctx context.Context) (out []Secret, err error) {
	return out, r.get(ctx, "/secrets/json", nil, &out)
}

// Secret inspects a secret, by name or ID.
func (r *Reader) Secret(ctx context.Context, id string) (out Secret, err error) {
	return out, r.get(ctx, "/secrets/"+id+"/json", nil, &out)
}

// Pods lists pods.
func (r *Reader) Pods(ctx context.Context) (out []ListedPod, err error) {
	return out, r.get(ctx, "/pods/json", nil, &out)
}

// Pod inspects a pod, by name or ID.
func (r *Reader) Pod(ctx context.Context, id string) (out Pod, err error) {
	return out, r.get(ctx, "/pods/"+id+"/json", nil, &out)
}

// Filters restrict a list: each key with the values of which one must match; labels all.
type Filters map[string][]string

func (f Filters) query() (string, error) {
	if len(f) == 0 {
		return "", nil
	}
	b, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("filters %v: %w", map[string][]string(f), err)
	}
	return string(b), nil
}
