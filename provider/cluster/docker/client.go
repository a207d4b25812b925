package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/internal/engineapi"
)

// prefix is the version of the API in every path: Docker 20.10 and Podman 4.3 speak it.
const prefix = "/v1.41"

// Client speaks to one engine.
type Client struct {
	api    engineapi.Client
	podman atomic.Bool // as its last answer says
}

// Dial sends requests to a URL such as unix:///var/run/docker.sock or tcp://127.0.0.1:2375.
func Dial(endpoint string) (*Client, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	var to http.RoundTripper
	switch u.Scheme {
	case "unix":
		to = engineapi.Unix(u.Path)
	case "tcp":
		to = engineapi.TCP(u.Host)
	default:
		return nil, fmt.Errorf("unknown way to connect to the engine %q", endpoint)
	}
	c := &Client{}
	c.api = engineapi.Client{Prefix: prefix, Transport: to, Answered: func(h http.Header) {
		c.podman.Store(h.Get("Libpod-Api-Version") != "")
	}}
	return c, nil
}

// Summary is a container in a list.
type Summary struct {
	ID     string `json:"Id"`
	Names  []string
	State  string
	Labels map[string]string
}

// Name is the name of the container.
func (s Summary) Name() string {
	if len(s.Names) == 0 {
		return s.ID
	}
	return strings.TrimPrefix(s.Names[0], "/")
}

// Container is what is known of one container.
type Container struct {
	ID      string `json:"Id"`
	Name    string
	Created time.Time
	State   struct {
		Status    string
		StartedAt time.Time
	}
	Config struct {
		Image  string
		Labels map[string]string
	}
	Mounts          []struct{ Source, Destination string }
	NetworkSettings struct {
		Ports    map[string][]Port
		Networks map[string]Attachment
	}
	HostConfig  struct{ PortBindings map[string][]Port }
	GraphDriver struct{ Data struct{ MergedDir string } }
}

// Attachment is the address of a container in a network. It has none while it does not run.
type Attachment struct {
	IPAddress   string
	IPPrefixLen int
}

// Subnet is the subnet of the network, as far as the address tells.
func (a Attachment) Subnet() (netip.Prefix, bool) {
	at, err := netip.ParseAddr(a.IPAddress)
	if err != nil || a.IPPrefixLen == 0 {
		return netip.Prefix{}, false
	}
	p, err := at.Prefix(a.IPPrefixLen)
	return p, err == nil
}

// Port is a port of the host.
type Port struct {
	HostIP   string `json:"HostIp"`
	HostPort string
}

// Network is a network of containers.
type Network struct {
	Name string
	IPAM struct {
		Config []struct{ Subnet string }
	}
}

// Containers lists the containers with a label, also those that do not run.
func (c *Client) Containers(ctx context.Context, label string) (out []Summary, err error) {
	filter, err := json.Marshal(map[string][]string{"label": {label}})
	if err != nil {
		return nil, err
	}
	return out, c.api.Do(ctx,
		engineapi.Request{
			Method: http.MethodGet, Path: "/containers/json", Query: url.Values{"all": {"1"}, "filters": {string(filter)}},
		},
		&out)
}

// Inspect reads one container.
func (c *Client) Inspect(ctx context.Context, id string) (out Container, err error) {
	err = c.api.Do(ctx, engineapi.Request{Method: http.MethodGet, Path: "/containers/" + id + "/json"}, &out)
	out.Name = strings.TrimPrefix(out.Name, "/")
	return out, err
}

// Start starts a container; one that runs stays as it is.
func (c *Client) Start(ctx context.Context, id string) error {
	return c.api.Do(ctx, engineapi.Request{Method: http.MethodPost, Path: "/containers/" + id + "/start"}, nil)
}

// Unpause lets a paused container run on.
func (c *Client) Unpause(ctx context.Context, id string) error {
	return c.api.Do(ctx, engineapi.Request{Method: http.MethodPost, Path: "/containers/" + id + "/unpause"}, nil)
}

// Stop stops a container, and kills it after a while; one that is stopped stays so.
func (c *Client) Stop(ctx context.Context, id string, patience time.Duration) error {
	return c.api.Do(ctx,
		engineapi.Request{
			Method: http.MethodPost, Path: "/containers/" + id + "/stop",
			Query: url.Values{"t": {strconv.Itoa(int(patience.Seconds()))}}, Wait: patience + engineapi.ChangeWait,
		},
		nil)
}

// HasImage reports whether the engine has an image.
func (c *Client) HasImage(ctx context.Context, name string) (bool, error) {
	err := c.api.Do(ctx, engineapi.Request{Method: http.MethodGet, Path: "/images/" + name + "/json"}, nil)
	if engineapi.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// Networks lists the networks.
func (c *Client) Networks(ctx context.Context) (out []Network, err error) {
	return out, c.api.Do(ctx, engineapi.Request{Method: http.MethodGet, Path: "/networks"}, &out)
}

// RemoveNetwork removes a network that no container uses.
func (c *Client) RemoveNetwork(ctx context.Context, name string) error {
	return c.api.Do(ctx, engineapi.Request{Method: http.MethodDelete, Path: "/networks/" + name}, nil)
}

// Podman reports whether the engine is Podman, which the header of each of its answers says. GET /version says it too,
// but for it Podman 4 asks conmon, the runtime and the system's packages for their versions (0.1 seconds of CPU).
func (c *Client) Podman(ctx context.Context) (bool, error) {
	err := c.api.Do(ctx, engineapi.Request{Method: http.MethodGet, Path: "/_ping"}, nil)
	return err == nil && c.podman.Load(), err
}

// maxFile is how large a file of a container may be.
const maxFile = 1 << 20

// File reads a file of a container, which need not run. One that does not exist is not found; see
// engineapi.IsNotFound.
func (c *Client) File(ctx context.Context, id, name string) ([]byte, error) {
	var archive []byte
	if err := c.api.Do(ctx,
		engineapi.Request{Method: http.MethodGet, Path: "/containers/" + id + "/archive", Query: url.Values{"path": {name}}},
		&archive); err != nil {
		return nil, err
	}
	r := tar.NewReader(bytes.NewReader(archive))
	for {
		h, err := r.Next()
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if h.Typeflag == tar.TypeReg {
			return budget.ReadAll(r, name, maxFile)
		}
	}
}

// HasFile reports whether a container, which need not run, has a file. It costs much less than reading one.
func (c *Client) HasFile(ctx context.Context, id, name string) (bool, error) {
	err := c.api.Do(ctx,
		engineapi.Request{
			Method: http.MethodHead, Path: "/containers/" + id + "/archive", Query: url.Values{"path": {name}},
			Wait: engineapi.AnswerWait,
		},
		nil)
	if engineapi.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// Touch makes an empty file in a container.
func (c *Client) Touch(ctx context.Context, id, name string) error {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: path.Base(name), Typeflag: tar.TypeReg, Mode: 0o444}); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return c.api.Do(ctx,
		engineapi.Request{
			Method: http.MethodPut, Path: "/containers/" + id + "/archive", Query: url.Values{"path": {path.Dir(name)}},
			Body: b.Bytes(), Type: "application/x-tar",
		},
		nil)
}
