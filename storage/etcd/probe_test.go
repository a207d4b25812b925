package etcd_test

import (
	"bytes"
	"crypto/tls"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/storage/etcd"
)

// eavesdropper is an untrusted server: it speaks TLS, asks for a certificate, and keeps
// all that it receives, below TLS and inside.
type eavesdropper struct {
	address string

	mu      sync.Mutex
	raw     bytes.Buffer
	inside  bytes.Buffer
	shaken  int // handshakes that came to their end
	clients int // certificates that were shown
}

// overheard keeps what is read from a connection.
type overheard struct {
	net.Conn
	by *eavesdropper
}

func (o overheard) Read(b []byte) (int, error) {
	n, err := o.Conn.Read(b)
	o.by.mu.Lock()
	defer o.by.mu.Unlock()
	o.by.raw.Write(b[:n])
	return n, err
}

func eavesdrop(t *testing.T, authority *etcdtest.Authority, version uint16) *eavesdropper {
	t.Helper()
	cert, key := authority.Issue(t, "eve", "127.0.0.1")
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	e := &eavesdropper{address: listener.Addr().String()}
	cfg := &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12, MaxVersion: version,
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go e.listen(tls.Server(overheard{conn, e}, cfg))
		}
	}()
	return e
}

func (e *eavesdropper) listen(conn *tls.Conn) {
	defer conn.Close()
	if conn.Handshake() != nil {
		return
	}
	e.mu.Lock()
	e.shaken++
	e.clients += len(conn.ConnectionState().PeerCertificates)
	e.mu.Unlock()
	_, _ = conn.Write([]byte("\x00\x00\x00\x04\x00\x00\x00\x00\x00")) // as etcd answers
	buf := make([]byte, 4<<10)
	for {
		n, err := conn.Read(buf)
		e.mu.Lock()
		e.inside.Write(buf[:n])
		e.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// TestAProbeTellsNothingToWhomNobodyTrusts: where no certificate is checked it is only asked
// what the other side speaks. No user, no password and no certificate goes there, and nothing
// but the greeting of HTTP/2.
func TestAProbeTellsNothingToWhomNobodyTrusts(t *testing.T) {
	t.Parallel()
	const user = "known-user"
	ours, theirs := etcdtest.NewAuthority(t), etcdtest.NewAuthority(t)
	cert, key := ours.Issue(t, "ann", "127.0.0.1")
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for name, options := range map[string]string{
			"without TLS":                   "",
			"with our authority":            "?ca=" + ours.CA,
			"with a certificate to show":    "?ca=" + ours.CA + "&cert=" + cert + "&key=" + key,
			"with the system's authorities": "?tls=true&cert=" + cert + "&key=" + key,
		} {
			e := eavesdrop(t, theirs, version)
			cfg, err := etcd.Parse("etcd://" + user + ":" + annsPassword + "@" + e.address + "/p" + options)
			if err != nil {
				t.Fatal(err)
			}
			s, err := etcd.Open(t.Context(), cfg)
			if err == nil {
				_ = s.Close()
				t.Errorf("%s: it was used as a store", name)
			}
			e.mu.Lock()
			const greeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
			if e.clients > 0 || strings.ReplaceAll(e.inside.String(), greeting, "") != "" || (options == "") != (e.shaken > 0) {
				t.Errorf("%s: %d handshakes, %d certificates shown, answer %q", name, e.shaken, e.clients, e.inside.String())
			}
			if all := e.raw.String() + e.inside.String(); strings.Contains(all, annsPassword) || strings.Contains(all, user) {
				t.Errorf("%s: the user or the password went there", name)
			}
			e.mu.Unlock()
		}
	}
}
