package rows

import (
	"net/url"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/resource"
)

// Binding is the value of binding/<ref>/<id>. In a store that instances share, it has the
// signature of the instance that wrote it last.
type Binding struct {
	resource.Binding
	Signature *event.Signature `json:"signature,omitempty"`
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
	// Signature is that of Instance, in a store that instances share.
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
	return KeyBinding + ref.String() + "/" + url.PathEscape(id)
}

// BindingPrefix is the prefix of the bindings of a scope, and of those whose names begin with it.
func BindingPrefix(s resource.Scope) string { return KeyBinding + s.String() + "/" }

// BoundOf is the key of the live bindings of a ref.
func BoundOf(ref resource.Ref) string { return KeyBound + ref.String() }

// IdentityOf is the key of the ref that an id is bound to: one id has one ref.
func IdentityOf(ref resource.Ref, id string) string {
	return KeyIdentity + ref.Scope().String() + "/" + ref.Kind + "/" + url.PathEscape(id)
}

// PinOf is the key of the pin of an instance.
func PinOf(by, of string) string { return KeyPin + by + "/" + of }
