package command

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/internal/datadir"
	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/internal/sshsig"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/trust"
	"github.com/ovi-project/ovi/wal"
)

// LogTrust has the keys and the notes that decide whose log a data directory has.
type LogTrust struct {
	Home   trust.Home         // "" if the user has no state home
	Key    ed25519.PrivateKey // from OVI_LOG_KEY_FILE
	Verify ed25519.PublicKey  // from OVI_LOG_KEY
	// Trusted are the keys in OVI_TRUSTED_KEYS_FILE; nil without it.
	Trusted []string
	// People are those in OVI_SIGNERS_FILE; nil without it.
	People []event.Signer
}

// LogTrustOf reads the signing key that the environment names, or finds the state home. It is an error if there is
// neither: a key in the data directory would travel with it.
func (c *Call) LogTrustOf(dir string) (LogTrust, error) {
	home, bad := c.logHome(dir)
	t := LogTrust{Home: home}
	var err error
	if file := c.Getenv("OVI_LOG_KEY_FILE"); file != "" {
		if t.Key, err = givenKey(file, dir); err != nil {
			return t, err
		}
	} else if text := c.Getenv("OVI_LOG_KEY"); text != "" {
		if t.Verify, err = wal.ParsePublicKey(text); err != nil {
			return t, cli.Usage("use the key that `ovi audit verify` prints", "invalid OVI_LOG_KEY %q", text)
		}
	}
	if file := c.Getenv("OVI_TRUSTED_KEYS_FILE"); file != "" {
		if t.Trusted, err = trustedKeys(file); err != nil {
			return t, err
		}
	}
	if file := c.Getenv("OVI_SIGNERS_FILE"); file != "" {
		if t.People, err = givenPeople(file); err != nil {
			return t, err
		}
	}
	if bad != nil && t.Key == nil && t.Verify == nil {
		return t, bad
	}
	return t, nil
}

// Config completes the configuration of a ledger.
func (t LogTrust) Config(cfg ledger.Config) ledger.Config {
	cfg.Home, cfg.Key, cfg.Verify, cfg.TrustedKeys, cfg.People = t.Home, t.Key, t.Verify, t.Trusted, t.People
	return cfg
}

// Public is the key that a log of the user's own is signed with; nil if there is none yet.
func (t LogTrust) Public() (ed25519.PublicKey, error) {
	switch {
	case t.Key != nil:
		return t.Key.Public().(ed25519.PublicKey), nil
	case t.Verify != nil:
		return t.Verify, nil
	case t.Home == "":
		return nil, nil
	}
	return trust.PublicKeyIn(t.Home.KeyFile())
}

// trustedKeys reads public keys, one a line; # starts a comment.
func trustedKeys(file string) ([]string, error) {
	problem := func(err error) error {
		return &cli.Problem{
			Summary: "cannot read the trusted keys in OVI_TRUSTED_KEYS_FILE", File: file, Err: cli.Plain(err),
			Suggestion: "write a line for each key that `ovi store trust` prints",
		}
	}
	b, err := budget.ReadFile(file, budget.Text)
	if err != nil {
		return nil, problem(err)
	}
	keys := []string{}
	for line := range strings.Lines(string(b)) {
		text, _, _ := strings.Cut(line, "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		key, err := wal.ParsePublicKey(text)
		if err != nil {
			return nil, problem(err)
		}
		keys = append(keys, wal.FormatPublicKey(key))
	}
	return keys, nil
}

// givenPeople reads a name and a public SSH key a line; # starts a line of comment.
func givenPeople(file string) ([]event.Signer, error) {
	problem := func(err error) error {
		return &cli.Problem{
			Summary: "cannot read the people in OVI_SIGNERS_FILE", File: file, Err: cli.Plain(err),
			Suggestion: "write a line NAME KEY for each public SSH key, such as: ann ssh-ed25519 AAAA...",
		}
	}
	b, err := budget.ReadFile(file, budget.Text)
	if err != nil {
		return nil, problem(err)
	}
	var people []event.Signer
	for line := range strings.Lines(string(b)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		key, err := sshsig.ParseKey(rest)
		if err != nil {
			return nil, problem(fmt.Errorf("%s: %w", name, err))
		}
		people = append(people, event.Signer{Name: name, Key: key})
	}
	if len(people) == 0 {
		return nil, problem(errors.New("it names nobody")) // style:ok
	}
	return people, nil
}

// givenKey reads the key in OVI_LOG_KEY_FILE.
func givenKey(file, dir string) (ed25519.PrivateKey, error) {
	problem := func(err error) error {
		return &cli.Problem{
			Summary: "cannot use the signing key in OVI_LOG_KEY_FILE", File: file, Err: cli.Plain(err),
			Suggestion: "make one with `openssl genpkey -algorithm ed25519 -out FILE`, and keep it outside the data directory",
		}
	}
	if inside(file, dir) {
		return nil, problem(errors.New("it is in the data directory"))
	}
	text, err := budget.ReadFile(file, budget.Text)
	if err != nil {
		return nil, problem(err)
	}
	key, err := wal.ParseSigningKey(text)
	if err != nil {
		return nil, problem(err)
	}
	return key, nil
}

// logHome is the folder with the signing key and the notes. It is this user's, closed to others, and neither in the
// data directory nor in the folder or the Git repository of the source, with which it could have come.
func (c *Call) logHome(dir string) (trust.Home, error) {
	home := filepath.Join(c.StateDir(), "trust")
	problem := func(summary string, err error) error {
		return &cli.Problem{
			Summary: summary, File: home, Err: err,
			Suggestion: "set XDG_STATE_HOME to an absolute path of yours, or OVI_LOG_KEY_FILE to a signing key",
		}
	}
	if !filepath.IsAbs(home) {
		return "", problem("no state home for the signing key of the audit log", nil)
	}
	besideSource := !c.NamesDir() && strings.HasPrefix(filepath.Base(dir), ".ovi")
	around := filepath.Dir(absolute(dir))
	if inside(home, dir) || besideSource && inside(home, around) && !inside(c.Getenv("HOME"), around) {
		return "", problem("the state home is in the folder of the source or in the data directory", nil)
	}
	if besideSource {
		switch tree, err := gitclone.WorkTree(around); {
		case err != nil:
			return "", problem("cannot find out whether the source is in a Git repository", cli.Plain(err))
		case tree != "" && inside(home, tree):
			return "", problem("the state home is in the Git repository of the source, with which it may have come", nil)
		}
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", problem("cannot create the state home", cli.Plain(err))
	}
	err := datadir.Check(home)
	var unsafe *datadir.UnsafeError
	if errors.As(err, &unsafe) {
		return "", &cli.Problem{
			Summary: "the state home is not safe to use", File: home, Err: err,
			Suggestion: "if it is yours: " + strings.Join(unsafe.Repairs(), " && "),
		}
	}
	return trust.Home(home), err
}

// inside reports whether a path is a folder or in it, after links are resolved.
func inside(path, folder string) bool {
	if path == "" {
		return false
	}
	rel, err := filepath.Rel(absolute(folder), absolute(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// absolute resolves the links of a path. The end of the path may be missing.
func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for at, rest := abs, ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return abs
		}
	}
}
