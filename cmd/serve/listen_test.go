package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// TestIdleConnectionsLeaveFilesForTheLoop: many connections that are silent, or send half a request, take few files,
// and the listener answers meanwhile, with and without TLS.
func TestIdleConnectionsLeaveFilesForTheLoop(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprint("TLS ", secure), func(t *testing.T) {
			var said bytes.Buffer
			out := &cli.Output{W: &said, ErrW: &said}
			out.Share()
			l := Listener{Address: "127.0.0.1:0", Handler: quiet().Routes(), Out: out}
			client, scheme := http.DefaultClient, "http"
			if secure {
				like := httptest.NewUnstartedServer(nil)
				like.StartTLS()
				defer like.Close()
				l.CertFile, l.KeyFile = pemOf(t, like.TLS.Certificates[0])
				client, scheme = like.Client(), "https"
			}
			stop, err := l.Listen(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
			address := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(said.String()), "Listening on "), ".")
			before := openFiles(t)
			var idle []net.Conn
			for i := range 4 * mostConnections {
				c, err := net.Dial("tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				if i%2 > 0 {
					_, _ = c.Write([]byte(map[bool]string{false: "GET /healthz HT", true: "\x16\x03\x01"}[secure])) // it may be closed already
				}
				idle = append(idle, c)
			}
			for range 3 {
				answer, err := client.Get(scheme + "://" + address + "/healthz")
				if err != nil || answer.StatusCode != http.StatusOK {
					t.Fatalf("meanwhile: %v, %v", answer, err)
				}
				_ = answer.Body.Close()
				client.CloseIdleConnections()
			}
			if mine := openFiles(t) - before - len(idle); mine > mostConnections+1 {
				t.Errorf("the listener has %d connections open", mine)
			}
			for _, c := range idle {
				_ = c.Close()
			}
		})
	}
}

// pemOf writes the files of a certificate and its key.
func pemOf(t *testing.T, c tls.Certificate) (cert, key string) {
	t.Helper()
	private, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	return write("cert.pem", "CERTIFICATE", c.Certificate[0]), write("key.pem", "PRIVATE KEY", private)
}

// TestARequestInProgressKeepsItsConnection: it loses its place to none of the connections that come meanwhile.
func TestARequestInProgressKeepsItsConnection(t *testing.T) {
	r := &room{most: 2}
	pipe := func() net.Conn { c, _ := net.Pipe(); return c }
	first, _ := r.enter(pipe())
	second, _ := r.enter(pipe())
	known(t.Context(), first).Value(guestKey{}).(*guest).serves(true)
	third, left := r.enter(pipe())
	if left != second.Conn {
		t.Error("the second did not leave for the third")
	}
	third.serves(true)
	if refused, left := r.enter(pipe()); refused != nil || left == nil {
		t.Error("a fourth has a place, although requests are in progress on all connections")
	}
	first.serves(false)
	if err := third.Close(); err != nil || len(r.open) != 1 {
		t.Errorf("%v; %d are open", err, len(r.open))
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this system does not list the open files of a process")
	}
	return len(entries)
}
