package etcd

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ovi-project/ovi/storage"
)

// explain turns what etcd says into what happened, where, and what to do next.
func (s *Store) explain(op string, err error) error {
	say := func(sentinel error, next string) error {
		if sentinel == nil {
			return fmt.Errorf("etcd at %s: %s: %w (%s)", s.where, op, err, next)
		}
		return fmt.Errorf("etcd at %s: %s: %w: %w (%s)", s.where, op, sentinel, err, next)
	}
	switch {
	case errors.Is(err, rpctypes.ErrCompacted):
		return say(storage.ErrCompacted, "ask for a newer revision")
	case errors.Is(err, rpctypes.ErrFutureRev):
		return say(storage.ErrFuture, "ask for an older revision")
	case errors.Is(err, rpctypes.ErrLeaseNotFound):
		return say(storage.ErrNoLease, "it ended, or was revoked")
	case errors.Is(err, rpctypes.ErrNoSpace):
		return say(nil, "the cluster is out of space and takes no writes: compact and defragment it, then etcdctl alarm disarm")
	case errors.Is(err, rpctypes.ErrAuthFailed), errors.Is(err, rpctypes.ErrPermissionDenied), errors.Is(err, rpctypes.ErrUserEmpty), errors.Is(err, rpctypes.ErrInvalidAuthToken):
		return say(nil, "check the user, the password and the role's right to the prefix "+s.prefix)
	case errors.Is(err, rpctypes.ErrNoLeader), errors.Is(err, rpctypes.ErrLeaderChanged), errors.Is(err, rpctypes.ErrTimeoutDueToLeaderFail):
		return say(nil, "the cluster has no leader: a majority of its members must run; try again")
	case errors.Is(err, rpctypes.ErrRequestTooLarge):
		return say(storage.ErrInvalid, "raise etcd's --max-request-bytes")
	case errors.Is(err, rpctypes.ErrTooManyOps):
		return say(storage.ErrInvalid, "raise etcd's --max-txn-ops to its default of 128")
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("etcd at %s: %s: %w", s.where, op, context.Canceled)
	case unanswered(err):
		return say(nil, "no answer: check that etcd runs there and can be reached")
	}
	return fmt.Errorf("etcd at %s: %s: %w", s.where, op, err)
}

// unanswered says that the request may or may not have been carried out.
func unanswered(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true
	}
	var e rpctypes.EtcdError
	code := codes.Unknown
	if errors.As(err, &e) {
		code = e.Code()
	} else if st, ok := status.FromError(err); ok {
		code = st.Code()
	}
	return code == codes.Unavailable || code == codes.DeadlineExceeded || code == codes.Canceled
}
