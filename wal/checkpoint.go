package wal

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// signatureSize is the length of a checkpoint's payload: the public key and
// the signature.
const signatureSize = ed25519.PublicKeySize + ed25519.SignatureSize

// Signed messages start with their purpose, so that a signature made for one
// purpose is invalid for the other.
const (
	checkpointDomain = "ovi wal checkpoint v1\n"
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

// String returns the checkpoint as one printable line, to be stored elsewhere.
func (c Checkpoint) String() string {
	b64 := base64.RawURLEncoding
	return strings.Join([]string{
		checkpointPrefix, hex.EncodeToString(c.Log[:]), strconv.FormatUint(uint64(c.Seq), 10),
		strconv.FormatInt(c.At.UnixNano(), 10), c.Chain.String(),
		b64.EncodeToString(c.Key), b64.EncodeToString(c.Signature),
	}, ":")
}

// ParseCheckpoint is the inverse of String. It refuses a line whose signature
// does not fit.
func ParseCheckpoint(line string) (Checkpoint, error) {
	c, err := parseCheckpoint(strings.TrimSpace(line))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("wal: checkpoint line: %w", err)
	}
	return c, nil
}

func parseCheckpoint(line string) (Checkpoint, error) {
	c, err := splitCheckpoint(line)
	if err == nil && !c.Valid() {
		err = errors.New("invalid signature: the line was changed or cut")
	}
	return c, err
}

// splitCheckpoint reads the parts of a line without checking the signature.
func splitCheckpoint(line string) (c Checkpoint, err error) {
	part := strings.Split(line, ":")
	if len(part) != 7 || part[0] != checkpointPrefix {
		return c, fmt.Errorf("want seven parts, the first %q", checkpointPrefix)
	}
	id, err1 := hex.DecodeString(part[1])
	seq, err2 := strconv.ParseUint(part[2], 10, 64)
	at, err3 := strconv.ParseInt(part[3], 10, 64)
	chain, err4 := ParseChain(part[4])
	key, err5 := base64.RawURLEncoding.DecodeString(part[5])
	signature, err6 := base64.RawURLEncoding.DecodeString(part[6])
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return c, err
	}
	if len(id) != len(c.Log) {
		return c, fmt.Errorf("log identity of %d bytes: want %d", len(id), len(c.Log))
	}
	return Checkpoint{logID(id), Seq(seq), chain, time.Unix(0, at).UTC(), key, signature}, nil
}
