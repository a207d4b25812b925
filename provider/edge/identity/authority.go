package identity

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
)

const (
	// serverName is what the certificate of every orchestrator is for: which one it is, its authority says.
	serverName = "orchestrator.edge.ovi"
	// scheme starts the name in a certificate: spiffe://ovi/site/SITE/node/NODE of a node, without the node
	// of the orchestrator of a site.
	scheme = "spiffe"

	authorityLife = 20 * 365 * 24 * time.Hour
	serverLife    = 30 * 24 * time.Hour
	// NodeLife is how long the certificate of a node is valid.
	NodeLife = 30 * 24 * time.Hour
	// RenewGrace is how long after that it may still be renewed, and nothing else.
	RenewGrace = 180 * 24 * time.Hour
	// skew is how far the clock of a node may be behind.
	skew = 5 * time.Minute
)

// ErrRefused is why a node may not speak: it is unknown, revoked, expired, or another one.
var ErrRefused = errors.New("refused")

// Authority signs the certificates of a site. It keeps everything in a folder.
type Authority struct {
	dir   string
	clock func() time.Time
	cert  *x509.Certificate
	key   *ecdsa.PrivateKey

	mu     sync.Mutex
	served *tls.Certificate // of Server, until it is to be renewed
}

// Open opens the authority in a folder, and creates it if there is none.
func Open(dir string, clock func() time.Time) (*Authority, error) {
	a := &Authority{dir: dir, clock: clock}
	err := a.load()
	if errors.Is(err, fs.ErrNotExist) {
		if err = a.create(); err == nil {
			err = a.load()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the certificate authority in %s: %w", dir, err)
	}
	return a, nil
}

func (a *Authority) load() error {
	b, err := budget.ReadFile(filepath.Join(a.dir, "authority.pem"), budget.Text)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(b, b)
	if err != nil {
		return err
	}
	key, is := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !is || pair.Leaf == nil {
		return errors.New("the key is of another kind")
	}
	a.cert, a.key = pair.Leaf, key
	return nil
}

func (a *Authority) create() error {
	for _, name := range []string{"", "tokens", "revoked"} {
		if err := os.MkdirAll(filepath.Join(a.dir, name), 0o700); err != nil {
			return err
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	now := a.clock()
	t := &x509.Certificate{
		SerialNumber: serial(now), Subject: pkix.Name{CommonName: "ovi edge authority"}, NotBefore: now.Add(-skew),
		NotAfter: now.Add(authorityLife),
		IsCA:     true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := keyPEM(key)
	if err != nil {
		return err
	}
	// A second process that creates one at the same time loses, and reads this one.
	name := filepath.Join(a.dir, "authority.pem")
	temporary, err := os.CreateTemp(a.dir, ".authority-*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(append(certPEM(der), private...))
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err == nil {
		if err = os.Link(temporary.Name(), name); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	return errors.Join(err, os.Remove(temporary.Name()))
}

// serial is a number that grows with time, and is not guessed.
func serial(now time.Time) *big.Int {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	n := new(big.Int).Lsh(big.NewInt(now.UnixNano()), 64)
	return n.Or(n, new(big.Int).SetBytes(random))
}

// issuedAt is when a certificate was signed, to the nanosecond.
func issuedAt(c *x509.Certificate) int64 { return new(big.Int).Rsh(c.SerialNumber, 64).Int64() }

// Hash is what a node knows the authority by, before it has a certificate.
func (a *Authority) Hash() string {
	sum := sha256.Sum256(a.cert.Raw)
	return hex.EncodeToString(sum[:])
}

// PEM is the certificate of the authority.
func (a *Authority) PEM() []byte { return certPEM(a.cert.Raw) }

// Server is how an orchestrator speaks TLS. The certificates of nodes are checked by Node, in each call:
// TLS proves only that a node has the key.
func (a *Authority) Server() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, ClientAuth: tls.RequestClientCert, SessionTicketsDisabled: true,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return a.server() },
	}
}

// server is the certificate of the orchestrator, another one after half of its life.
func (a *Authority) server() (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.served != nil && a.clock().Before(a.served.Leaf.NotBefore.Add(serverLife/2)) {
		return a.served, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := a.sign(&x509.Certificate{
		DNSNames:    []string{serverName},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, &key.PublicKey, serverLife)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	a.served = &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: key, Leaf: leaf}
	return a.served, nil
}

func (a *Authority) sign(t *x509.Certificate, public any, life time.Duration) ([]byte, error) {
	now := a.clock()
	t.SerialNumber, t.NotBefore, t.NotAfter, t.KeyUsage = serial(now), now.Add(-skew), now.Add(life),
		x509.KeyUsageDigitalSignature
	return x509.CreateCertificate(rand.Reader, t, a.cert, public, a.key)
}

// issue signs the key of a request for a node. Every name in the request is ignored.
func (a *Authority) issue(csr []byte, node string) ([]byte, error) {
	r, err := x509.ParseCertificateRequest(csr)
	if err == nil {
		err = r.CheckSignature()
	}
	if err != nil {
		return nil, fmt.Errorf("the certificate request is invalid: %w", err)
	}
	site, name, isNode := strings.Cut(node, "/")
	id := &url.URL{Scheme: scheme, Host: "ovi", Path: "/site/" + site}
	if isNode {
		id.Path += "/node/" + name
	}
	der, err := a.sign(&x509.Certificate{
		URIs:        []*url.URL{id},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, r.PublicKey, NodeLife)
	if err != nil {
		return nil, err
	}
	return certPEM(der), nil
}

// Node is the name of a certificate, SITE/NODE or that of a site, if its owner may speak now; to renew its certificate
// also for a
// while after that has expired.
func (a *Authority) Node(c *x509.Certificate, renews bool) (string, error) {
	if c == nil {
		return "", fmt.Errorf("%w: the node has no certificate; give it a token: ovi edge token SITE/NODE", ErrRefused)
	}
	at := a.clock()
	if renews && at.After(c.NotAfter) && at.Before(c.NotAfter.Add(RenewGrace)) {
		at = c.NotAfter
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	if _, err := c.Verify(x509.VerifyOptions{
		Roots: roots, CurrentTime: at,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}); err != nil {
		return "", fmt.Errorf("%w: %w", ErrRefused, err)
	}
	node, err := nameOf(c)
	if err != nil {
		return "", err
	}
	return node, a.notRevoked(c, node)
}

// Config is how a node that the authority knows speaks TLS, with a key made here: for virtual nodes.
func (a *Authority) Config(node string) (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	csr, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	if err != nil {
		return nil, err
	}
	cert, err := a.issue(csr, node)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(cert)
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	pair := tls.Certificate{Certificate: [][]byte{block.Bytes}, PrivateKey: key}
	return &tls.Config{
		MinVersion: tls.VersionTLS13, RootCAs: roots, ServerName: serverName, Time: a.clock,
		Certificates: []tls.Certificate{pair},
	}, nil
}

// nameOf is the name in a certificate.
func nameOf(c *x509.Certificate) (string, error) {
	if len(c.URIs) == 1 {
		words := strings.Split(c.URIs[0].Path, "/")
		switch {
		case len(words) == 5 && words[1] == "site" && words[3] == "node":
			return words[2] + "/" + words[4], nil
		case len(words) == 3 && words[1] == "site":
			return words[2], nil
		}
	}
	return "", fmt.Errorf("%w: the certificate names neither a node nor a site", ErrRefused)
}

func (a *Authority) notRevoked(c *x509.Certificate, node string) error {
	revoked, err := a.revokedAt(node)
	if err == nil && issuedAt(c) <= revoked {
		err = fmt.Errorf("%w: the certificate of %s was revoked", ErrRefused, node)
	}
	return err
}

// Still returns why a node that Node accepted on a connection may not speak on it any more: it was revoked, or
// its certificate has expired. It costs less than Node, for every frame.
func (a *Authority) Still(c *x509.Certificate, node string) error {
	if a.clock().After(c.NotAfter) {
		return fmt.Errorf("%w: the certificate of %s has expired", ErrRefused, node)
	}
	return a.notRevoked(c, node)
}

// Renew signs a new certificate for the node of a certificate, for the same key.
func (a *Authority) Renew(c *x509.Certificate, csr []byte) ([]byte, error) {
	node, err := a.Node(c, true)
	if err != nil {
		return nil, err
	}
	r, err := x509.ParseCertificateRequest(csr)
	if err != nil {
		return nil, fmt.Errorf("the certificate request is invalid: %w", err)
	}
	if key, is := r.PublicKey.(*ecdsa.PublicKey); !is || !key.Equal(c.PublicKey) {
		return nil, fmt.Errorf("%w: a renewal is for the same key; enroll the node again with a token", ErrRefused)
	}
	return a.issue(csr, node)
}

func certPEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), err
}
