package proof

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/wal"
)

// Version is the version of the format.
const Version = 1

// statement is the prefix of the text that a proof's signature covers, before the SHA-256 of all lines but
// the last.
const statement = "ovi proof v1\n"

// head is the first line.
type head struct {
	Type       string    `json:"type"` // "proof"
	Version    int       `json:"version"`
	Ref        string    `json:"ref"`
	Made       time.Time `json:"made"`
	By         string    `json:"by"`
	First      wal.Seq   `json:"first"`   // the oldest record that the log has
	Records    []wal.Seq `json:"records"` // those that tell of the resource; others of their batches are not about it
	Checkpoint string    `json:"checkpoint"`
}

// batch is a line for each batch of records.
type batch struct {
	Type   string   `json:"type"` // "batch"
	Index  uint64   `json:"index"`
	Before string   `json:"before"`
	Frame  []byte   `json:"frame"`
	Path   []string `json:"path"`
}

// seal is the last line.
type seal struct {
	Type      string `json:"type"` // "signature"
	Signature string `json:"signature"`
}

// encode writes the lines; sign signs a statement with the key of the log.
func encode(h head, batches []wal.Inclusion, sign func([]byte) ([]byte, error)) ([]byte, error) {
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(h); err != nil {
		return nil, err
	}
	for _, x := range batches {
		b := batch{Type: "batch", Index: x.Index, Before: x.Before.String(), Frame: x.Frame, Path: []string{}}
		for _, h := range x.Path {
			b.Path = append(b.Path, hex.EncodeToString(h[:]))
		}
		if err := lines.Encode(b); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(out.Bytes())
	signed, err := sign(append([]byte(statement), sum[:]...))
	if err != nil {
		return nil, fmt.Errorf("proof: sign: %w", err)
	}
	err = lines.Encode(seal{"signature", hex.EncodeToString(signed)})
	return out.Bytes(), err
}
