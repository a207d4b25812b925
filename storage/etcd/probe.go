package etcd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// The client retries silently and then returns a timeout. A probe connects by itself to find
// the cause: an invalid certificate, a missing server, another protocol.

// probeWait is how long an endpoint has to answer a probe.
const probeWait = time.Second

// fault is why an endpoint cannot be used.
type fault struct {
	what, next string
	err        error
	permanent  bool // a retry fails as well, as with an invalid certificate
}

// hello opens an HTTP/2 connection, as gRPC does: the preface and empty settings.
const hello = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"

// probe returns the fault of an endpoint; nil if it can be used.
func probe(ctx context.Context, endpoint string, cfg *tls.Config) *fault {
	if cfg == nil {
		err := speak(ctx, endpoint, nil)
		if err != nil && connected(err) && !silent(err) && speaksTLS(ctx, endpoint) {
			return &fault{
				"it requires TLS, and the store is set without",
				"add ?tls=true to the store, or ?ca=FILE with the certificate of its certificate authority", err, true,
			}
		}
		return unreachable(err)
	}
	err := speak(ctx, endpoint, cfg)
	switch {
	case err == nil:
		return nil
	case connected(err) && !silent(err) && !remote(err) && speak(ctx, endpoint, nil) == nil:
		return &fault{"it does not use TLS", "omit tls, ca, cert and key in the store, or set --cert-file and --key-file " +
			"of etcd", err, true}
	}
	if f := untrusted(err, cfg); f != nil {
		return f
	}
	return unreachable(err)
}

// speak connects, with a handshake if a configuration is given, and waits for settings.
func speak(ctx context.Context, endpoint string, cfg *tls.Config) error {
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // the probe is complete
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return err
	}
	if cfg != nil {
		cfg = cfg.Clone()
		cfg.ServerName, _, _ = net.SplitHostPort(endpoint)
		cfg.NextProtos = []string{"h2"}
		conn = tls.Client(conn, cfg)
	}
	if _, err := io.WriteString(conn, hello); err != nil {
		return &spokenError{err}
	}
	frame := make([]byte, 9)
	if _, err := io.ReadFull(conn, frame); err != nil {
		return &spokenError{err}
	}
	if frame[3] != 4 {
		return &spokenError{errors.New("its answer is not HTTP/2")}
	}
	return nil
}

// spokenError is an error after the connection was established.
type spokenError struct{ error }

func (e *spokenError) Unwrap() error { return e.error }

func connected(err error) bool {
	var spoken *spokenError
	return errors.As(err, &spoken)
}

func silent(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// remote reports that the other side sent a TLS alert.
func remote(err error) bool { return alert(err) != "" }

func alert(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "remote error" {
		return strings.TrimPrefix(op.Err.Error(), "tls: ")
	}
	return ""
}

// speaksTLS reports that an endpoint answers a handshake, even if it rejects it.
func speaksTLS(ctx context.Context, endpoint string) bool {
	// No data is sent: only the protocol is probed.
	err := speak(ctx, endpoint, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // as above
	return err == nil || remote(err)
}

// untrusted explains why one side rejects the other's certificate; nil if that is not the
// cause.
func untrusted(err error, cfg *tls.Config) *fault {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		return &fault{
			"the certificate authority that signed its certificate is not trusted",
			"add the certificate of its certificate authority with ?ca=FILE", err, true,
		}
	case errors.As(err, &host):
		return &fault{
			"its certificate is for " + names(host.Certificate) + " only",
			"use one of these names in the store, or use a certificate of etcd for this name", err, true,
		}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return &fault{
			"its certificate is valid from " + day(invalid.Cert.NotBefore) + " to " + day(invalid.Cert.NotAfter),
			"renew the certificate of etcd, or correct the clock of this host", err, true,
		}
	case errors.As(err, &invalid):
		return &fault{"its certificate cannot be used: " + invalid.Error(), "use another certificate of etcd", err, true}
	case remote(err) && len(cfg.Certificates) == 0:
		return &fault{
			"it requires a client certificate (" + alert(err) + ")", "add cert=FILE and key=FILE to the store",
			err, true,
		}
	case remote(err):
		return &fault{
			"it rejects the certificate in cert=FILE (" + alert(err) + ")",
			"use one that the certificate authority in etcd's --trusted-ca-file signed, and that has not expired", err, true,
		}
	}
	return nil
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// names are the names in a certificate.
func names(c *x509.Certificate) string {
	all := append([]string(nil), c.DNSNames...)
	for _, ip := range c.IPAddresses {
		all = append(all, ip.String())
	}
	if len(all) == 0 {
		return "no name"
	}
	return strings.Join(all, ", ")
}

// unreachable explains why there was no answer; nil if there was one.
func unreachable(err error) *fault {
	const next = "check the address, that etcd runs there, and that no firewall blocks it"
	var dns *net.DNSError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &dns):
		return &fault{"the host name does not exist", "check the address in the store", err, false}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &fault{"nothing listens at that address", next, err, false}
	case silent(err), errors.Is(err, context.DeadlineExceeded):
		return &fault{"it does not answer", next, err, false}
	}
	return &fault{err.Error(), next, err, false}
}

