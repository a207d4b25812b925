package edge

import (
	"context"
	"fmt"
	"net"
	"regexp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
)

// Entry is the edge in a table of providers.
func Entry() provider.Entry {
	return provider.Entry{
		Name: Name, Doc: "Edge nodes",
		Locations: provider.Locations{Word: "node", Example: "berlin/n1", Pattern: segments + "/" + segments, Required: true},
		Options: []provider.Option{
			{Key: "listen", Doc: "let the nodes of sites dial `ADDRESS`, which must be loopback, such as 127.0.0.1:7400"},
		},
		Kinds: Kinds,
		Open: func(ctx context.Context, c provider.Config) (provider.Provider, error) {
			p := New(Options{Clock: c.Clock, Changed: c.Changed})
			if address := c.Options("listen"); address != "" {
				if err := p.listen(ctx, address); err != nil {
					return nil, err
				}
			}
			return p, nil
		},
	}
}

const segments = `[a-z0-9][a-z0-9.-]{0,39}`

var segmentForm = regexp.MustCompile(`^` + segments + `$`)

// segment reports a valid name of a site or a node.
func segment(s string) bool { return segmentForm.MatchString(s) }

// listen serves nodes. They do not prove yet who they are, so only this host's may dial.
func (p *Provider) listen(ctx context.Context, address string) error {
	wrong := func(err error) error {
		return &provider.Error{Class: provider.Permanent, Op: "listen for nodes at " + address, Err: err, Hint: "use --edge-listen 127.0.0.1:7400"}
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return wrong(err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return wrong(fmt.Errorf("%q is not a loopback address, and nodes do not prove who they are", host))
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return wrong(err)
	}
	server := link.NewServer(p)
	p.closer = server.Stop
	go func() { _ = server.Serve(listener) }()
	return nil
}
