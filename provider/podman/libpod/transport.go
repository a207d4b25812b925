package libpod

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// dialWait is how long it may take to reach the service.
const dialWait = 10 * time.Second

type dial func(ctx context.Context) (net.Conn, error)

// over sends each request on a connection of its own: one that was kept could end with the
// service, and it would be unknown whether a request was carried out.
func over(d dial) http.RoundTripper {
	return &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return d(ctx) },
	}
}

// Unix sends requests to the socket at a path.
func Unix(path string) http.RoundTripper {
	dialer := net.Dialer{Timeout: dialWait}
	return over(func(ctx context.Context) (net.Conn, error) { return dialer.DialContext(ctx, "unix", path) })
}

// TCP sends requests to host:port, without encryption.
func TCP(address string) http.RoundTripper {
	dialer := net.Dialer{Timeout: dialWait}
	return over(func(ctx context.Context) (net.Conn, error) { return dialer.DialContext(ctx, "tcp", address) })
}

// Certificates are the files of a connection with TLS.
type Certificates struct {
	CA        string // of the service; "": those of this machine
	Cert, Key string // of this client; "": none
}

// TLS sends requests to host:port with TLS. The files are read at each connection, so that
// they can be renewed.
func TLS(address string, files Certificates) http.RoundTripper {
	return over(func(ctx context.Context) (net.Conn, error) {
		config, err := files.config()
		if err != nil {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
		}
		d := tls.Dialer{NetDialer: &net.Dialer{Timeout: dialWait}, Config: config}
		conn, err := d.DialContext(ctx, "tcp", address)
		if err != nil { // nothing was sent, also where the handshake failed
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
		}
		return conn, nil
	})
}

func (c Certificates) config() (*tls.Config, error) {
	out := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CA != "" {
		b, err := os.ReadFile(c.CA)
		if err != nil {
			return nil, err
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(b) {
			return nil, fmt.Errorf("%s has no certificate", c.CA)
		}
	}
	if c.Cert != "" || c.Key != "" {
		pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, err
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, nil
}
