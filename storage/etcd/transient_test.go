package etcd

import (
	"context"
	"errors"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ovi-project/ovi/storage"
)

// TestOnlyAnUnavailableStoreIsTransient holds the errors of etcd against storage.Transient: an error that stays
// after any wait must be final.
func TestOnlyAnUnavailableStoreIsTransient(t *testing.T) {
	s := place{where: "here"}
	for err, want := range map[error]bool{
		rpctypes.ErrNoLeader:                   true,
		rpctypes.ErrLeaderChanged:              true,
		rpctypes.ErrTimeoutDueToConnectionLost: true,
		rpctypes.ErrTooManyRequests:            true,
		rpctypes.ErrAuthOldRevision:            true,
		context.DeadlineExceeded:               true,
		// the answer to a read of a member without a quorum
		status.Error(codes.Unknown, "context deadline exceeded"): true,
		context.Canceled:             false,
		rpctypes.ErrPermissionDenied: false,
		rpctypes.ErrNoSpace:          false,
		rpctypes.ErrRequestTooLarge:  false,
		rpctypes.ErrCompacted:        false,
		rpctypes.ErrLeaseNotFound:    false,
		errors.New("another error"):  false,
	} {
		if got := storage.Transient(s.explain("read", err)); got != want {
			t.Errorf("%v: transient %t, want %t", err, got, want)
		}
	}
	if err := s.unsure(rpctypes.ErrLeaderChanged); storage.Transient(err) {
		t.Errorf("a commit with an unknown outcome is transient: %v", err)
	}
}
