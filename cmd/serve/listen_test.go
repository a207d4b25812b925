package serve

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/ovi-project/ovi/cmd/cli"
)

// TestAListenerThatFailsIsOpenedAgain: each failure is reported, and the listener that works in
// the end is served.
func TestAListenerThatFailsIsOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		out := &cli.Output{W: &said, ErrW: &said}
		out.Share()
		server := &http.Server{Handler: quiet().Routes()}
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

// TestAListenerOnLoopbackAnswersThisHostOnly: a page in a browser cannot ask it by a name of its own
// that means 127.0.0.1.
func TestAListenerOnLoopbackAnswersThisHostOnly(t *testing.T) {
	handler := askedHere(true, quiet().Routes())
	for host, want := range map[string]int{
		"localhost": http.StatusOK, "localhost:9464": http.StatusOK, "127.0.0.1:9464": http.StatusOK, "[::1]:9464": http.StatusOK, "127.0.0.2": http.StatusOK,
		"rebind.example": http.StatusMisdirectedRequest, "rebind.example:9464": http.StatusMisdirectedRequest, "10.0.0.1": http.StatusMisdirectedRequest,
		"localhost.rebind.example": http.StatusMisdirectedRequest, "": http.StatusMisdirectedRequest,
	} {
		r := httptest.NewRequest(http.MethodGet, "/healthz", nil)
		r.Host = host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("Host %q: %d, want %d", host, w.Code, want)
		}
	}
}

// TestIdleConnectionsLeaveFilesForTheLoop: many connections that send nothing take few files, and the
// listener still answers when they are closed.
func TestIdleConnectionsLeaveFilesForTheLoop(t *testing.T) {
	var said bytes.Buffer
	out := &cli.Output{W: &said, ErrW: &said}
	out.Share()
	stop, err := Listener{Address: "127.0.0.1:0", Handler: quiet().Routes(), Out: out}.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	address := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(said.String()), "Listening on "), ".")
	before := openFiles(t)
	var idle []net.Conn
	for range 4 * mostConnections {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		idle = append(idle, c)
	}
	if mine := openFiles(t) - before - len(idle); mine > mostConnections+1 {
		t.Errorf("the listener has %d connections open", mine)
	}
	for _, c := range idle {
		_ = c.Close()
	}
	answer, err := http.Get("http://" + address + "/healthz")
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("afterwards: %v, %v", answer, err)
	}
	_ = answer.Body.Close()
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this system does not list the open files of a process")
	}
	return len(entries)
}
