package wal

import (
	"crypto/ed25519"
	"slices"
)

// Signed messages start with their purpose; see checkpointDomain.
const (
	segmentDomain = "ovi wal segment v1\n"
	batchDomain   = "ovi wal batch v1\n"
)

// signed is the signature of a frame, or of the header of a segment.
type signed struct {
	key    ed25519.PublicKey
	sum    []byte
	digest Chain // of the bytes that it covers
	header bool  // of a segment
}

// signedIn copies the signature of a frame without its chain value.
func signedIn(raw []byte, digest Chain) signed {
	b := slices.Clone(raw[len(raw)-signatureSize:])
	return signed{key: b[:ed25519.PublicKeySize], sum: b[ed25519.PublicKeySize:], digest: digest}
}

// valid reports whether the key made the signature.
func (s signed) valid(id logID) bool {
	if len(s.key) != ed25519.PublicKeySize {
		return false
	}
	if s.header {
		return ed25519.Verify(s.key, segmentMessage(s.digest), s.sum)
	}
	return ed25519.Verify(s.key, batchMessage(id, s.digest), s.sum)
}

func batchMessage(id logID, digest Chain) []byte {
	return append(append([]byte(batchDomain), id[:]...), digest[:]...)
}

func segmentMessage(digest Chain) []byte { return append([]byte(segmentDomain), digest[:]...) }

func publicOf(key ed25519.PrivateKey) ed25519.PublicKey {
	if key == nil {
		return nil
	}
	return key.Public().(ed25519.PublicKey)
}
