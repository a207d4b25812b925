package sshsig_test

import (
	"encoding/pem"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/sshsig"
	"github.com/ovi-project/ovi/internal/sshsig/sshsigtest"
)

// TestSignaturesOfTheSystemsProgram: each type of key of ssh-keygen signs, and nothing else passes.
func TestSignaturesOfTheSystemsProgram(t *testing.T) {
	text := []byte("ovi approve\nplan: 01J\n")
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		pair := sshsigtest.New(t, kind)
		signature := pair.Sign(t, text, "ovi")
		if got, err := sshsig.Verify(text, "ovi", signature); err != nil || got != pair.Key {
			t.Errorf("%s: signed by %q, %v; want %q", kind, got, err, pair.Key)
		}
		if !strings.HasPrefix(pair.Key.Fingerprint(), "SHA256:") {
			t.Errorf("%s: fingerprint %s", kind, pair.Key.Fingerprint())
		}
		for name, c := range map[string]struct{ text, namespace, want string }{
			"another text":      {"ovi approve\nplan: 01K\n", "ovi", "of another text"},
			"another namespace": {string(text), "git", `is for "ovi", not for "git"`},
		} {
			if _, err := sshsig.Verify([]byte(c.text), c.namespace, signature); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %s: %v", kind, name, err)
			}
		}
	}
}

// TestEveryByteOfASignatureCounts: no changed signature passes as one of the same key.
func TestEveryByteOfASignatureCounts(t *testing.T) {
	text, pair := []byte("ovi bless\n"), sshsigtest.New(t, "ed25519")
	p, _ := pem.Decode([]byte(pair.Sign(t, text, "ovi")))
	for i := range p.Bytes {
		p.Bytes[i] ^= 1
		if key, err := sshsig.Verify(text, "ovi", string(pem.EncodeToMemory(p))); err == nil && key == pair.Key {
			t.Errorf("with byte %d changed it passes", i)
		}
		p.Bytes[i] ^= 1
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	pair := sshsigtest.New(t, "ed25519")
	if k, err := sshsig.ParseKey(string(pair.Key) + " ann@desk\n"); err != nil || k != pair.Key {
		t.Errorf("with a comment: %q, %v", k, err)
	}
	for _, line := range []string{
		"", "ann", "ssh-ed25519 AAAA", `cert-authority ` + string(pair.Key), string(pair.Key) + "\n" + string(pair.Key),
		"ssh-dss AAAAB3NzaC1kc3MAAAAA",
	} {
		if k, err := sshsig.ParseKey(line); err == nil {
			t.Errorf("%q is read as %q", line, k)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQ==\n-----END SSH SIGNATURE-----\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, signature string) {
		if _, err := sshsig.Verify([]byte("a"), "ovi", signature); err == nil {
			t.Error("a signature that no key made passes")
		}
	})
}
