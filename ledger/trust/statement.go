package trust

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// statement is the text that an instance signs in a shared store: that a binding starts or ends, that a key
// is trusted, or that an operator did something. The signature covers its JSON form: a field that is
// renamed or moved makes all recorded signatures invalid. An empty field is omitted.
type statement struct {
	Instance   string       `json:"instance"`
	Ref        resource.Ref `json:"ref,omitzero"`
	ID         string       `json:"id,omitempty"`
	UID        string       `json:"uid,omitempty"`
	Key        string       `json:"key,omitempty"`
	Generation uint64       `json:"generation,omitempty"`
	Ended      bool         `json:"ended,omitempty"`
	Trust      string       `json:"trust,omitempty"` // a key, or "required"
	On         bool         `json:"on,omitempty"`
	Number     uint64       `json:"number,omitempty"` // of a decision about a key
	Act        string       `json:"act,omitempty"`    // the key of the store
	At         time.Time    `json:"at,omitzero"`
	Content    string       `json:"content,omitempty"` // SHA-256 of the event without its signature, in hex
}

// ofBinding is the statement that a binding rests on.
func ofBinding(b resource.Binding) statement {
	return statement{Instance: b.Instance, Ref: b.Ref, ID: b.ID, UID: b.UID, Key: b.Key, Generation: b.Generation}
}

// verify reports whether the signature is one of the statement, by the key that it names. It does not
// report whether the key is trusted.
func (s statement) verify(signed *event.Signature) bool {
	if signed == nil {
		return false
	}
	text, err := json.Marshal(s)
	key, err1 := hex.DecodeString(signed.Key)
	sum, err2 := hex.DecodeString(signed.Sum)
	return err == nil && err1 == nil && err2 == nil && signed.Generation == s.Generation &&
		wal.VerifyStatement(key, text, sum)
}
