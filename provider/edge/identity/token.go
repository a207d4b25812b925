package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
)

// TokenLife is how long a token may be used.
const TokenLife = 15 * time.Minute

// ErrUsed is a token that was used before: another node may have it.
var ErrUsed = errors.New("the token was used before")

// ticket is what is kept of a token, by its hash.
type ticket struct {
	Node    string    `json:"node"`
	Expires time.Time `json:"expires"`
}

// Token makes a token with which a node, SITE/NODE, can enroll once. Only its hash is kept. It has the hash of
// the authority in it, so that the node enrolls with no other one.
func (a *Authority) Token(node string) (string, error) {
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(secret)
	b, err := json.Marshal(ticket{node, a.clock().Add(TokenLife)})
	if err != nil {
		return "", err
	}
	return text + "." + a.Hash(), Write(a.ticket(text), b)
}

func (a *Authority) ticket(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return filepath.Join(a.dir, "tokens", hex.EncodeToString(sum[:]))
}

// used ends the name of a token that was used.
const used = ".used"

// Enroll signs a certificate for the node of a token. A token that has not expired cannot be used again, whatever
// comes of it.
// node is known also where a token was used before.
func (a *Authority) Enroll(token string, csr []byte) (node string, cert []byte, err error) {
	secret, _, _ := strings.Cut(token, ".")
	name := a.ticket(secret)
	t, err := read(name)
	if err == nil && a.clock().After(t.Expires) { // it stays unused
		return t.Node, nil, fmt.Errorf("%w: the token has expired; make another: ovi edge token %s", ErrRefused, t.Node)
	}
	if err == nil {
		err = os.Rename(name, name+used) // one of several succeeds
	}
	if errors.Is(err, fs.ErrNotExist) {
		if t, err = read(name + used); err == nil {
			err = fmt.Errorf("%w: %w", ErrRefused, ErrUsed)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("%w: the token is unknown; make one: ovi edge token SITE/NODE", ErrRefused)
	}
	if err == nil {
		cert, err = a.issue(csr, t.Node)
	}
	return t.Node, cert, err
}

func read(name string) (t ticket, err error) {
	b, err := budget.ReadFile(name, budget.Text)
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	return t, err
}

// Revoke refuses every certificate of a node, SITE/NODE, that was signed until now.
func (a *Authority) Revoke(node string) error {
	return Write(a.revocation(node), []byte(strconv.FormatInt(a.clock().UnixNano(), 10)))
}

func (a *Authority) revocation(node string) string {
	return filepath.Join(a.dir, "revoked", strings.ReplaceAll(node, "/", "~"))
}

// revokedAt is until when the certificates of a node are revoked; 0 means that none is.
func (a *Authority) revokedAt(node string) (int64, error) {
	b, err := budget.ReadFile(a.revocation(node), budget.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read whether %s was revoked: %w", node, err)
	}
	return strconv.ParseInt(string(b), 10, 64)
}

// Write writes a file as a whole, durable when it returns.
func Write(name string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
