// Package sshsig checks signatures of SSH keys over texts, in the format of `ssh-keygen -Y`.
//
// The format is that of PROTOCOL.sshsig in the sources of OpenSSH.
package sshsig

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

const (
	magic   = "SSHSIG"
	version = 1
	armor   = "SSH SIGNATURE"
	longest = 16 << 10 // of a signature, in bytes; one of RSA-16384 has 5 KB
)

// Key is a public key in its shortest form: its type and its base64, without a comment.
type Key string

// ParseKey reads a line of a .pub file or of authorized_keys; options and certificates are refused.
func ParseKey(line string) (Key, error) {
	k, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(line))
	switch {
	case err != nil:
		return "", fmt.Errorf("not a public SSH key: %w", err)
	case len(options) > 0 || len(bytes.TrimSpace(rest)) > 0:
		return "", errors.New("not a single public SSH key without options")
	case !slices.Contains(types(), k.Type()):
		return "", fmt.Errorf("keys of type %s are not supported: use one of %s", k.Type(), strings.Join(types(), ", "))
	}
	return keyOf(k), nil
}

// types are the types of keys whose signatures count: none of SHA-1 or DSA.
func types() []string {
	return []string{
		ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
		ssh.KeyAlgoSKECDSA256, ssh.KeyAlgoRSA,
	}
}

func keyOf(k ssh.PublicKey) Key { return Key(strings.TrimSpace(string(ssh.MarshalAuthorizedKey(k)))) }

// Fingerprint is the key's SHA-256, as `ssh-keygen -l` prints it; the text itself if it is no key.
func (k Key) Fingerprint() string {
	p, _, _, _, err := ssh.ParseAuthorizedKey([]byte(k))
	if err != nil {
		return string(k)
	}
	return ssh.FingerprintSHA256(p)
}

// blob is what follows the magic of a signature.
type blob struct {
	Version   uint32
	Key       []byte
	Namespace string
	Reserved  string
	Hash      string
	Signature []byte
}

// signed is what the key signs, after the magic.
type signed struct {
	Namespace string
	Reserved  string
	Hash      string
	Digest    []byte
}

// Verify returns the key that signed a text for a namespace, by a signature in its armored form. A key
// of a security token counts only with the touch of its owner.
func Verify(text []byte, namespace, signature string) (Key, error) {
	b, sig, key, err := parse(signature)
	if err != nil {
		return "", err
	}
	if b.Namespace != namespace {
		return "", fmt.Errorf("the signature is for %q, not for %q", b.Namespace, namespace)
	}
	var digest []byte
	switch b.Hash {
	case "sha256":
		sum := sha256.Sum256(text)
		digest = sum[:]
	case "sha512":
		sum := sha512.Sum512(text)
		digest = sum[:]
	default:
		return "", fmt.Errorf("the signature is of a digest of type %q: sha256 and sha512 are supported", b.Hash)
	}
	// Signatures of SHA-1, and of a security token without a touch, are refused.
	const touched = 1 // the flag of user presence in a signature of a token: see PROTOCOL.u2f
	switch key.Type() {
	case ssh.KeyAlgoRSA:
		if sig.Format != ssh.KeyAlgoRSASHA256 && sig.Format != ssh.KeyAlgoRSASHA512 {
			return "", fmt.Errorf("a signature of type %s is not supported: use rsa-sha2-512", sig.Format)
		}
	case ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256:
		if len(sig.Rest) == 0 || sig.Rest[0]&touched == 0 {
			return "", errors.New("the signature was made without a touch of the security token")
		}
	}
	over := append([]byte(magic), ssh.Marshal(signed{b.Namespace, b.Reserved, b.Hash, digest})...)
	if err := key.Verify(over, sig); err != nil {
		return "", fmt.Errorf("the signature is of another text: %w", err)
	}
	return keyOf(key), nil
}

func parse(armored string) (b blob, sig *ssh.Signature, key ssh.PublicKey, err error) {
	if len(armored) > longest {
		return b, nil, nil, fmt.Errorf("the signature is longer than %d bytes", longest)
	}
	p, rest := pem.Decode([]byte(armored))
	if p == nil || p.Type != armor || len(bytes.TrimSpace(rest)) > 0 {
		return b, nil, nil, errors.New("not a signature of ssh-keygen -Y sign")
	}
	body, ok := bytes.CutPrefix(p.Bytes, []byte(magic))
	if !ok {
		return b, nil, nil, errors.New("not a signature of ssh-keygen -Y sign: it lacks " + magic)
	}
	if err := ssh.Unmarshal(body, &b); err != nil {
		return b, nil, nil, fmt.Errorf("the signature cannot be read: %w", err)
	}
	if b.Version != version {
		return b, nil, nil, fmt.Errorf("the signature has version %d, not %d", b.Version, version)
	}
	if key, err = ssh.ParsePublicKey(b.Key); err != nil {
		return b, nil, nil, fmt.Errorf("the key of the signature cannot be read: %w", err)
	}
	if !slices.Contains(types(), key.Type()) {
		return b, nil, nil, fmt.Errorf("keys of type %s are not supported", key.Type())
	}
	sig = &ssh.Signature{}
	if err := ssh.Unmarshal(b.Signature, sig); err != nil {
		return b, nil, nil, fmt.Errorf("the signature cannot be read: %w", err)
	}
	return b, sig, key, nil
}
