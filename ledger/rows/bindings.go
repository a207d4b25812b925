package rows

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// Binding is the value of binding/<ref>/<id>, without these two: the key has them. In a store that
// instances share, it has the signature of the instance that wrote it last.
type Binding struct {
	resource.Binding
	Signature *event.Signature
}

// NewBinding is the binding of a ref and an id, for reading its row into.
func NewBinding(ref resource.Ref, id string) Binding {
	return Binding{Binding: resource.Binding{Ref: ref, ID: id}}
}

// bindingRow is the stored form of a Binding.
type bindingRow struct {
	UID        string           `json:"uid,omitempty"`
	Key        string           `json:"key,omitempty"`
	Role       resource.Role    `json:"role,omitempty"`
	Generation uint64           `json:"generation"`
	Former     bool             `json:"former,omitempty"`
	Ended      bool             `json:"ended,omitempty"`
	Dismissed  bool             `json:"dismissed,omitempty"`
	Adopted    bool             `json:"adopted,omitempty"`
	Seq        uint64           `json:"seq"`
	Instance   string           `json:"instance,omitempty"`
	At         time.Time        `json:"at,omitzero"`
	Origin     uint64           `json:"origin,omitempty"`
	OriginLog  string           `json:"origin_log,omitempty"`
	Since      time.Time        `json:"since,omitzero"`
	Signature  *event.Signature `json:"signature,omitempty"`
}

// MarshalJSON omits the ref and the id.
func (b Binding) MarshalJSON() ([]byte, error) {
	return json.Marshal(bindingRow{
		b.UID, b.Key, b.Role, b.Generation, b.Former, b.Ended, b.Dismissed, b.Adopted, b.Seq, b.Instance, b.At,
		b.Origin, b.OriginLog, b.Since, b.Signature,
	})
}

// UnmarshalJSON does not set the ref and the id.
func (b *Binding) UnmarshalJSON(text []byte) error {
	var r bindingRow
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	b.Binding = resource.Binding{
		Ref: b.Ref, ID: b.ID, UID: r.UID, Key: r.Key, Role: r.Role, Generation: r.Generation, Former: r.Former,
		Ended: r.Ended, Dismissed: r.Dismissed, Adopted: r.Adopted, Seq: r.Seq, Instance: r.Instance, At: r.At,
		Origin: r.Origin, OriginLog: r.OriginLog, Since: r.Since,
	}
	b.Signature = r.Signature
	return nil
}

// Bound is the value of bound/<ref>.
type Bound struct {
	Generation uint64   `json:"generation"` // of the newest binding
	Live       []string `json:"live,omitempty"`
}

// Pin is the value of pin/<instance that trusts>/<instance that is trusted>.
type Pin struct {
	Key string    `json:"key"`
	At  time.Time `json:"at,omitzero"`
}

// Trust is the value of trust/<key> and of trust_required.
type Trust struct {
	On       bool   `json:"on"`
	Who      string `json:"who"`
	Instance string `json:"instance"`
	Reason   string `json:"reason,omitempty"`
	Number   uint64 `json:"number,omitempty"` // the row with the highest one counts
	// SignedBy is the signature of Who.
	SignedAt time.Time       `json:"signed_at,omitzero"`
	SignedBy *event.SignedBy `json:"signed_by,omitzero"`
	// Signature is the signature of Instance, in a shared store.
	Signature *event.Signature `json:"signature,omitempty"`
}

// Certified is the value of certified/<instance>: where the last digest of the bindings is in
// that instance's log.
type Certified struct {
	Seq    uint64 `json:"seq"`
	Digest string `json:"digest"`
}

// BindingOf is the key of a binding. An id may have slashes.
func BindingOf(ref resource.Ref, id string) string {
	return BindingsOf(ref) + url.PathEscape(id)
}

// BindingsOf is the prefix of the bindings of a ref.
func BindingsOf(ref resource.Ref) string { return Of(KeyBinding, ref) + "/" }

// ParseBinding is the inverse of BindingOf.
func ParseBinding(key string) (ref resource.Ref, id string, err error) {
	end := strings.LastIndexByte(key, '/')
	if end < len(KeyBinding) {
		return ref, "", fmt.Errorf("ledger: %q is not the key of a binding", key)
	}
	if ref, err = RefOf(KeyBinding, key[:end]); err == nil {
		id, err = url.PathUnescape(key[end+1:])
	}
	return ref, id, err
}

// BindingPrefix is the prefix of the bindings of a scope, and of those whose names begin with it.
func BindingPrefix(s resource.Scope) string { return KeyBinding + s.String() + "/" }

// BoundOf is the key of the live bindings of a ref.
func BoundOf(ref resource.Ref) string { return Of(KeyBound, ref) }

// IdentityOf is the key of the ref that an id is bound to: one id has one ref.
func IdentityOf(ref resource.Ref, id string) string {
	return KeyIdentity + ref.Scope().String() + "/" + ref.Kind + "/" + url.PathEscape(id)
}

// PinOf is the key of the pin of an instance.
func PinOf(by, of string) string { return KeyPin + by + "/" + of }

// Cosigned is the value of cosigned/<of>/<by>: how far one instance saw the log of another, signed.
type Cosigned struct {
	Seq       wal.Seq          `json:"seq"`
	Chain     string           `json:"chain"`
	At        time.Time        `json:"at"`
	Signature *event.Signature `json:"signature,omitempty"`
}

// CosignedOf returns the key of the length that one instance saw of another's log.
func CosignedOf(of, by string) string { return KeyCosigned + of + "/" + by }
