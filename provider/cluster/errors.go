package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/docker"
)

// classify wraps an error of a call in its class. An error that has one is returned as it is.
func classify(op string, err error) error {
	var done *provider.Error
	if err == nil || errors.As(err, &done) || errors.Is(err, provider.ErrReplace) || errors.Is(err, provider.ErrElsewhere) {
		return err
	}
	out := &provider.Error{Class: provider.Permanent, Op: op, Err: err}
	var unreachable *docker.ConnectError
	switch {
	case errors.As(err, &unreachable):
		out.Class, out.Err = provider.Transient, fmt.Errorf("cannot reach the container engine: %w", unreachable.Err)
		out.Hint = "start it, or set --cluster-engine"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		out.Class = provider.Transient
	case docker.IsNotFound(err):
		out.Class = provider.NotFound
	}
	return out
}

func permanent(op, hint, format string, args ...any) error {
	return &provider.Error{Class: provider.Permanent, Op: op, Err: fmt.Errorf(format, args...), Hint: hint}
}

func conflict(op, hint, format string, args ...any) error {
	return &provider.Error{Class: provider.Conflict, Op: op, Err: fmt.Errorf(format, args...), Hint: hint}
}
