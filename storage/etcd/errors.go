package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ovi-project/ovi/storage"
)

// Error is a failure of etcd. It contains no password.
type Error struct {
	Where string // the endpoints
	Op    string // what was being done
	What  string // what happened
	Next  string // what to do about it; may be empty
	Err   error  // for errors.Is: the error of etcd and that of package storage
}

func (e *Error) Error() string {
	s := "etcd at " + e.Where + ": " + e.Op + ": " + e.What
	if e.Next != "" {
		s += " (" + e.Next + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Brief is the error without what to do next.
func (e *Error) Brief() error {
	brief := *e
	brief.Next = ""
	return &brief
}

// place is where a store is, for errors: its endpoints and its user, without a password.
type place struct {
	layout
	where, user string
}

// explain turns an error of etcd into what happened, where, and what to do next.
func (s place) explain(op string, err error) error {
	if errors.Is(err, context.Canceled) {
		return &Error{Where: s.where, Op: op, What: context.Canceled.Error(), Err: context.Canceled}
	}
	e := &Error{Where: s.where, Op: op, What: strings.TrimPrefix(err.Error(), "etcdserver: "), Err: err}
	is := func(of ...error) bool {
		for _, x := range of {
			if errors.Is(err, x) {
				return true
			}
		}
		return false
	}
	means := func(sentinel error) { e.Err = errors.Join(sentinel, err) }
	switch {
	case s.explainUser(e, is):
	case is(rpctypes.ErrCompacted):
		means(storage.ErrCompacted)
		e.Next = "use a newer revision"
	case is(rpctypes.ErrFutureRev):
		means(storage.ErrFuture)
		e.Next = "use an older revision"
	case is(rpctypes.ErrLeaseNotFound):
		means(storage.ErrNoLease)
		e.Next = "it ended, or was revoked"
	case is(rpctypes.ErrNoSpace):
		means(storage.ErrFull)
		e.What = "the cluster is out of space and takes no writes"
		e.Next = "raise its --quota-backend-bytes, or etcdctl compact REVISION and etcdctl defrag --cluster; then " +
			"etcdctl alarm disarm; `ovi run --keep-history` keeps it from growing"
	case is(rpctypes.ErrNoLeader, rpctypes.ErrLeaderChanged, rpctypes.ErrTimeoutDueToLeaderFail, rpctypes.ErrTimeout,
		rpctypes.ErrTimeoutDueToConnectionLost):
		means(storage.ErrUnavailable)
		e.Next = "a majority of its members must run and reach each other: run etcdctl endpoint status --cluster, then " +
			"try again"
	case is(rpctypes.ErrTooManyRequests):
		means(storage.ErrUnavailable)
		e.Next = "its members are overloaded: check them with etcdctl endpoint status --cluster"
	case is(rpctypes.ErrRequestTooLarge), status.Code(err) == codes.ResourceExhausted:
		means(storage.ErrInvalid)
		e.Next = "the record of one resource must fit in one request: raise etcd's --max-request-bytes if it is set " +
			"lower than its default of 1.5 MiB"
	case is(rpctypes.ErrTooManyOps):
		means(storage.ErrInvalid)
		e.Next = "raise etcd's --max-txn-ops to its default of 128"
	case unanswered(err):
		means(storage.ErrUnavailable)
		e.What, e.Next = "no answer: "+e.What, "check that etcd runs there and is reachable"
	}
	return e
}

// explainUser explains errors of authentication and permission; false if it is neither.
func (s place) explainUser(e *Error, is func(...error) bool) bool {
	who := "the user that the certificate names"
	if s.user != "" {
		who = fmt.Sprintf("user %q", s.user)
	}
	switch {
	case is(rpctypes.ErrAuthFailed):
		e.What = fmt.Sprintf("the password of %s is wrong, or the user does not exist", who)
		e.Next = "check the user in the store or OVI_STORE_USER, and the password of OVI_STORE_PASSWORD_FILE, " +
			"OVI_STORE_PASSWORD or password-file"
	case is(rpctypes.ErrUserEmpty):
		e.What = "it requires a user, and none is set"
		e.Next = "set the user in the store or OVI_STORE_USER, and the password with OVI_STORE_PASSWORD_FILE"
	case is(rpctypes.ErrPermissionDenied):
		e.What = fmt.Sprintf("%s may not read and write below %s", who, s.prefix)
		e.Next = fmt.Sprintf("etcdctl role grant-permission ROLE readwrite --prefix=true %s, or use a prefix that the "+
			"user's role has", s.prefix)
	case is(rpctypes.ErrInvalidAuthToken, rpctypes.ErrAuthOldRevision):
		e.Err = errors.Join(storage.ErrUnavailable, e.Err)
		e.Next = "its users or roles are being changed"
	default:
		return false
	}
	return true
}

// unanswered reports that the request may or may not have been applied.
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
		if code == codes.Unknown && st.Message() == context.DeadlineExceeded.Error() {
			return true // a member without a quorum: its own request to the leader timed out
		}
	}
	return code == codes.Unavailable || code == codes.DeadlineExceeded || code == codes.Canceled
}

// unsure adds ErrUnknown to an error after which the commit may have been applied.
func (s place) unsure(err error) error {
	if unanswered(err) {
		return fmt.Errorf("%w: %w", storage.ErrUnknown, s.explain("commit", err))
	}
	return s.explain("commit", err)
}
