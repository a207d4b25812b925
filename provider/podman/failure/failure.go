// Package failure tells the class of an error of Podman's, and what to do next.
package failure

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider"
)

// cause is what an error of Podman's means: texts that its cause or message contains, in lower
// case, the class, and what to do. Podman's statuses differ between versions, its causes do not.
type cause struct {
	text  string
	class provider.Class
	hint  string
}

// causes are tried in order.
func causes() []cause {
	return []cause{
		{"no such container", provider.NotFound, ""},
		{"no such volume", provider.NotFound, ""},
		{"no such secret", provider.NotFound, ""},
		{"no such pod", provider.NotFound, ""},
		{"network not found", provider.NotFound, "plan again: it was deleted meanwhile"},
		{"unable to find network", provider.NotFound, "plan again: it was deleted meanwhile"},
		{"manifest unknown", provider.Permanent, ImageHint},
		{"name unknown", provider.Permanent, ImageHint},
		{"image not known", provider.Permanent, ImageHint},
		{"no such image", provider.Permanent, ImageHint},
		{
			"did not resolve to an alias", provider.Permanent,
			"write the image with its registry, such as docker.io/library/nginx:1.27",
		},
		{"invalid reference format", provider.Permanent, "check how the image is written"},
		{"unauthorized", provider.Denied, "log in to the registry on the host with podman login"},
		{"authentication required", provider.Denied, "log in to the registry on the host with podman login"},
		{"denied", provider.Denied, "check the image's name, or log in to the registry on the host with podman login"},
		{"toomanyrequests", provider.Throttled, ""},
		{"address already in use", provider.Conflict, "use another host_port, or stop what uses it"},
		{"that name is already in use", provider.Conflict, "rename one of them, or adopt it"},
		{"secret name in use", provider.Conflict, "remove or rename the other secret on the host"},
		{"already exists", provider.Conflict, "rename one of them, or adopt it"},
		{"is already used on the host", provider.Conflict, "use another subnet"},
		{"is being used", provider.Conflict, "stop what uses it first"},
		{"has dependent containers", provider.Conflict, "delete what depends on it first"},
		{"has containers that are not", provider.Conflict, ""},
		{"executable file not found", provider.Permanent, "check command and args"},
		{"was not found", provider.Permanent, "check command and args"},
		{"no such file or directory", provider.Permanent, "create it on the host first"},
		{"permission denied", provider.Permanent, "check command, args and the rights of the files"},
		{"required plugin missing", provider.Permanent, ""},
		{"no space left", provider.Permanent, "free space on the host"},
		{"no such host", provider.Transient, "check the name of the registry, and the DNS of the host"},
		{"connection refused", provider.Transient, ""},
		{"connection reset", provider.Transient, ""},
		{"i/o timeout", provider.Transient, ""},
		{"tls handshake timeout", provider.Transient, ""},
		{"network is unreachable", provider.Transient, ""},
		{"service unavailable", provider.Transient, ""},
		{"database is locked", provider.Transient, ""},
	}
}

// Classify wraps an error of a call in its class. An error that has one is returned as it is.
func Classify(op string, err error) error {
	var done *provider.Error
	if err == nil || errors.As(err, &done) {
		return err
	}
	var said *engineapi.Error
	var unreachable *engineapi.ConnectError
	var lost *engineapi.LostError
	out := &provider.Error{Class: provider.Permanent, Op: op, Err: err}
	switch {
	case errors.As(err, &said):
		out.Class, out.Code = provider.Unclassified, said.Cause
		text := strings.ToLower(said.Cause + "\n" + said.Message)
		for _, c := range causes() {
			if strings.Contains(text, c.text) {
				out.Class, out.Hint = c.class, c.hint
				return out
			}
		}
	case errors.As(err, &unreachable):
		out.Class, out.Err = provider.Transient, fmt.Errorf("cannot reach Podman: %w", unreachable.Err)
		out.Hint = "start it with `systemctl start podman.socket`, or set CONTAINER_HOST"
	case errors.As(err, &lost):
		out.Class = provider.Uncertain
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		out.Class = provider.Transient
	}
	return out
}

// IsNotFound reports whether Podman has no such object.
func IsNotFound(err error) bool { return provider.ClassOf(Classify("", err)) == provider.NotFound }

// Permanent returns an error of a request that fails again; hint says what to do.
func Permanent(op, hint, format string, args ...any) error {
	return &provider.Error{Class: provider.Permanent, Op: op, Err: fmt.Errorf(format, args...), Hint: hint}
}

// NotHealthy returns the error of a container that was made as configured and is not in service.
func NotHealthy(hint, format string, args ...any) error {
	return &provider.Error{
		Class: provider.Permanent, Code: provider.NotHealthy, Err: fmt.Errorf(format, args...), Hint: hint,
	}
}

// Conflict returns the error of a request that another object blocks; hint says what to do.
func Conflict(op, hint, format string, args ...any) error {
	return &provider.Error{Class: provider.Conflict, Op: op, Err: fmt.Errorf(format, args...), Hint: hint}
}

// ImageHint is what to do about an image that its registry does not have.
const ImageHint = "check image name and tag"
