package edge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

// Entry is the edge in a table of providers.
func Entry(log hclog.Logger) provider.Entry {
	return provider.Entry{
		Name: Name, Doc: "Edge nodes",
		Locations: provider.Locations{Word: "node", Example: "berlin/n1", Pattern: segments + "/" + segments, Required: true},
		Options: []provider.Option{
			{Key: "listen", Doc: "let the nodes of sites dial `ADDRESS`, such as 0.0.0.0:7400"},
			{Key: "identity", Doc: "keep the certificate authority of the nodes, and their events, in `FOLDER`"},
			{Key: "co", Doc: "send every event of the nodes to the central orchestrator at `ADDRESS`, where this one has " +
				"enrolled"},
		},
		Kinds: Kinds,
		Open: func(ctx context.Context, c provider.Config) (provider.Provider, error) {
			o := Options{Clock: c.Clock, Changed: c.Changed, Version: c.Version, Alarm: c.Alarm, Ordered: c.Ordered}
			address := c.Options("listen")
			if address == "" {
				return New(o), nil
			}
			folder := c.Options("identity")
			if folder == "" {
				return nil, wrong(address, fmt.Errorf("no folder for the certificate authority of the nodes"),
					"use `ovi edge lo`, or set --edge-identity FOLDER")
			}
			var err error
			if o.Authority, err = identity.Open(folder, c.Clock); err != nil {
				return nil, err
			}
			o.Dir = folder
			// An orchestrator keeps events for the central one, and as a history.
			room := outbox.Options{Limit: 200_000, Keep: 200_000, Bytes: 256 << 20}
			if o.Outbox, err = outbox.Open(EventsFile(folder), room); err != nil {
				return nil, err
			}
			p := New(o)
			if err := p.listen(ctx, address); err != nil {
				return nil, errors.Join(err, o.Outbox.Close())
			}
			if err := p.alarmed(); err != nil {
				return nil, errors.Join(err, p.Close(), o.Outbox.Close())
			}
			return p, p.relay(ctx, c.Options("co"), log)
		},
	}
}

// EventsFile is the file of the events of an orchestrator, in the folder of its identity.
func EventsFile(folder string) string { return filepath.Join(folder, "events") }

// CentralIdentity is the identity of an orchestrator with the central one, in the folder of its own.
func CentralIdentity(folder string, clock func() time.Time) identity.Node {
	return identity.Node{Dir: filepath.Join(folder, "co"), Clock: clock}
}

const segments = `[a-z0-9][a-z0-9.-]{0,39}`

var (
	segmentForm = regexp.MustCompile(`^` + segments + `$`)
	nodeForm    = regexp.MustCompile(`^` + segments + `/` + segments + `$`)
)

// segment reports a valid name of a site or a node.
func segment(s string) bool { return segmentForm.MatchString(s) }

func join(site, node string) string {
	if node == "" {
		return site
	}
	return site + "/" + node
}

// IsSite reports a valid name of a site.
func IsSite(s string) bool { return segment(s) }

// IsNode reports a valid name of a node with its site, SITE/NODE.
func IsNode(s string) bool { return nodeForm.MatchString(s) }

func wrong(address string, err error, hint string) error {
	return &provider.Error{Cause: provider.Configuration, Op: "listen for nodes at " + address, Err: err, Hint: hint}
}

// listen serves nodes, over TLS.
func (p *Provider) listen(ctx context.Context, address string) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return wrong(address, err, "use another --edge-listen ADDRESS")
	}
	server := link.NewServer(p, grpc.Creds(credentials.NewTLS(p.opts.Authority.Server())))
	p.closers = append(p.closers, server.Stop)
	go func() { _ = server.Serve(link.Guard(listener)) }()
	return nil
}

// relay sends the events to the central orchestrator; without one, they are a history at once.
func (p *Provider) relay(ctx context.Context, address string, log hclog.Logger) error {
	events := p.opts.Outbox
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	p.closers = append(p.closers, func() { stop(); running.Wait(); _ = events.Close() })
	if address == "" {
		p.alone = true
		return events.Forget()
	}
	id := CentralIdentity(p.opts.Dir, p.opts.Clock)
	site, err := id.Name()
	if err != nil {
		return errors.Join(wrong(address, err, "enroll this orchestrator with --co and --co-token-file of `ovi edge lo`"),
			p.Close())
	}
	r := Relay{
		Site: site, Address: address, Connect: Credentials(id, address, log), Outbox: events,
		Ordered: p.opts.Ordered, Log: log,
	}
	running.Go(func() { r.Run(ctx) })
	return nil
}
