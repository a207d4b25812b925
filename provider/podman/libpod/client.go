package libpod

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
)

// Client reads and changes what a host has.
type Client struct{ *Reader }

// New returns a client that sends its requests through a transport.
func New(t http.RoundTripper) *Client { return &Client{NewReader(t)} }

func (c *Client) post(ctx context.Context, path string, query url.Values, body, out any) error {
	return c.api.Do(ctx, engineapi.Request{Method: http.MethodPost, Path: path, Query: query, Body: body}, out)
}

// stop sends a request that Podman answers after the patience at the latest.
func (c *Client) stop(ctx context.Context, path, name string, patience time.Duration) error {
	return c.api.Do(ctx, engineapi.Request{
		Method: http.MethodPost, Path: path, Query: engineapi.Values(name, strconv.Itoa(int(patience/time.Second))),
		Wait: patience + engineapi.ChangeWait,
	}, nil)
}

func (c *Client) remove(ctx context.Context, path string, query url.Values, out any) error {
	return c.api.Do(ctx, engineapi.Request{Method: http.MethodDelete, Path: path, Query: query}, out)
}

// CreateContainer creates a container and returns its ID. It does not start it.
func (c *Client) CreateContainer(ctx context.Context, s *ContainerSpec) (string, error) {
	var out struct {
		ID string `json:"Id"`
	}
	err := c.post(ctx, "/containers/create", nil, s, &out)
	return out.ID, err
}

// StartContainer starts a container; one that runs stays as it is.
func (c *Client) StartContainer(ctx context.Context, id string) error {
	return c.post(ctx, "/containers/"+id+"/start", nil, nil, nil)
}

// StopContainer stops a container, and kills it after a while. If its process ends at this moment, Podman
// starts it again by its restart policy, and reports no error.
func (c *Client) StopContainer(ctx context.Context, id string, patience time.Duration) error {
	return c.stop(ctx, "/containers/"+id+"/stop", "timeout", patience)
}

// RenameContainer renames a container, also while it runs.
func (c *Client) RenameContainer(ctx context.Context, id, name string) error {
	return c.post(ctx, "/containers/"+id+"/rename", engineapi.Values("name", name), nil, nil)
}

// UnpauseContainer lets a paused container run on.
func (c *Client) UnpauseContainer(ctx context.Context, id string) error {
	return c.post(ctx, "/containers/"+id+"/unpause", nil, nil, nil)
}

// UpdateContainer changes the limits of a container. Before Podman 5 they last until it stops.
func (c *Client) UpdateContainer(ctx context.Context, id string, r *Resources) error {
	return c.post(ctx, "/containers/"+id+"/update", nil, r, nil)
}

// RemoveContainer removes a container, which must not run. The volumes that were made for it stay.
func (c *Client) RemoveContainer(ctx context.Context, id string) error {
	return c.remove(ctx, "/containers/"+id, nil, nil)
}

// RemoveNewContainer removes a container that never was in service, which must not run, and the
// volumes that were made for it and that no other container uses.
func (c *Client) RemoveNewContainer(ctx context.Context, id string) error {
	return c.remove(ctx, "/containers/"+id, engineapi.Values("volumes", "true"), nil)
}

// CreateNetwork creates a network.
func (c *Client) CreateNetwork(ctx context.Context, n *Network) (out Network, err error) {
	return out, c.post(ctx, "/networks/create", nil, n, &out)
}

// RemoveNetwork removes a network that no container uses.
func (c *Client) RemoveNetwork(ctx context.Context, id string) error {
	var out []struct{ Err any }
	return c.remove(ctx, "/networks/"+id, nil, &out)
}

// Connect connects a container to a network.
func (c *Client) Connect(ctx context.Context, network, container string, aliases []string) error {
	body := struct {
		Container string   `json:"container"`
		Aliases   []string `json:"aliases,omitempty"`
	}{container, aliases}
	return c.post(ctx, "/networks/"+network+"/connect", nil, body, nil)
}

// Disconnect disconnects a container from a network.
func (c *Client) Disconnect(ctx context.Context, network, container string) error {
	body := struct {
		Container string
		Force     bool
	}{Container: container}
	return c.post(ctx, "/networks/"+network+"/disconnect", nil, body, nil)
}

// CreateVolume creates a volume.
func (c *Client) CreateVolume(ctx context.Context, v *Volume) (out Volume, err error) {
	return out, c.post(ctx, "/volumes/create", nil, v, &out)
}

// RemoveVolume removes a volume that no container uses.
func (c *Client) RemoveVolume(ctx context.Context, name string) error {
	return c.remove(ctx, "/volumes/"+name, nil, nil)
}

// CreateSecret creates a secret and returns its ID.
func (c *Client) CreateSecret(ctx context.Context, name string, labels map[string]string, data []byte) (string, error) {
	var out struct{ ID string }
	encoded, err := json.Marshal(labels)
	if err != nil {
		return "", err
	}
	err = c.post(ctx, "/secrets/create", engineapi.Values("name", name, "driver", "file", "labels", string(encoded)),
		data, &out)
	return out.ID, err
}

// RemoveSecret removes a secret, also one that containers use.
func (c *Client) RemoveSecret(ctx context.Context, id string) error {
	return c.remove(ctx, "/secrets/"+id, nil, nil)
}

// CreatePod creates a pod and returns its ID. It does not start it.
func (c *Client) CreatePod(ctx context.Context, s *PodSpec) (string, error) {
	var out struct {
		ID string `json:"Id"`
	}
	err := c.post(ctx, "/pods/create", nil, s, &out)
	return out.ID, err
}

// StartPod starts the containers of a pod.
func (c *Client) StartPod(ctx context.Context, id string) error {
	return c.post(ctx, "/pods/"+id+"/start", nil, nil, nil)
}

// StopPod stops the containers of a pod.
func (c *Client) StopPod(ctx context.Context, id string, patience time.Duration) error {
	return c.stop(ctx, "/pods/"+id+"/stop", "t", patience)
}

// RemovePod removes a pod that has no containers but its own.
func (c *Client) RemovePod(ctx context.Context, id string) error {
	return c.remove(ctx, "/pods/"+id, nil, nil)
}
