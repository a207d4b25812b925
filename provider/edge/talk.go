package edge

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// talk is one stream of a node.
type talk struct {
	p       *Provider
	scope   resource.Scope
	hello   *link.Hello
	send    func(link.ToNode) error
	session uint64
}

// inTurn lets several goroutines send on one stream.
func inTurn(send func(link.ToNode) error) func(link.ToNode) error {
	var turn sync.Mutex
	return func(f link.ToNode) error {
		turn.Lock()
		defer turn.Unlock()
		return send(f)
	}
}

// serve reads the frames of the node until the stream ends.
func (t *talk) serve(ctx context.Context, recv func() (link.FromNode, error)) error {
	var ahead bool
	var err error
	if t.session, ahead, err = t.p.nodes.opened(t.scope, t.hello.Held, t.send); err != nil {
		return err
	}
	defer t.p.nodes.closed(t.scope, t.session)
	if ahead {
		t.p.gate.Alarm(t.scope.Location, t.p.nodes.aheadOf(t.scope))
	}
	if err := t.acknowledge(); err != nil {
		return err
	}
	for {
		f, err := recv()
		if err != nil {
			return err
		}
		if err := t.p.gate.Still(ctx, t.scope.Location); err != nil { // it may have been revoked since
			return err
		}
		if err := t.take(f); err != nil {
			return err
		}
	}
}

func (t *talk) take(f link.FromNode) error {
	switch {
	case f.Report != nil:
		if err := f.Report.Cut(); err != nil {
			return t.refuse(err)
		}
		if t.p.nodes.reported(t.scope, t.session, f.Report, t.p.opts.Clock()) {
			t.p.opts.Changed(t.scope)
		}
		return nil
	case f.Beat != nil:
		if t.p.nodes.beat(t.scope, t.session, *f.Beat, t.p.opts.Clock()) {
			t.p.opts.Changed(t.scope)
		}
		return nil
	case len(f.Events) > 0:
		return t.keep(f.Events)
	}
	return errors.New("a frame without a report, a beat or events")
}

func (t *talk) origin() link.Origin {
	return link.Origin{Site: t.hello.Site, Node: t.hello.Node, Incarnation: t.hello.Incarnation}
}

// keep keeps events of the node, and acknowledges them then.
func (t *talk) keep(events []link.Event) error {
	for i := range events {
		if err := events[i].Cut(); err != nil {
			return t.refuse(err)
		}
		if events[i].Origin() != t.origin() {
			return t.refuse(fmt.Errorf("it cannot report for %s", NameOf(events[i].Site, events[i].Node)))
		}
		if events[i].OfOrchestrator() {
			return t.refuse(errors.New("it sent an event that only its orchestrator sends"))
		}
	}
	if t.p.opts.Outbox == nil {
		return nil
	}
	if err := t.p.opts.Outbox.Accept(events...); err != nil {
		return err
	}
	if t.p.alone {
		if err := t.p.opts.Outbox.Forget(); err != nil {
			return err
		}
	}
	return t.acknowledge()
}

// refuse ends the stream of a node that sent what no node of ovi sends, with an alarm.
func (t *talk) refuse(err error) error {
	err = fmt.Errorf("node %s is %w: %w", t.scope.Location, identity.ErrRefused, err)
	t.p.gate.Alarm(t.scope.Location, err.Error())
	return denied(err)
}

// NameOf is the name of a node or a site that another one gave. An alarm quotes it, so it is a valid one.
func NameOf(site, node string) string {
	if name := join(site, node); IsNode(name) || IsSite(name) {
		return name
	}
	return "an invalid name"
}

// acknowledge says which events are kept here.
func (t *talk) acknowledge() error {
	if t.p.opts.Outbox == nil || t.hello.Incarnation == "" {
		return nil
	}
	high := t.p.opts.Outbox.High(t.origin())
	return t.send(link.ToNode{Ack: &high})
}
