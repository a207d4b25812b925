package simulate_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/ovi-project/ovi/cmd/edge/simulate"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
)

// refuser refuses who enrolls, and every third fails in another way.
type refuser struct {
	asked  atomic.Int64
	enough func()
}

func (*refuser) Session(context.Context, func() (link.FromNode, error), func(link.ToNode) error) error {
	return errors.New("no node dials")
}

func (r *refuser) Enroll(_ context.Context, q link.EnrollRequest) (link.EnrollReply, error) {
	n := r.asked.Add(1)
	if n == 9 {
		r.enough()
	}
	if n%3 == 0 || q.Token != "unknown" {
		return link.EnrollReply{}, errors.New("it failed")
	}
	return link.EnrollReply{}, status.Error(codes.PermissionDenied, "refused")
}

// TestAProbeCountsAnswers: a refusal is an answer and has a time, and everything else is none.
func TestAProbeCountsAnswers(t *testing.T) {
	t.Parallel()
	authority, err := identity.Open(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	r := &refuser{enough: stop}
	server := link.NewServer(r, grpc.Creds(credentials.NewTLS(authority.Server())))
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	defer func() { server.Stop(); serving.Wait() }()
	config, err := authority.Config("berlin/n1")
	if err != nil {
		t.Fatal(err)
	}
	f := simulate.Fleet{Site: "berlin", Address: l.Addr().String()}
	f.Add("n1", config)
	a := f.Probe(ctx, 20*time.Millisecond)
	asked := int(r.asked.Load())
	if a.None != asked/3 || len(a.Times) != asked-asked/3 {
		t.Errorf("of %d requests %d were answered and %d not", asked, len(a.Times), a.None)
	}
	if a.Median() <= 0 || a.Worst() < a.Median() {
		t.Errorf("the median is %s, the worst %s", a.Median(), a.Worst())
	}
	if none := (simulate.Answers{}); none.Median() != 0 || none.Worst() != 0 {
		t.Errorf("of nothing: %s, %s", none.Median(), none.Worst())
	}
}