// leaderless asks a member whether the cluster has a leader, with a write that can never be
// applied: unlike a read it is not retried, and needs no user.
func leaderless(ctx context.Context, endpoint string, cfg *tls.Config) bool {
	ctx, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), probeWait)
	defer cancel()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, TLS: cfg, Logger: zap.NewNop()})
	if err != nil {
		return false
	}
	defer func() { _ = client.Close() }() // only read from
	never := clientv3.Compare(clientv3.CreateRevision("/"), "<", 0)
	_, err = client.Do(ctx, clientv3.OpTxn([]clientv3.Cmp{never}, []clientv3.Op{clientv3.OpPut("/", "")}, nil))
	return errors.Is(err, rpctypes.ErrNoLeader)
}

// refused explains why no endpoint can ever be used, so that a retry is useless. It probes one
// after the other and stops at the first that can be used.
func (s place) refused(ctx context.Context, cfg Config) error {
	var faults []*fault
	for _, endpoint := range cfg.Endpoints {
		f := probe(ctx, endpoint, cfg.TLS)
		if f == nil || !f.permanent {
			return nil
		}
		faults = append(faults, f)
	}
	return s.faulty(cfg.Endpoints, faults)
}

// unopened explains why a connection failed.
func (s place) unopened(ctx context.Context, cfg Config, op string, err error) error {
	if !unanswered(err) || ctx.Err() != nil {
		return s.explain(op, err)
	}
	var faults []*fault
	answers := 0
	for _, endpoint := range cfg.Endpoints {
		f := probe(ctx, endpoint, cfg.TLS)
		faults = append(faults, f)
		if f != nil {
			continue
		}
		answers++
		if leaderless(ctx, endpoint, cfg.TLS) {
			err = errors.Join(rpctypes.ErrNoLeader, err)
		}
	}
	if answers == 0 {
		return s.faulty(cfg.Endpoints, faults)
	}
	e := &Error{
		Where: s.where, Op: op, Err: err, What: fmt.Sprintf("no answer within %s", dialTimeout),
		Next: "it accepts connections: check whether it is overloaded with etcdctl endpoint health --cluster",
	}
	if errors.Is(err, rpctypes.ErrNoLeader) {
		e.What = fmt.Sprintf("the cluster has no leader (of the endpoints given, %d of %d are reachable)", answers,
			len(cfg.Endpoints))
		e.Next = "a majority of its members must run and reach each other: run etcdctl endpoint status --cluster, then " +
			"try again"
	}
	return e
}

// faulty describes endpoints none of which can be used: once, if all have the same fault.
func (s place) faulty(endpoints []string, faults []*fault) error {
	e := &Error{Where: s.where, Op: "connect", What: faults[0].what, Next: faults[0].next}
	var each []string
	var errs []error
	same := true
	for i, f := range faults {
		each = append(each, endpoints[i]+": "+f.what)
		errs = append(errs, f.err)
		same = same && f.what == faults[0].what
		if f.permanent {
			e.Next = f.next
		}
	}
	e.Err = errors.Join(errs...)
	if !same {
		e.What = strings.Join(each, "; ")
	}
	return e
}
