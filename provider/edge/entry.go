package edge

import (
	"context"
	"fmt"
	"net"
	"regexp"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
)

// Entry is the edge in a table of providers. Alarms are errors in the log.
func Entry(log hclog.Logger) provider.Entry {
	return provider.Entry{
		Name: Name, Doc: "Edge nodes",
		Locations: provider.Locations{Word: "node", Example: "berlin/n1", Pattern: segments + "/" + segments, Required: true},
		Options: []provider.Option{
			{Key: "listen", Doc: "let the nodes of sites dial `ADDRESS`, such as 0.0.0.0:7400"},
			{Key: "identity", Doc: "keep the certificate authority of the nodes in `FOLDER`"},
		},
		Kinds: Kinds,
		Open: func(ctx context.Context, c provider.Config) (provider.Provider, error) {
			o := Options{Clock: c.Clock, Changed: c.Changed, Version: c.Version, Alarm: func(text string) { log.Error(text) }}
			address := c.Options("listen")
			if address == "" {
				return New(o), nil
			}
			folder := c.Options("identity")
			if folder == "" {
				return nil, wrong(address, fmt.Errorf("no folder for the certificate authority of the nodes"), "use `ovi edge lo`, or set --edge-identity FOLDER")
			}
			var err error
			if o.Authority, err = identity.Open(folder, c.Clock); err != nil {
				return nil, err
			}
			o.Dir = folder
			p := New(o)
			return p, p.listen(ctx, address)
		},
	}
}

const segments = `[a-z0-9][a-z0-9.-]{0,39}`

var (
	segmentForm = regexp.MustCompile(`^` + segments + `$`)
	nodeForm    = regexp.MustCompile(`^` + segments + `/` + segments + `$`)
)

// segment reports a valid name of a site or a node.
func segment(s string) bool { return segmentForm.MatchString(s) }

// IsNode reports a valid name of a node with its site, SITE/NODE.
func IsNode(s string) bool { return nodeForm.MatchString(s) }

func wrong(address string, err error, hint string) error {
	return &provider.Error{Class: provider.Permanent, Op: "listen for nodes at " + address, Err: err, Hint: hint}
}

// listen serves nodes, over TLS.
func (p *Provider) listen(ctx context.Context, address string) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return wrong(address, err, "use another --edge-listen ADDRESS")
	}
	server := link.NewServer(p, grpc.Creds(credentials.NewTLS(p.opts.Authority.Server())))
	p.closer = server.Stop
	go func() { _ = server.Serve(listener) }()
	return nil
}
