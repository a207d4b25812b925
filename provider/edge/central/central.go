// Package central is the orchestrator of all sites: it hears every event that the orchestrators of sites hear
// from their nodes, and keeps it once. It names no version: Git does. It may freeze a site, and promote waves.
package central

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

// Central keeps the events of all sites, and gives them their orders.
type Central struct {
	Gate   edge.Gate
	Outbox *outbox.Outbox
	Dir    string       // of the orders; see edge.Order. "" means that there are none
	Log    hclog.Logger // nil means none
}

// ordersEvery is how often the orders of a site that is connected are read.
const ordersEvery = time.Second

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
	if !edge.IsSite(site) {
		return errors.New("the first frame names no site")
	}
	if err := c.Gate.Admit(ctx, site); err != nil {
		return err
	}
	link.Proven(ctx, site)
	var turn sync.Mutex
	inTurn := func(f link.ToNode) error {
		turn.Lock()
		defer turn.Unlock()
		return send(f)
	}
	ctx, stop := context.WithCancel(ctx)
	var ordering sync.WaitGroup
	defer ordering.Wait()
	defer stop()
	ordering.Go(func() { c.order(ctx, site, inTurn) })
	for { // Events of the site are kept, until its stream ends.
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
			if err := inTurn(link.ToNode{Ack: &f.Relayed[n-1].Number}); err != nil {
				return err
			}
		}
	}
}

// order gives a site its orders when its stream opens, and whenever they change.
func (c Central) order(ctx context.Context, site string, send func(link.ToNode) error) {
	if c.Dir == "" {
		return
	}
	tick := time.NewTicker(ordersEvery)
	defer tick.Stop()
	for given, unread := uint64(0), ""; ; {
		o, err := edge.OrdersFor(c.Dir, site)
		if err != nil && err.Error() != unread && c.Log != nil {
			unread = err.Error()
			c.Log.Error("a site gets no orders", "site", site, "error", err)
		}
		if err == nil && o.Number != given {
			if send(link.ToNode{Orders: &o}) != nil {
				return
			}
			given = o.Number
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// keep keeps events of a site.
func (c Central) keep(site string, relayed []link.Relayed) error {
	events := make([]link.Event, len(relayed))
	for i, r := range relayed {
		events[i] = r.Event
		err := events[i].Cut()
		if err == nil && r.Event.Site != site {
			err = fmt.Errorf("it cannot report for %s", edge.NameOf(r.Event.Site, ""))
		}
		if err != nil {
			text := fmt.Sprintf("the orchestrator of site %s is refused: %s", site, err)
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
