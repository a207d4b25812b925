package identity

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
)

// Signer is how a node asks for a certificate: over TLS as given, with a token or, for "", with its old
// certificate.
type Signer func(ctx context.Context, config *tls.Config, token string, csr []byte) (cert, authority []byte, err error)

// Node is the identity of a node, in a folder of its own. The key never leaves it.
type Node struct {
	Dir   string
	Clock func() time.Time
}

func (n Node) file(name string) string { return filepath.Join(n.Dir, name) }

// Enrolled reports whether the node has a certificate.
func (n Node) Enrolled() bool {
	_, err := os.Stat(n.file("node.pem"))
	return err == nil
}

// EnrolledWith reports whether the node has its certificate by a token: a service that starts again with the
// same command does not show it a second time.
func (n Node) EnrolledWith(token string) bool {
	b, err := budget.ReadFile(n.file("token"), budget.Text)
	return err == nil && n.Enrolled() && string(b) == hashOf([]byte(token))
}

// Enroll makes a key, and gets a certificate for it with a token.
func (n Node) Enroll(ctx context.Context, token string, sign Signer) error {
	_, hash, ok := strings.Cut(token, ".")
	if !ok || len(hash) != hex.EncodedLen(sha256.Size) {
		return errors.New("the token is incomplete: copy it as `ovi edge token` printed it")
	}
	if err := os.MkdirAll(n.Dir, 0o700); err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	cert, authority, err := n.request(ctx, key, n.pinned(hash), token, sign)
	if err != nil {
		return err
	}
	if block, _ := pem.Decode(authority); block == nil || hashOf(block.Bytes) != hash {
		return errors.New("the orchestrator's certificate authority does not match the token")
	}
	private, err := keyPEM(key)
	if err != nil {
		return err
	}
	return errors.Join(Write(n.file("authority.pem"), authority), Write(n.file("node.pem"), append(cert, private...)),
		Write(n.file("token"), []byte(hashOf([]byte(token)))))
}

// Config is how an enrolled node speaks TLS, and how long until its certificate is to be renewed; less than
// zero where that is due.
func (n Node) Config() (*tls.Config, time.Duration, error) {
	b, err := budget.ReadFile(n.file("node.pem"), budget.Text)
	if err != nil {
		return nil, 0, err
	}
	pair, err := tls.X509KeyPair(b, b)
	if err != nil {
		return nil, 0, err
	}
	authority, err := budget.ReadFile(n.file("authority.pem"), budget.Text)
	if err != nil {
		return nil, 0, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) || pair.Leaf == nil {
		return nil, 0, fmt.Errorf("%s holds no certificate", n.file("authority.pem"))
	}
	life := pair.Leaf.NotAfter.Sub(pair.Leaf.NotBefore)
	c := &tls.Config{
		MinVersion: tls.VersionTLS13, RootCAs: roots, ServerName: serverName, Time: n.Clock,
		Certificates: []tls.Certificate{pair},
	}
	return c, pair.Leaf.NotBefore.Add(life / 3).Sub(n.Clock()), nil
}

// Name is the name in the certificate of the node.
func (n Node) Name() (string, error) {
	c, _, err := n.Config()
	if err != nil {
		return "", err
	}
	return nameOf(c.Certificates[0].Leaf)
}

// Renew gets another certificate for the same key.
func (n Node) Renew(ctx context.Context, sign Signer) error {
	c, _, err := n.Config()
	if err != nil {
		return err
	}
	key, is := c.Certificates[0].PrivateKey.(*ecdsa.PrivateKey)
	if !is {
		return errors.New("the key of the node is of another kind")
	}
	cert, _, err := n.request(ctx, key, c, "", sign)
	if err != nil {
		return err
	}
	private, err := keyPEM(key)
	if err != nil {
		return err
	}
	return Write(n.file("node.pem"), append(cert, private...))
}

func (n Node) request(ctx context.Context, key *ecdsa.PrivateKey, config *tls.Config, token string, sign Signer) (cert,
	authority []byte, err error,
) {
	csr, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	if err != nil {
		return nil, nil, err
	}
	return sign(ctx, config, token, csr)
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// pinned trusts an orchestrator whose authority has a hash, and no other: a node has no authority yet.
func (n Node) pinned(hash string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, ServerName: serverName, InsecureSkipVerify: true, // VerifyConnection does more
		VerifyConnection: func(s tls.ConnectionState) error {
			roots := x509.NewCertPool()
			found := false
			for _, c := range s.PeerCertificates {
				if hashOf(c.Raw) == hash {
					roots.AddCert(c)
					found = true
				}
			}
			if !found {
				return errors.New("the orchestrator's certificate authority does not match the token")
			}
			_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, DNSName: serverName, CurrentTime: n.Clock()})
			return err
		},
	}
}
