package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/internal/budget"
)

// Listener is where and how a loop is served.
type Listener struct {
	Address   string
	CertFile  string
	KeyFile   string
	TokenFile string // of the bearer token
	Handler   http.Handler
	Out       *cli.Output
}

// mostConnections are open at a time. The files of the loop itself count to the same limit of the process.
const mostConnections = 64

// DrainWait is how long a server has to finish its answers when it is stopped.
const DrainWait = 5 * time.Second

// The pauses before a listener that failed is opened again.
const (
	reopenFirst = time.Second
	reopenMost  = 30 * time.Second
)

// Listen serves until the returned function is called. Where the address is not loopback, it needs
// a certificate, its key and a token.
func (l Listener) Listen(ctx context.Context) (stop func(), err error) {
	address, token, config, err := l.guarded(ctx)
	if err != nil {
		return nil, err
	}
	open := func() (net.Listener, error) {
		opened, err := net.Listen("tcp", address)
		if err == nil {
			opened = &room{Listener: opened, most: mostConnections}
		}
		if err == nil && config != nil {
			opened = tls.NewListener(opened, config)
		}
		return opened, err
	}
	listener, err := open()
	if err != nil {
		return nil, &cli.Problem{Summary: "cannot listen", Err: err, Suggestion: "choose another address with --listen"}
	}
	address = listener.Addr().String() // the port, where the system chose it
	server := &http.Server{
		Handler:     keepsPlace(askedHere(len(token) == 0, bearer(token, l.Handler))),
		ConnContext: known, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(complaints{l.Out}, "", 0),
	}
	l.Out.Say("Listening on %s.", address)
	go l.serve(ctx, server, listener, open)
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), DrainWait)
		defer cancel()
		_ = server.Shutdown(ctx)
	}, nil
}

// complaints reports the faults of a server, except for the handshakes that strangers do not finish.
type complaints struct{ out *cli.Output }

// Write implements io.Writer.
func (c complaints) Write(line []byte) (int, error) {
	if !bytes.Contains(line, []byte("TLS handshake error")) {
		c.out.Warn(strings.TrimSpace(string(line)), "none needed: the loop goes on")
	}
	return len(line), nil
}

// serve serves until the server is shut down. A listener that fails is reported and opened again,
// so that a loop that cannot be asked is not mistaken for a stopped or a healthy one.
func (l Listener) serve(ctx context.Context, server *http.Server, listener net.Listener,
	open func() (net.Listener, error),
) {
	pause := reopenFirst
	for {
		err := server.Serve(listener)
		for err != nil && !errors.Is(err, http.ErrServerClosed) {
			l.Out.Warn("/metrics, /healthz, /readyz and /wake cannot be served: "+err.Error(),
				fmt.Sprintf("none needed: retried in %s; the loop goes on", pause))
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			pause = min(2*pause, reopenMost)
			listener, err = open()
		}
		if err != nil {
			return
		}
	}
}

// guarded reads what protects an address, and returns the address to listen on: nothing is needed
// on loopback, TLS and a token elsewhere.
func (l Listener) guarded(ctx context.Context) (address string, token []byte, config *tls.Config, err error) {
	host, port, err := net.SplitHostPort(l.Address)
	if err != nil {
		return "", nil, nil, cli.Usage("use an address such as 127.0.0.1:9464", "invalid --listen: %s", err)
	}
	address, local := Loopback(ctx, host, port)
	if !local && (l.CertFile == "" || l.KeyFile == "" || l.TokenFile == "") {
		return "", nil, nil, cli.Usage("listen on 127.0.0.1, or add --tls-cert, --tls-key and --token-file",
			"--listen %s is not loopback and would let every host in", l.Address)
	}
	if !local {
		address = l.Address
	}
	if l.TokenFile != "" {
		if token, err = readKey(l.TokenFile, "token"); err != nil {
			return "", nil, nil, err
		}
	}
	if l.CertFile == "" && l.KeyFile == "" {
		return address, token, nil, nil
	}
	pair, err := budget.KeyPair(l.CertFile, l.KeyFile)
	if err != nil {
		return "", nil, nil, &cli.Problem{Summary: "cannot use the certificate", File: l.CertFile, Err: err}
	}
	return address, token, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// shortestKey is how many bytes a token or key needs.
const shortestKey = 16

// readKey reads a token or a key from a file; white space around it is not part of it.
func readKey(file, what string) ([]byte, error) {
	b, err := budget.ReadFile(file, budget.Text)
	if err != nil {
		return nil, &cli.Problem{Summary: "cannot read the " + what, File: file, Err: cli.Plain(err)}
	}
	if b = bytes.TrimSpace(b); len(b) < shortestKey {
		return nil, &cli.Problem{
			Summary: fmt.Sprintf("the %s is shorter than %d bytes", what, shortestKey), File: file,
			Suggestion: "create one: openssl rand -hex 32",
		}
	}
	return b, nil
}

// askedHere lets requests through that name this host, where no token protects the listener: a page
// in a browser of this host could otherwise ask it by a name of its own that means 127.0.0.1.
func askedHere(check bool, next http.Handler) http.Handler {
	if !check {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if ip := net.ParseIP(strings.Trim(host, "[]")); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "ask for localhost or 127.0.0.1", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// bearer lets requests with the token through; all if there is none.
func bearer(token []byte, next http.Handler) http.Handler {
	if len(token) == 0 {
		return next
	}
	want := sha256.Sum256(token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if got := sha256.Sum256([]byte(sent)); subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the bearer token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
