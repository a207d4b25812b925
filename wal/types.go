package wal

import (
	"encoding/hex"
	"fmt"
	"time"
)

// Seq numbers the records of a log from 1 on, without gaps. It never restarts.
type Seq uint64

// Chain is the hash of everything that a log holds up to a position.
type Chain [32]byte

// String returns the value as 64 hexadecimal digits.
func (c Chain) String() string { return hex.EncodeToString(c[:]) }

// ParseChain is the inverse of Chain.String.
func ParseChain(s string) (Chain, error) {
	var c Chain
	if len(s) != hex.EncodedLen(len(c)) {
		return Chain{}, fmt.Errorf("wal: chain value %q: want %d hexadecimal digits", s, hex.EncodedLen(len(c)))
	}
	if _, err := hex.Decode(c[:], []byte(s)); err != nil {
		return Chain{}, fmt.Errorf("wal: chain value %q: %w", s, err)
	}
	return c, nil
}

// Batch is what one Append made durable, or what Read returns. Its records are
// durable together or not at all.
type Batch struct {
	First   Seq       // the sequence number of Records[0]
	Last    Seq       // that of the last record
	At      time.Time // when it was appended, by the clock of the writer
	Meta    uint64    // the caller's number
	Chain   Chain     // the chain value after the batch
	Records [][]byte  // set by Read only; the caller may keep and change them
}

// Draft is a batch to append.
type Draft struct {
	Meta    uint64    // stored in the header of the batch, not interpreted
	At      time.Time // the log's clock, if zero
	Records [][]byte
}

// Frontier is the end of a log: the last record that was acknowledged and the
// chain value there. Stored elsewhere, it proves later that nothing before it
// was cut off or changed; see WithFrontier.
type Frontier struct {
	Seq   Seq
	Chain Chain
}

// TornWrite describes an append that a crash cut short and that was never
// acknowledged; recovery removed it.
type TornWrite struct {
	Segment string // the file name
	Offset  int64  // where the log ends now
	Bytes   int64  // how many bytes followed
	Reason  string // why they are not a valid batch
}

// String returns one readable line.
func (t TornWrite) String() string {
	return fmt.Sprintf("cut %d bytes of an unfinished append at %s offset %d: %s", t.Bytes, t.Segment, t.Offset, t.Reason)
}
