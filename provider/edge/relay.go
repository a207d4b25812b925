package edge

import (
	"context"
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

// Connect gives the credentials of the next stream, and for how long it may be open; 0: for as long as it
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

// Relay sends the events of a site to the central orchestrator.
type Relay struct {
	Site    string
	Address string
	Connect Connect
	Outbox  *outbox.Outbox
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
	if most > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, most)
		defer stop()
	}
	conn, err := link.Dial(ctx, r.Address, secure)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.Send(link.FromNode{Hello: &link.Hello{Site: r.Site}}); err != nil {
		return false, err
	}
	for {
		events := r.Outbox.After(0, relayAtOnce)
		if len(events) == 0 {
			select {
			case <-ctx.Done():
				return acked, context.Cause(ctx)
			case <-r.Outbox.Changed():
			}
			continue
		}
		if err := conn.Send(link.FromNode{Relayed: events}); err != nil {
			return acked, err
		}
		f, err := conn.Recv()
		if err == nil && f.Ack == nil {
			err = fmt.Errorf("a frame without an acknowledgment")
		}
		if err == nil {
			err = r.Outbox.Ack(*f.Ack)
		}
		if err != nil {
			return acked, err
		}
		acked = true
	}
}
