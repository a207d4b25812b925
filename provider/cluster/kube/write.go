package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// IsConflict reports whether the cluster answered that an object is another one than was meant, or that
// another manager owns a field.
func IsConflict(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusConflict
}

// Apply makes an object what is given, on the server's side, and creates it where there is none. A field
// that another manager owns with another value is a conflict.
func (c *Client) Apply(ctx context.Context, path string, object, out any) error {
	return c.write(ctx, path, url.Values{"fieldManager": {Manager}}, "application/apply-patch+yaml", object, out)
}

// Patch changes the given fields of an object; nil removes one.
func (c *Client) Patch(ctx context.Context, path string, patch, out any) error {
	return c.PatchAs(ctx, Manager, path, patch, out)
}

// PatchAs is Patch by another manager.
func (c *Client) PatchAs(ctx context.Context, manager, path string, patch, out any) error {
	return c.write(ctx, path, url.Values{"fieldManager": {manager}}, "application/merge-patch+json", patch, out)
}

func (c *Client) write(ctx context.Context, path string, query url.Values, kind string, object, out any) error {
	b, err := json.Marshal(object)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	answer, err := c.send(ctx, http.MethodPatch, path, query, kind, b)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s: cannot read the answer: %w", path, err)
	}
	return nil
}

// Remove deletes an object with a UID.
func (c *Client) Remove(ctx context.Context, path, uid string) error {
	type preconditions struct {
		UID string `json:"uid"`
	}
	b, err := json.Marshal(struct {
		Preconditions preconditions `json:"preconditions"`
	}{preconditions{uid}})
	if err != nil {
		return err
	}
	_, err = c.send(ctx, http.MethodDelete, path, nil, "application/json", b)
	return err
}
