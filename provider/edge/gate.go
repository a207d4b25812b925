package edge

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
)

// Gate lets those speak that an authority knows, for themselves. Without an authority, in tests of one process,
// it lets everything pass.
type Gate struct {
	Authority *identity.Authority
	Alarm     func(name, text string) // see Options
}

// Admit returns why the other end of a stream may not speak for a name: that of a node, SITE/NODE, or of a site.
func (g Gate) Admit(ctx context.Context, name string) error {
	if g.Authority == nil {
		return nil
	}
	of, err := g.Authority.Node(link.Certificate(ctx), false)
	if err == nil && of != name {
		err = fmt.Errorf("%w: %s cannot speak for %s", identity.ErrRefused, of, name)
		g.Alarm(of, err.Error())
	}
	return denied(err)
}

// Name is for whom the other end of a stream may speak.
func (g Gate) Name(ctx context.Context) (string, error) {
	name, err := g.Authority.Node(link.Certificate(ctx), false)
	return name, denied(err)
}

// Still returns why one that was admitted may not speak any more.
func (g Gate) Still(ctx context.Context, name string) error {
	if g.Authority == nil {
		return nil
	}
	return denied(g.Authority.Still(link.Certificate(ctx), name))
}

// Enroll signs a certificate, for a token or for the certificate before.
func (g Gate) Enroll(ctx context.Context, r link.EnrollRequest) (link.EnrollReply, error) {
	a := g.Authority
	if a == nil {
		return link.EnrollReply{}, denied(identity.ErrRefused)
	}
	if r.Token == "" {
		cert, err := a.Renew(link.Certificate(ctx), r.CSR)
		return link.EnrollReply{Cert: cert, Authority: a.PEM()}, denied(err)
	}
	name, cert, err := a.Enroll(r.Token, r.CSR)
	if errors.Is(err, identity.ErrUsed) {
		g.Alarm(name, "the token of "+name+" was used a second time, and refused: if it is not yours, run `ovi edge revoke "+
			name+"`")
	}
	return link.EnrollReply{Cert: cert, Authority: a.PEM()}, denied(err)
}

// denied tells the other end why it is refused.
func denied(err error) error {
	if err == nil {
		return nil
	}
	return status.Error(codes.PermissionDenied, err.Error())
}
