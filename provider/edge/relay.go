package edge

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

// Connect gives the credentials of the next stream, and for how long it may be open; 0 means for as long as it
// lasts.
type Connect func(context.Context) (credentials.TransportCredentials, time.Duration, error)

// signWait is how long an orchestrator may take to sign a certificate.
const signWait = 30 * time.Second

// Sign asks the orchestrator at an address to sign a certificate.
func Sign(address string) identity.Signer {
	return func(ctx context.Context, config *tls.Config, token string, csr []byte) (cert, authority []byte, err error) {
		ctx, stop := context.WithTimeout(ctx, signWait)
		defer stop()
		reply, err := link.Enroll(ctx, address, credentials.NewTLS(config), link.EnrollRequest{Token: token, CSR: csr})
		return reply.Cert, reply.Authority, err
	}
}

// Credentials connects with an identity, with a new certificate where that is due.
func Credentials(id identity.Node, address string, log hclog.Logger) Connect {
	return func(ctx context.Context) (credentials.TransportCredentials, time.Duration, error) {
		config, due, err := id.Config()
		if err != nil {
			return nil, 0, err
		}
		if due <= 0 {
			if err := id.Renew(ctx, Sign(address)); err != nil {
				log.Warn("the certificate could not be renewed", "error", err)
			} else if config, due, err = id.Config(); err != nil {
				return nil, 0, err
			}
		}
		return credentials.NewTLS(config), max(due, signWait), nil
	}
}

// Relay sends the events of a site to the central orchestrator, and hears its orders.
type Relay struct {
	Site    string
	Address string
	Connect Connect
	Dial    link.Dialer // nil means gRPC
	Outbox  *outbox.Outbox
	// hears all orders when a stream opens, and when they change; nil means that nothing does
	Ordered func(site string, o provider.Orders)
	Log     hclog.Logger
}

const (
	relayAtOnce = 256 // events in a frame
	relayFirst  = 500 * time.Millisecond
	relayMost   = 30 * time.Second
)

// Run sends until the context ends. Nothing is lost while the central orchestrator is away.
func (r Relay) Run(ctx context.Context) {
	for pause := relayFirst; ctx.Err() == nil; pause = min(2*pause, relayMost) {
		acked, err := r.stream(ctx)
		if ctx.Err() != nil {
			return
		}
		if acked {
			pause = relayFirst
		}
		r.Log.Warn("the central orchestrator is not connected; events are kept", "address", r.Address, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(rand.N(pause) + time.Millisecond):
		}
	}
}

// stream opens one stream, and sends until it ends. The next frame follows the acknowledgment of the last one.
func (r Relay) stream(ctx context.Context) (acked bool, err error) {
	secure, most, err := r.Connect(ctx)
	if err != nil {
		return false, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if most > 0 {
		defer time.AfterFunc(most, func() { stop(errDue) }).Stop()
	}
	conn, err := r.Dial.Or()(ctx, r.Address, secure)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.Send(link.FromNode{Hello: &link.Hello{Site: r.Site}}); err != nil {
		return false, err
	}
	acks := make(chan struct{}, 1)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer stop(nil)
	reader.Go(func() { stop(r.read(conn, acks)) })
	for {
		events := r.Outbox.After(0, relayAtOnce)
		next, more := acks, (<-chan struct{})(nil)
		if len(events) == 0 {
			next, more = nil, r.Outbox.Changed()
		} else if err := conn.Send(link.FromNode{Relayed: events}); err != nil {
			return acked, cmp.Or(context.Cause(ctx), err)
		}
		select {
		case <-ctx.Done():
			return acked, context.Cause(ctx)
		case <-next:
			acked = true
		case <-more:
		}
	}
}

// errDue ends a stream whose certificate is to be renewed.
var errDue = errors.New("the certificate is due to be renewed")

// read hears what the central orchestrator has, and what it orders, until the stream ends.
func (r Relay) read(conn *link.Conn, acks chan<- struct{}) error {
	for {
		f, err := conn.Recv()
		if err != nil {
			return err
		}
		if f.Orders != nil && r.Ordered != nil {
			r.Ordered(r.Site, *f.Orders)
		}
		if f.Ack == nil {
			continue
		}
		if err := r.Outbox.Ack(*f.Ack); err != nil {
			return err
		}
		select {
		case acks <- struct{}{}:
		default: // one that was not asked for
		}
	}
}
