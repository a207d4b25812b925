package libpod

import (
	"context"
	"net"
	"net/http"
	"time"
)

// dialWait is how long it may take to reach the service.
const dialWait = 10 * time.Second

// Unix sends requests to the socket at a path. Each has a connection of its own: one that was
// kept could end with the service, and then nobody could tell whether a request was carried out.
func Unix(path string) http.RoundTripper {
	dialer := net.Dialer{Timeout: dialWait}
	return &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", path)
		},
	}
}
