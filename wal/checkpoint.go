package wal

import (
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

// Signed messages start with their purpose, so that a signature made for one
// purpose is invalid for the other.
const (
	checkpointDomain = "ovi wal checkpoint v1\n"
	anchorDomain     = "ovi wal anchor v1\n"
	trimDomain       = "ovi wal trim v1\n"
	checkpointPrefix = "ovi-checkpoint-v1"
)

// Checkpoint is a statement: this log held these records, and no others, up to Seq.
type Checkpoint struct {
	Log       [16]byte
	Seq       Seq
	Chain     Chain     // at the end of the record
	At        time.Time // of that record
	Key       ed25519.PublicKey
	Signature []byte
}

// message is the text of the statement.
func (c Checkpoint) message() []byte {
	b := append([]byte(checkpointDomain), c.Log[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(c.Seq))
	b = binary.LittleEndian.AppendUint64(b, uint64(c.At.UnixNano()))
	return append(b, c.Chain[:]...)
}

// Anchor is a signed statement to keep elsewhere: a checkpoint, and the root of the Merkle tree over
// all batches up to it, trimmed ones too. It proves later that nothing up to it was changed, also
// once it was trimmed.
type Anchor struct {
	Checkpoint
	Batches uint64
	Root    Hash
}

// message is what is signed.
func (a Anchor) message() []byte {
	b := append([]byte(anchorDomain), a.Checkpoint.message()...)
	b = binary.LittleEndian.AppendUint64(b, a.Batches)
	return append(b, a.Root[:]...)
}

func (a Anchor) sign(key ed25519.PrivateKey) Anchor {
	a.Key = key.Public().(ed25519.PublicKey)
	a.Signature = ed25519.Sign(key, a.message())
	return a
}

// Valid reports whether the signature was made by the key in the anchor. Whether that key is trusted is
// for the caller to decide.
func (a Anchor) Valid() bool {
	return len(a.Key) == ed25519.PublicKeySize && ed25519.Verify(a.Key, a.message(), a.Signature)
}

// String returns the anchor as one printable line.
func (a Anchor) String() string {
	b64 := base64.RawURLEncoding
	return strings.Join([]string{
		checkpointPrefix, hex.EncodeToString(a.Log[:]), strconv.FormatUint(uint64(a.Seq), 10),
		strconv.FormatInt(a.At.UnixNano(), 10), a.Chain.String(), strconv.FormatUint(a.Batches, 10),
		hex.EncodeToString(a.Root[:]),
		b64.EncodeToString(a.Key), b64.EncodeToString(a.Signature),
	}, ":")
}

// ParseAnchor is the inverse of String. It refuses a line whose signature does not fit.
func ParseAnchor(line string) (Anchor, error) {
	a, err := splitAnchor(strings.TrimSpace(line))
	if err == nil && !a.Valid() {
		err = errors.New("invalid signature: the line was changed or cut")
	}
	if err != nil {
		return Anchor{}, fmt.Errorf("wal: checkpoint line: %w", err)
	}
	return a, nil
}

// splitAnchor reads the parts of a line without checking the signature.
func splitAnchor(line string) (a Anchor, err error) {
	part := strings.Split(line, ":")
	if len(part) != 9 || part[0] != checkpointPrefix {
		return a, fmt.Errorf("want nine parts, the first %q", checkpointPrefix)
	}
	id, err1 := hex.DecodeString(part[1])
	seq, err2 := strconv.ParseUint(part[2], 10, 64)
	at, err3 := strconv.ParseInt(part[3], 10, 64)
	chain, err4 := ParseChain(part[4])
	batches, err5 := strconv.ParseUint(part[5], 10, 64)
	root, err6 := hex.DecodeString(part[6])
	key, err7 := base64.RawURLEncoding.DecodeString(part[7])
	signature, err8 := base64.RawURLEncoding.DecodeString(part[8])
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8); err != nil {
		return a, err
	}
	if len(id) != len(a.Log) || len(root) != len(a.Root) {
		return a, fmt.Errorf("log identity of %d bytes, root of %d: want %d and %d", len(id), len(root), len(a.Log),
			len(a.Root))
	}
	return Anchor{Checkpoint{logID(id), Seq(seq), chain, time.Unix(0, at).UTC(), key, signature}, batches, Hash(root)}, nil
}
