package sandbox

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"time"
)

// RoundTrip answers a request without a network. The request's context ends the
// wait of a planned delay; a change that has started is finished.
func (c *Cloud) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	a, err := c.serve(r.Context(), r, body)
	if err != nil {
		return nil, err
	}
	return a.Response(r), nil
}

// ServeHTTP answers a request from the network.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a, err := c.serve(r.Context(), r, body)
	if err != nil {
		panic(http.ErrAbortHandler) // the connection ends without an answer, as a lost one does
	}
	a.Write(w, r)
}

const maxBody = 16 << 20

func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer r.Body.Close()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("sandbox: the request body exceeds %d bytes", maxBody)
	}
	return body, nil
}

// errLost is what a client sees when the answer never arrives.
var errLost = fmt.Errorf("sandbox: response lost by a planned fault: %w", syscall.ECONNRESET)

func (c *Cloud) now() time.Time { return c.opts.clock().UTC() }

func (c *Cloud) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
