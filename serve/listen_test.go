package serve

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/ovi-project/ovi/cli"
)

// TestAListenerThatFailsIsOpenedAgain: each failure is reported, and the listener that works in
// the end is served.
func TestAListenerThatFailsIsOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		out := &cli.Output{W: &said, ErrW: &said}
		out.Share()
		server := &http.Server{Handler: (&Loop{}).Routes()}
		well := &fakeListener{accepts: make(chan net.Conn), closed: make(chan struct{})}
		tries := 0
		open := func() (net.Listener, error) {
			if tries++; tries == 1 {
				return nil, errors.New("the address is in use")
			}
			return well, nil
		}
		var done sync.WaitGroup
		done.Go(func() {
			Listener{Out: out}.serve(t.Context(), server, &fakeListener{err: errors.New("the network went away")}, open)
		})

		ours, theirs := net.Pipe()
		well.accepts <- theirs
		client := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return ours, nil }, DisableKeepAlives: true}}
		answer, err := client.Get("http://ovi/healthz")
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("after the listener came back: %v, %v", answer, err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
		if err := server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		done.Wait()
		for _, want := range []string{"the network went away", "retried in 1s", "the address is in use", "retried in 2s"} {
			if !strings.Contains(strings.Join(strings.Fields(said.String()), " "), want) {
				t.Errorf("not reported: %s\n%s", want, said.String())
			}
		}
	})
}

// fakeListener fails, or accepts what it is given.
type fakeListener struct {
	err     error
	accepts chan net.Conn
	once    sync.Once
	closed  chan struct{}
}

func (f *fakeListener) Accept() (net.Conn, error) {
	if f.err != nil {
		return nil, f.err
	}
	select {
	case c := <-f.accepts:
		return c, nil
	case <-f.closed:
		return nil, net.ErrClosed
	}
}

func (f *fakeListener) Close() error {
	f.once.Do(func() {
		if f.closed != nil {
			close(f.closed)
		}
	})
	return nil
}

func (f *fakeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
