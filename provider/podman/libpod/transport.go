package libpod

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/internal/engineapi"
)

// Certificates are the files of a connection with TLS.
type Certificates struct {
	CA        string // of the service; "" means those of this machine
	Cert, Key string // of this client; "" means none
}

// TLS sends requests to host:port with TLS. The files are read at each connection, so that
// they can be renewed.
func TLS(address string, files Certificates) http.RoundTripper {
	return engineapi.Over(func(ctx context.Context) (net.Conn, error) {
		config, err := files.config()
		if err != nil {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
		}
		d := tls.Dialer{NetDialer: &net.Dialer{Timeout: engineapi.DialWait}, Config: config}
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
		b, err := budget.ReadFile(c.CA, budget.Text)
		if err != nil {
			return nil, err
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(b) {
			return nil, fmt.Errorf("%s has no certificate", c.CA)
		}
	}
	if c.Cert != "" || c.Key != "" {
		pair, err := budget.KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, err
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, nil
}
