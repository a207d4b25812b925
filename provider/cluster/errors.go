package cluster

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"strconv"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/haproxy"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/portainer"
	"github.com/ovi-project/ovi/provider/cluster/system"
)

// classify wraps an error of a call in its cause. An error that has one is returned as it is.
func classify(op string, err error) error {
	var done *provider.Error
	if err == nil || errors.As(err, &done) || errors.Is(err, provider.ErrReplace) ||
		errors.Is(err, provider.ErrElsewhere) {
		return err
	}
	var portainerSaid *portainer.Error
	var kubeSaid *kube.Error
	var engineSaid *engineapi.Error
	var gitSaid *gitclone.Error
	switch {
	case errors.As(err, &portainerSaid):
		return system.Said(system.Portainer, op, strconv.Itoa(portainerSaid.Status), portainerSaid.Message, err)
	case errors.As(err, &kubeSaid):
		out := system.Said(system.Kubernetes, op, strconv.Itoa(kubeSaid.Status), kubeSaid.Message, err)
		out.Code = kubeSaid.Reason
		return out
	case errors.As(err, &gitSaid) && !interrupted(err):
		return system.Said(system.Git, op, "", cmp.Or(gitSaid.Text, gitSaid.Err.Error()), err)
	case engineapi.IsNotFound(err):
		return &provider.Error{Cause: provider.Configuration, Absent: true, Op: op, Err: err}
	case errors.As(err, &engineSaid):
		return system.Said(system.Program, op, "", engineSaid.Message, err)
	}
	return unanswered(op, err)
}

// unanswered is the error of a call that its system did not answer; an error of another kind has no cause.
func unanswered(op string, err error) error {
	out := &provider.Error{Op: op, Err: err}
	var unreachable *engineapi.ConnectError
	var lost *engineapi.LostError
	var balancer *haproxy.ConnectError
	var unused *haproxy.UnusedError
	var behind *haproxy.BehindError
	var sent *url.Error
	switch {
	case errors.As(err, &unreachable):
		out.Cause, out.Err = provider.Unreachable, provider.Errorf("cannot reach the container engine: %w", unreachable.Err)
		out.Hint = "start it, or set --cluster-engine"
	case errors.As(err, &lost), errors.As(err, &behind):
		out.Cause = provider.UnknownResult
	case errors.As(err, &balancer):
		out.Cause, out.Hint = provider.Unreachable, "start it, or set --cluster-haproxy-socket and --cluster-haproxy-master"
	case errors.As(err, &unused):
		out.Cause, out.Hint = provider.Configuration, unused.Suggestion()
	case interrupted(err):
		out.Cause = provider.Unreachable
	case errors.As(err, &sent):
		out.Cause, out.Err = provider.Unreachable, provider.Errorf("cannot reach the API server: %w", sent.Err)
		if dial := new(net.OpError); sent.Op != "Get" && !(errors.As(err, &dial) && dial.Op == "dial") {
			out.Cause = provider.UnknownResult
		}
	}
	return out
}

func interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
