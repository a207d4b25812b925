package etcdtest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// Authority signs certificates for a test. Its own is in CA.
type Authority struct {
	CA   string // file, PEM
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority creates an authority whose files last as long as the test.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{dir: t.TempDir(), key: newKey(t)}
	a.cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.CA = a.write(t, "ca.pem", "CERTIFICATE", a.sign(t, a.cert, &a.key.PublicKey))
	return a
}

// Issue creates a certificate of a name, for a server at the hosts and for a client, and
// returns its files.
func (a *Authority) Issue(t testing.TB, name string, hosts ...string) (cert, key string) {
	t.Helper()
	return a.IssueUntil(t, name, time.Now().Add(24*time.Hour), hosts...)
}

// IssueUntil is Issue with an end.
func (a *Authority) IssueUntil(t testing.TB, name string, end time.Time, hosts ...string) (cert, key string) {
	t.Helper()
	made := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: end.Add(-72 * time.Hour), NotAfter: end,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	der, err := x509.MarshalECPrivateKey(made)
	if err != nil {
		t.Fatal(err)
	}
	return a.write(t, name+".pem", "CERTIFICATE", a.sign(t, template, &made.PublicKey)),
		a.write(t, name+".key", "EC PRIVATE KEY", der)
}

func (a *Authority) sign(t testing.TB, template *x509.Certificate, public *ecdsa.PublicKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, public, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func (a *Authority) write(t testing.TB, name, kind string, der []byte) string {
	t.Helper()
	file := filepath.Join(a.dir, name)
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// client is a TLS configuration that the authority's servers accept. It does not verify the
// server: the name and the expiry of the server's certificate may be under test.
func (a *Authority) client(t testing.TB) *tls.Config {
	t.Helper()
	cert, key := a.Issue(t, "etcdtest")
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}
}

// StartTLS runs a member with a certificate of the authority for 127.0.0.1; with mutual it
// accepts only clients with a certificate of the authority.
func StartTLS(t testing.TB, a *Authority, mutual bool, extra ...string) *Server {
	t.Helper()
	cert, key := a.Issue(t, "server", "127.0.0.1")
	return StartTLSWith(t, a, cert, key, mutual, extra...)
}

// StartTLSWith is StartTLS with a certificate that was made before.
func StartTLSWith(t testing.TB, a *Authority, cert, key string, mutual bool, extra ...string) *Server {
	t.Helper()
	extra = append([]string{"--cert-file", cert, "--key-file", key}, extra...)
	if mutual {
		extra = append(extra, "--client-cert-auth", "--trusted-ca-file", a.CA)
	}
	return cluster(t, plan{hosts: Loopback(t, 1), trust: a.client(t), extra: func(int) []string { return extra }})[0]
}

// ClusterTLS runs members whose certificates are valid for their own address only: 127.0.0.1,
// 127.0.0.2, ...
func ClusterTLS(t testing.TB, a *Authority, n int) []*Server {
	t.Helper()
	hosts := Loopback(t, n)
	address := func(i int) string { return fmt.Sprintf("127.0.0.%d", i+1) }
	for i := range hosts {
		hosts[i].Client = address(i) + strings.TrimPrefix(hosts[i].Client, "127.0.0.1")
	}
	return cluster(t, plan{hosts: hosts, trust: a.client(t), extra: func(i int) []string {
		cert, key := a.Issue(t, fmt.Sprintf("member-%d", i), address(i))
		return []string{"--cert-file", cert, "--key-file", key}
	}})
}

// RootPassword is the password of root in a server with users. It is not secret.
const RootPassword = "not-a-real-root-password"

// SwitchAuthOn adds root to a server, and users that may read and write below a prefix only;
// from then on no other client is accepted.
func (s *Server) SwitchAuthOn(t testing.TB, prefix string, passwords map[string]string) {
	t.Helper()
	c := s.connect(t, "")
	defer func() { _ = c.Close() }() // all requests have returned
	ctx, cancel := context.WithTimeout(t.Context(), startWait)
	defer cancel()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("switch the users of etcd on: %v", err)
		}
	}
	must(c.RoleAdd(ctx, "root"))
	must(c.UserAdd(ctx, "root", RootPassword))
	must(c.UserGrantRole(ctx, "root", "root"))
	must(c.RoleAdd(ctx, "below"))
	must(c.RoleGrantPermission(ctx, "below", prefix, clientv3.GetPrefixRangeEnd(prefix),
		clientv3.PermissionType(clientv3.PermReadWrite)))
	for name, password := range passwords {
		must(c.UserAdd(ctx, name, password))
		must(c.UserGrantRole(ctx, name, "below"))
	}
	must(c.AuthEnable(ctx))
}

// Admin is a client with all permissions, with root's password if the server has users.
func (s *Server) Admin(t testing.TB, auth bool) *clientv3.Client {
	t.Helper()
	password := ""
	if auth {
		password = RootPassword
	}
	c := s.connect(t, password)
	t.Cleanup(func() { _ = c.Close() }) // all requests have returned
	return c
}

func (s *Server) connect(t testing.TB, password string) *clientv3.Client {
	t.Helper()
	cfg := clientv3.Config{Endpoints: []string{s.Endpoint}, DialTimeout: startWait, TLS: s.trust, Logger: zap.NewNop()}
	if password != "" {
		cfg.Username, cfg.Password = "root", password
	}
	c, err := clientv3.New(cfg)
	if err != nil {
		t.Fatalf("connect to etcd: %v", err)
	}
	return c
}
