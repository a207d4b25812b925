package command

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/resource"
)

// Digester makes the keyed digests that are recorded instead of secrets. Its key is created for the
// first stack with a secret and stays in the data directory: without it, passwords cannot be tried
// against a digest.
type Digester struct {
	File string
	once sync.Once
	key  []byte
	Err  error // why there is no key; what was digested then must not be used
}

// ErrNoKey: no key has been created yet.
var ErrNoKey = errors.New("no key for digests of secrets")

// digestPrefix begins a digest: "hmac-sha256:BOUND:SUM". BOUND is what it is bound to, so that a secret
// can be compared with a digest that another name of its resource made.
const digestPrefix = "hmac-sha256:"

// Digest implements resource.Digester.
func (d *Digester) Digest(ref resource.Ref, path, plain string) resource.Digest {
	bound := d.sum("bound", ref.String()+"\n"+path)[:12]
	return resource.Digest(digestPrefix + bound + ":" + d.sum(bound, plain))
}

// Same implements resource.Digester.
func (d *Digester) Same(plain string, digest resource.Digest) bool {
	rest, ok := strings.CutPrefix(string(digest), digestPrefix)
	bound, sum, both := strings.Cut(rest, ":")
	return ok && both && hmac.Equal([]byte(sum), []byte(d.sum(bound, plain)))
}

// sum is a keyed sum, over what it is bound to, and what is summed.
func (d *Digester) sum(bound, text string) string {
	d.once.Do(func() { d.key, d.Err = digestKey(d.File) })
	mac := hmac.New(sha256.New, d.key)
	_, _ = io.WriteString(mac, bound+"\n"+text)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// digestKey reads the key. It creates none, because a configuration that is wrong leaves no files
// behind.
func digestKey(file string) ([]byte, error) {
	key, err := budget.ReadFile(file, budget.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoKey
	}
	if err != nil {
		return nil, fmt.Errorf("read the key for digests of secrets: %w", err)
	}
	if len(key) != sha256.Size {
		return nil, fmt.Errorf("the key for digests of secrets, %s, has %d bytes instead of %d: restore it from a copy", file,
			len(key), sha256.Size)
	}
	return key, nil
}

// MakeKey creates the key. Of two processes that create it at once, one wins.
func MakeKey(file string) error {
	if err := CreateDir(filepath.Dir(file)); err != nil {
		return err
	}
	key := make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".key-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// Digests makes and compares the digests of secrets.
func (c *Call) Digests(dir string) resource.Digester {
	return c.Secrets.Noting(&Digester{File: c.SecretsKey(dir)})
}

// SecretsKey is the key of the digests of secrets: OVI_SECRETS_KEY_FILE, for instances that
// share a store and must digest alike, else in the data directory.
func (c *Call) SecretsKey(dir string) string {
	if file := c.Getenv("OVI_SECRETS_KEY_FILE"); file != "" {
		return file
	}
	return filepath.Join(dir, "secrets.key")
}
