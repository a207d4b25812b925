package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/haproxy"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/portainer"
)

// classify wraps an error of a call in its class. An error that has one is returned as it is.
func classify(op string, err error) error {
	var done *provider.Error
	if err == nil || errors.As(err, &done) || errors.Is(err, provider.ErrReplace) ||
		errors.Is(err, provider.ErrElsewhere) {
		return err
	}
	out := &provider.Error{Class: provider.Permanent, Op: op, Err: err}
	var unreachable *engineapi.ConnectError
	var lost *engineapi.LostError
	var balancer *haproxy.ConnectError
	var unused *haproxy.UnusedError
	var behind *haproxy.BehindError
	var refused *portainer.Error
	var said *kube.Error
	var git *gitclone.Error
	var sent *url.Error
	switch {
	case errors.As(err, &refused):
		out.Class, out.Hint = classOfStatus(refused.Status)
	case errors.As(err, &git):
		out.Class, out.Hint = provider.Transient, "check the URL of the repository, the network and OVI_GIT_TOKEN"
	case errors.As(err, &said):
		out.Code = said.Reason
		out.Class, out.Hint = classOf(said)
	case errors.As(err, &unreachable):
		out.Class, out.Err = provider.Transient, fmt.Errorf("cannot reach the container engine: %w", unreachable.Err)
		out.Hint = "start it, or set --cluster-engine"
	case errors.As(err, &lost):
		out.Class = provider.Uncertain
	case errors.As(err, &behind):
		out.Class = provider.Uncertain
	case errors.As(err, &balancer):
		out.Class, out.Hint = provider.Transient, "start it, or set --cluster-haproxy-socket and --cluster-haproxy-master"
	case errors.As(err, &unused):
		out.Hint = unused.Suggestion()
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		out.Class = provider.Transient
	case engineapi.IsNotFound(err):
		out.Class = provider.NotFound
	case errors.As(err, &sent):
		out.Class, out.Err = provider.Transient, fmt.Errorf("cannot reach the API server: %w", sent.Err)
		if dial := new(net.OpError); sent.Op != "Get" && !(errors.As(err, &dial) && dial.Op == "dial") {
			out.Class = provider.Uncertain
		}
	}
	return out
}

// classOfStatus is the class of an answer of Portainer's, and what to do next.
func classOfStatus(status int) (provider.Class, string) {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return provider.Denied, "set OVI_CLUSTER_PORTAINER_TOKEN to an access token of a user of Portainer"
	case status == http.StatusNotFound:
		return provider.NotFound, ""
	case status == http.StatusConflict:
		return provider.Conflict, ""
	case status >= http.StatusInternalServerError:
		return provider.Transient, ""
	}
	return provider.Permanent, ""
}

// classOf is the class of an answer of an API server, and what to do next.
func classOf(e *kube.Error) (provider.Class, string) {
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return provider.Denied, "check the user of the context"
	case e.Status == http.StatusNotFound && strings.Contains(e.Message, "namespaces"):
		return provider.Permanent, "install Argo CD in the namespace argocd first"
	case e.Status == http.StatusNotFound:
		return provider.NotFound, ""
	case e.Status == http.StatusConflict:
		return provider.Conflict, "another program set this; remove it there, or leave it to that program"
	case e.Status == http.StatusTooManyRequests:
		return provider.Throttled, ""
	case e.Status >= http.StatusInternalServerError:
		return provider.Transient, ""
	}
	return provider.Permanent, ""
}
