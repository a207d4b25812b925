package docker

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
)

// Volume is a volume of containers.
type Volume struct {
	Name      string
	CreatedAt time.Time // in full seconds
	Labels    map[string]string
}

// Volumes lists the volumes with a label.
func (c *Client) Volumes(ctx context.Context, label string) ([]Volume, error) {
	filter, err := json.Marshal(map[string][]string{"label": {label}})
	if err != nil {
		return nil, err
	}
	var out struct{ Volumes []Volume }
	err = c.api.Do(ctx,
		engineapi.Request{Method: http.MethodGet, Path: "/volumes", Query: url.Values{"filters": {string(filter)}}}, &out)
	return out.Volumes, err
}

// CreateVolume makes a volume with labels. One that exists keeps those that it has.
func (c *Client) CreateVolume(ctx context.Context, name string, labels map[string]string) error {
	return c.api.Do(ctx,
		engineapi.Request{
			Method: http.MethodPost, Path: "/volumes/create", Body: map[string]any{"Name": name, "Labels": labels},
		},
		nil)
}

// RemoveVolume removes a volume that no container uses, if there is one.
func (c *Client) RemoveVolume(ctx context.Context, name string) error {
	err := c.api.Do(ctx, engineapi.Request{Method: http.MethodDelete, Path: "/volumes/" + url.PathEscape(name)}, nil)
	if engineapi.IsNotFound(err) {
		return nil
	}
	return err
}
