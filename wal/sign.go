package wal

import (
	"crypto/ed25519"
	"errors"
)

// statementDomain separates statements from batches and trims.
const statementDomain = "ovi statement v1\n"

// VerifyStatement reports whether the key made the signature of a statement.
func VerifyStatement(key ed25519.PublicKey, statement, signature []byte) bool {
	return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, append([]byte(statementDomain), statement...),
		signature)
}

// Sign signs a statement of the log's owner with the key that signs its batches. It fails on a
// log opened with ReadOnly.
func (l *Log) Sign(statement []byte) ([]byte, error) {
	if l.key == nil {
		return nil, errors.New("wal: sign a statement: the log is open to be read only")
	}
	return ed25519.Sign(l.key, append([]byte(statementDomain), statement...)), nil
}
