package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// counter is a proxy before Podman's socket that counts requests.
type counter struct {
	address string
	calls   atomic.Int64
}

func countCalls(dir, host string) (*counter, error) {
	socket, ok := strings.CutPrefix(host, "unix://")
	if !ok {
		return nil, errors.New("CONTAINER_HOST must be unix:// and a socket on which `podman system service` listens")
	}
	address := filepath.Join(dir, "counted.sock")
	l, err := net.Listen("unix", address)
	if err != nil {
		return nil, err
	}
	c := &counter{address: "unix://" + address}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "podman"})
	proxy.FlushInterval = -1 // answers that stream, such as of a pull
	proxy.Transport = &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
	}
	go func() {
		_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c.calls.Add(1)
			proxy.ServeHTTP(w, r)
		}))
	}()
	return c, nil
}

// take returns the requests since the last take.
func (c *counter) take() int { return int(c.calls.Swap(0)) }
