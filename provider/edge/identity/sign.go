package identity

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/internal/budget"
)

// purpose starts what is signed, so that no signature is taken for one of another kind.
const purpose = "ovi edge desired state\n"

// Sign signs what the authority tells a node, for Verify.
func (a *Authority) Sign(body []byte) ([]byte, error) {
	sum := sha256.Sum256(append([]byte(purpose), body...))
	return ecdsa.SignASN1(rand.Reader, a.key, sum[:])
}

// Verify checks that the authority which the node enrolled with signed a text.
func (n Node) Verify(body, signature []byte) error {
	b, err := budget.ReadFile(n.file("authority.pem"), budget.Text)
	if err != nil {
		return err
	}
	block, _ := pem.Decode(b)
	if block == nil {
		return fmt.Errorf("%s holds no certificate", n.file("authority.pem"))
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return err
	}
	key, is := cert.PublicKey.(*ecdsa.PublicKey)
	sum := sha256.Sum256(append([]byte(purpose), body...))
	if !is || !ecdsa.VerifyASN1(key, sum[:], signature) {
		return errors.New("it is not of the authority that the node enrolled with")
	}
	return nil
}
