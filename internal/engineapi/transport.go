package engineapi

import (
	"context"
	"net"
	"net/http"
	"time"
)

// DialWait is how long it may take to reach an engine.
const DialWait = 10 * time.Second

// Dial connects to an engine. Its errors are a *net.OpError whose Op is "dial": nothing was sent.
type Dial func(ctx context.Context) (net.Conn, error)

// Over sends each request on a connection of its own: one that was kept could end with the engine, and it would
// be unknown whether a request was carried out.
func Over(d Dial) http.RoundTripper {
	return &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return d(ctx) },
	}
}

// Unix sends requests to the socket at a path.
func Unix(path string) http.RoundTripper { return plain("unix", path) }

// TCP sends requests to host:port, without encryption.
func TCP(address string) http.RoundTripper { return plain("tcp", address) }

func plain(network, address string) http.RoundTripper {
	d := net.Dialer{Timeout: DialWait}
	return Over(func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, network, address) })
}
