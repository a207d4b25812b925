package wal

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
)

// signingKey returns the caller's key, or the one in the key file, or nil if there is none yet. The caller
// holds the append lock.
func signingKey(o options) (ed25519.PrivateKey, error) {
	if o.key != nil {
		return o.key, nil
	}
	text, err := readAll(o.fs, o.keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("wal: signing key: %w", err)
	}
	key, err := ParseSigningKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.keyFile, err)
	}
	return key, nil
}

// PublicKeyOf is the key with which the log in a directory is signed, as the file beside it has it; nil
// if there is no such file, as beside a copy.
func PublicKeyOf(dir string, opts ...Option) (ed25519.PublicKey, error) {
	o, err := newOptions(dir, opts)
	if err != nil {
		return nil, err
	}
	key, err := signingKey(o)
	return publicOf(key), err
}

// neededKey makes the key of a log that starts or that a trusted key ended, if there is none.
func neededKey(o options, key ed25519.PrivateKey) (ed25519.PrivateKey, error) {
	if key != nil {
		return key, nil
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("wal: create a signing key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("wal: create a signing key: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err := writeWhole(o.fs, o.keyFile, text); err != nil { // a crash leaves all of it or none
		return nil, fmt.Errorf("wal: create a signing key: %w", err)
	}
	return key, nil
}

// ParseSigningKey reads an ed25519 private key in PEM (PKCS 8), as the log
// writes it and as "openssl genpkey -algorithm ed25519" does.
func ParseSigningKey(text []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("wal: signing key: invalid PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("wal: signing key: %w", err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("wal: signing key: want ed25519, got %T", parsed)
	}
	return key, nil
}

// FormatPublicKey returns a key as 64 hexadecimal digits.
func FormatPublicKey(key ed25519.PublicKey) string { return hex.EncodeToString(key) }

// ParsePublicKey reads an ed25519 public key: 64 hexadecimal digits, or 43 characters of base64url
// as in a line of a checkpoint.
func ParsePublicKey(text string) (ed25519.PublicKey, error) {
	key, err := hex.DecodeString(text)
	if err != nil {
		key, err = base64.RawURLEncoding.DecodeString(text)
	}
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, errors.New("wal: public key: want 64 hexadecimal digits, or 43 characters of base64url")
	}
	return key, nil
}
