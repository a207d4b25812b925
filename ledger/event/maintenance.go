package event

import (
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// Compacted records that the store no longer has what only reads before a revision need.
type Compacted struct {
	Before int64  `json:"before"`
	Who    string `json:"who,omitempty"`
}

// Baseline records facts of the store again, so that older records can be trimmed and the rest
// of the log still has all present facts. It changes nothing in a store that has them.
type Baseline struct {
	Before wal.Seq `json:"before"` // the first record that is kept
	Who    string  `json:"who,omitempty"`
	Facts  []Fact  `json:"facts"`
	// SignedBy is the signature of Who.
	SignedBy *SignedBy `json:"signed_by,omitzero"`
}

// ErrorShown records that a user read the whole text of an error, which the data directory alone has. The text is not
// recorded.
type ErrorShown struct {
	Ref resource.Ref `json:"ref"`
	Of  time.Time    `json:"of"` // when the action failed
	Who string       `json:"who,omitempty"`
}

// Fact is a key of the store with its value.
type Fact struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// Certified records the digest of the whole table of bindings and trusted keys, as the log proves
// it. The log's next signature covers it.
type Certified struct {
	Bindings string `json:"bindings"` // SHA-256, in hex
	Count    int    `json:"count"`
}

// ActsCertified lists the blessings, approvals and acknowledgments as the log proves them, so that the
// next run need not read the whole log to know them. The log's next signature covers it.
type ActsCertified struct {
	Acts []Fact `json:"acts,omitempty"`
}

// Cosigned records how far the log of another instance of the store reached, as its chain value there. A log
// that is rewritten below it, with its own key and with the store, does not lead to it any more.
type Cosigned struct {
	Instance  string     `json:"instance"`
	Seq       wal.Seq    `json:"seq"`
	Chain     string     `json:"chain"`
	Signature *Signature `json:"signature,omitempty"`
}
