// Package central is the orchestrator of all sites: it hears every event that the orchestrators of sites hear
// from their nodes, and keeps it once. It decides nothing, and names no version: Git does.
package central

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

// Central keeps the events of all sites.
type Central struct {
	Gate   edge.Gate
	Outbox *outbox.Outbox
}

var _ link.Orchestrator = Central{}

// Session implements link.Orchestrator: the other end is the orchestrator of a site.
func (c Central) Session(ctx context.Context, recv func() (link.FromNode, error), send func(link.ToNode) error) error {
	first, err := recv()
	if err != nil {
		return err
	}
	if first.Hello == nil || first.Hello.Node != "" {
		return errors.New("the first frame names no site")
	}
	site := first.Hello.Site
	if err := c.Gate.Admit(ctx, site); err != nil {
		return err
	}
	for {
		f, err := recv()
		if err != nil {
			return err
		}
		if err := c.Gate.Still(ctx, site); err != nil {
			return err
		}
		if err := c.keep(site, f.Relayed); err != nil {
			return err
		}
		if n := len(f.Relayed); n > 0 {
			if err := send(link.ToNode{Ack: &f.Relayed[n-1].Number}); err != nil {
				return err
			}
		}
	}
}

// keep keeps events of a site.
func (c Central) keep(site string, relayed []link.Relayed) error {
	events := make([]link.Event, len(relayed))
	for i, r := range relayed {
		if events[i] = r.Event; r.Event.Site != site {
			text := fmt.Sprintf("the orchestrator of site %s cannot report for site %s", site, r.Event.Site)
			c.Gate.Alarm(site, text)
			return status.Error(codes.PermissionDenied, text)
		}
	}
	if err := c.Outbox.Accept(events...); err != nil {
		return err
	}
	return c.Outbox.Forget()
}

// Enroll implements link.Orchestrator.
func (c Central) Enroll(ctx context.Context, r link.EnrollRequest) (link.EnrollReply, error) {
	return c.Gate.Enroll(ctx, r)
}
