package wal

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"time"
)

// signatureSize is the length of a checkpoint's payload: the public key and
// the signature.
const signatureSize = ed25519.PublicKeySize + ed25519.SignatureSize

// Signed messages start with their purpose, so that a signature made for one
// purpose is invalid for the other.
const (
	checkpointDomain = "ovi wal checkpoint v1\n"
	anchorDomain     = "ovi wal anchor v1\n"
	trimDomain       = "ovi wal trim v1\n"
	checkpointPrefix = "ovi-checkpoint-v1"
)

// Checkpoint is a signed statement: this log held these records, and no
// others, up to Seq. One that is stored elsewhere proves later that no tail was
// cut off and nothing before it was changed.
type Checkpoint struct {
	Log       [16]byte
	Seq       Seq
	Chain     Chain // the chain value before the checkpoint itself
	At        time.Time
	Key       ed25519.PublicKey
	Signature []byte
}

// message is what is signed.
func (c Checkpoint) message() []byte {
	b := append([]byte(checkpointDomain), c.Log[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(c.Seq))
	b = binary.LittleEndian.AppendUint64(b, uint64(c.At.UnixNano()))
	return append(b, c.Chain[:]...)
}

// sign fills in the key and the signature.
func (c Checkpoint) sign(key ed25519.PrivateKey) Checkpoint {
	c.Key = key.Public().(ed25519.PublicKey)
	c.Signature = ed25519.Sign(key, c.message())
	return c
}

// Valid reports whether the signature was made by the key in the checkpoint.
// Whether that key is trusted is for the caller to decide.
func (c Checkpoint) Valid() bool {
	return len(c.Key) == ed25519.PublicKeySize && ed25519.Verify(c.Key, c.message(), c.Signature)
}

// payload is the form inside a frame; the frame's header has the rest.
func (c Checkpoint) payload() []byte {
	return append(bytes.Clone(c.Key), c.Signature...)
}

// checkpointIn reads the checkpoint out of a frame; before is the chain value
// in front of it.
func checkpointIn(id logID, h frameHeader, payload []byte, before Chain) Checkpoint {
	return Checkpoint{
		Log: id, Seq: h.last(), Chain: before, At: time.Unix(0, h.at).UTC(),
		Key:       bytes.Clone(payload[:ed25519.PublicKeySize]),
		Signature: bytes.Clone(payload[ed25519.PublicKeySize:]),
	}
}
