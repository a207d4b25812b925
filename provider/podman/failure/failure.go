// Package failure tells the cause of an error of Podman's, and what to do next.
package failure

import (
	"context"
	"errors"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider"
)

// Causes returns the table of Podman by the texts that the cause or message of a failure contains. Podman's statuses
// differ between versions, its texts do not. The first row that matches decides.
func Causes() []provider.Row {
	const (
		login   = "log in to the registry on the host with podman login"
		free    = "free space on the host"
		other   = "rename one of them, or adopt it"
		command = "check command and args"
		deleted = "plan again: it was deleted meanwhile"
		rights  = "check the rights of the files on the host"
	)
	return []provider.Row{
		{Text: "no such container", Cause: provider.Configuration, Absent: true},
		{Text: "no such volume", Cause: provider.Configuration, Absent: true},
		{Text: "no such secret", Cause: provider.Configuration, Absent: true},
		{Text: "no such pod", Cause: provider.Configuration, Absent: true},
		{Text: "network not found", Cause: provider.Configuration, Absent: true, Hint: deleted},
		{Text: "unable to find network", Cause: provider.Configuration, Absent: true, Hint: deleted},
		{Text: "pull rate limit", Cause: provider.Quota, Hint: login + " for more pulls, or wait"},
		{Text: "toomanyrequests", Cause: provider.Throttled},
		{Text: "too many requests", Cause: provider.Throttled},
		{Text: "no space left", Cause: provider.Quota, Hint: free},
		{Text: "disk quota exceeded", Cause: provider.Quota, Hint: free},
		{Text: "too many open files", Cause: provider.Quota, Hint: "raise the limit of open files of Podman's user"},
		{Text: "cannot allocate memory", Cause: provider.Capacity, Hint: "free memory on the host"},
		{Text: "resource temporarily unavailable", Cause: provider.Capacity},
		{Text: "could not find free subnet", Cause: provider.Capacity, Hint: "set subnet, or remove networks of the host"},
		{Text: "manifest unknown", Cause: provider.Configuration, Hint: ImageHint},
		{Text: "name unknown", Cause: provider.Configuration, Hint: ImageHint},
		{Text: "image not known", Cause: provider.Configuration, Hint: ImageHint},
		{Text: "no such image", Cause: provider.Configuration, Hint: ImageHint},
		{
			Text: "did not resolve to an alias", Cause: provider.Configuration,
			Hint: "write the image with its registry, such as docker.io/library/nginx:1.27",
		},
		{Text: "invalid reference format", Cause: provider.Configuration, Hint: "check how the image is written"},
		{Text: "exec format error", Cause: provider.Configuration, Hint: "use an image of the host's architecture"},
		{Text: "unauthorized", Cause: provider.Denied, Hint: login},
		{Text: "authentication required", Cause: provider.Denied, Hint: login},
		{Text: "oci permission denied", Cause: provider.Configuration, Hint: command},
		{Text: "open executable", Cause: provider.Configuration, Hint: command},
		{Text: "permission denied", Cause: provider.Denied, Hint: rights},
		{Text: "denied", Cause: provider.Denied, Hint: "check the image's name, or " + login},
		{Text: "address already in use", Cause: provider.InUse, Hint: "use another host_port, or stop what uses it"},
		{Text: "that name is already in use", Cause: provider.InUse, Hint: other},
		{Text: "secret name in use", Cause: provider.InUse, Hint: "remove or rename the other secret on the host"},
		{Text: "already exists", Cause: provider.InUse, Hint: other},
		{Text: "is already used on the host", Cause: provider.InUse, Hint: "use another subnet"},
		{Text: "is being used", Cause: provider.InUse, Hint: "stop what uses it first"},
		{Text: "has dependent containers", Cause: provider.InUse, Hint: "delete what depends on it first"},
		{Text: "has containers that are not", Cause: provider.InUse},
		{Text: "is being removed", Cause: provider.InUseByService},
		{Text: "executable file not found", Cause: provider.Configuration, Hint: command},
		{Text: "was not found", Cause: provider.Configuration, Hint: command},
		{Text: "no such file or directory", Cause: provider.Configuration, Hint: "create it on the host first"},
		{Text: "required plugin missing", Cause: provider.Configuration},
		{Text: "no such host", Cause: provider.Unreachable, Hint: "check the name of the registry, and the DNS of the host"},
		{Text: "certificate", Cause: provider.Unreachable, Hint: "trust the certificate of the registry on the host"},
		{Text: "connection refused", Cause: provider.Unreachable},
		{Text: "connection reset", Cause: provider.Unreachable},
		{Text: "i/o timeout", Cause: provider.Unreachable},
		{Text: "deadline exceeded", Cause: provider.Unreachable},
		{Text: "unexpected eof", Cause: provider.Unreachable},
		{Text: "tls handshake timeout", Cause: provider.Unreachable},
		{Text: "network is unreachable", Cause: provider.Unreachable},
		{Text: "no route to host", Cause: provider.Unreachable},
		{Text: "service unavailable", Cause: provider.Unreachable},
		{Text: "bad gateway", Cause: provider.Unreachable},
		{Text: "gateway timeout", Cause: provider.Unreachable},
		{Text: "database is locked", Cause: provider.Unreachable},
	}
}

// Classify wraps an error of a call in its cause. An error that has one is returned as it is.
func Classify(op string, err error) error {
	var done *provider.Error
	if err == nil || errors.As(err, &done) {
		return err
	}
	var said *engineapi.Error
	var unreachable *engineapi.ConnectError
	var lost *engineapi.LostError
	out := &provider.Error{Op: op, Err: err}
	switch {
	case errors.As(err, &said):
		row, _ := provider.Find(Causes(), "", op, said.Cause, said.Cause+"\n"+said.Message)
		out.Code, out.Cause, out.Absent, out.Hint, out.Row = said.Cause, row.Cause, row.Absent, row.Hint, row
	case errors.As(err, &unreachable):
		out.Cause, out.Err = provider.Unreachable, provider.Errorf("cannot reach Podman: %w", unreachable.Err)
		out.Hint = "start it with `systemctl start podman.socket`, or set CONTAINER_HOST"
	case errors.As(err, &lost):
		out.Cause = provider.UnknownResult
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		out.Cause = provider.Unreachable
	}
	return out
}

// IsNotFound reports whether Podman has no such object.
func IsNotFound(err error) bool { return provider.Absent(Classify("", err)) }

// Mistake returns an error of a configuration that fails again; hint says what to do.
func Mistake(op, hint, format string, args ...any) error {
	return &provider.Error{Cause: provider.Configuration, Op: op, Err: provider.Errorf(format, args...), Hint: hint}
}

// NotHealthy returns the error of a container that was made as configured and is not in service.
func NotHealthy(hint, format string, args ...any) error {
	return &provider.Error{
		Code: provider.NotHealthy, Err: provider.Errorf(format, args...), Hint: hint,
	}
}

// InUse returns the error of a request that another object blocks; hint says what to do.
func InUse(op, hint, format string, args ...any) error {
	return &provider.Error{Cause: provider.InUse, Op: op, Err: provider.Errorf(format, args...), Hint: hint}
}

// ImageHint is what to do about an image that its registry does not have.
const ImageHint = "check image name and tag"
