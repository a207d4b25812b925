package event

import (
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Signature is an instance's signature over a binding, in a shared store.
type Signature struct {
	Generation uint64 `json:"generation"` // of the resource's bindings, or of the act; the newest counts
	Key        string `json:"key"`        // ed25519 public key of the instance's log, in hex
	Sum        string `json:"sum"`        // in hex
}

// Blessed records that a resource was protected or, with On false, is protected no more.
type Blessed struct {
	Ref       resource.Ref `json:"ref"`
	On        bool         `json:"on"`
	Who       string       `json:"who"`
	Reason    string       `json:"reason,omitempty"`
	At        time.Time    `json:"at,omitzero"` // of the signature of a person
	SignedAt  time.Time    `json:"signed_at,omitzero"`
	SignedBy  *SignedBy    `json:"signed_by,omitzero"` // the signature of Who
	Signature *Signature   `json:"signature,omitzero"`
}

// Unsigned separates the event from its signature.
func (e Blessed) Unsigned() (Blessed, *Signature) {
	s := e.Signature
	e.Signature = nil
	return e, s
}

// Adopted records that a stack took over an existing resource: a binding starts.
type Adopted struct {
	Ref    resource.Ref `json:"ref"`
	ID     string       `json:"id"`
	UID    string       `json:"uid,omitempty"`
	Key    string       `json:"key,omitempty"` // that its ovi tags carry
	Who    string       `json:"who"`
	Reason string       `json:"reason,omitempty"`
	// Applied has the configured attributes that cannot be read back, all of them unverified, so that
	// a later change of them is noticed. Nil: the resource was bound to the ref before.
	Applied   *Applied   `json:"applied,omitempty"`
	SignedAt  time.Time  `json:"signed_at,omitzero"`
	SignedBy  *SignedBy  `json:"signed_by,omitzero"` // the signature of Who
	Signature *Signature `json:"signature,omitzero"`
}

// Disowned records that ovi no longer manages a resource, which stays: its binding ends.
type Disowned struct {
	Ref       resource.Ref `json:"ref"`
	ID        string       `json:"id"`
	Plan      string       `json:"plan,omitempty"` // the plan whose apply forgot it; empty for a command
	Who       string       `json:"who"`
	Reason    string       `json:"reason,omitempty"`
	SignedAt  time.Time    `json:"signed_at,omitzero"`
	SignedBy  *SignedBy    `json:"signed_by,omitzero"` // the signature of Who
	Signature *Signature   `json:"signature,omitzero"`
}

// Dismissed records that the resource with an id blocks nothing and is never changed, though
// its ovi tags name the ref.
type Dismissed struct {
	Ref    resource.Ref `json:"ref"`
	ID     string       `json:"id"`
	Who    string       `json:"who"`
	Reason string       `json:"reason,omitempty"`
}

// Moved records that a resource got another ref, stack or both. The resource is unchanged but
// for its ovi tags.
type Moved struct {
	Ref       resource.Ref `json:"ref"` // the new one
	From      resource.Ref `json:"from"`
	ID        string       `json:"id"`
	UID       string       `json:"uid,omitempty"`
	Key       string       `json:"key,omitempty"`
	Adopted   bool         `json:"adopted,omitempty"`    // the binding started with an adoption
	Origin    uint64       `json:"origin,omitempty"`     // the record that created or adopted it, and its time
	OriginLog string       `json:"origin_log,omitempty"` // the instance whose log has that record
	Since     time.Time    `json:"since,omitzero"`
	Plan      string       `json:"plan,omitempty"` // the plan whose apply renamed it; empty for a command
	// ByIdentity: the rename followed from the identity of the resource, and was not declared.
	ByIdentity bool       `json:"by_identity,omitempty"`
	Other      *Moved     `json:"other,omitempty"` // in an exchange of names: the move of the other resource
	Who        string     `json:"who"`
	Reason     string     `json:"reason,omitempty"`
	Signature  *Signature `json:"signature,omitzero"`
}

// Halves returns the moves of all resources that the event moves: one, or both of an exchange of names.
func (e Moved) Halves() []Moved {
	if e.Other == nil {
		return []Moved{e}
	}
	first, second := e, *e.Other
	first.Other = nil
	second.Plan, second.Who, second.Reason = e.Plan, e.Who, e.Reason
	return []Moved{first, second}
}

// Lost records that a bound resource was deleted outside ovi: its id vanished, or belongs to
// another resource now. Its binding ends.
type Lost struct {
	Ref       resource.Ref `json:"ref"`
	ID        string       `json:"id"`
	UID       string       `json:"uid,omitempty"` // of the binding
	Now       string       `json:"now,omitempty"` // UID that the id has now; empty: the id vanished
	Signature *Signature   `json:"signature,omitzero"`
}

// KeyPinned records that the key of another instance was pinned at its first use.
type KeyPinned struct {
	Instance string `json:"instance"`
	Key      string `json:"key"` // ed25519 public key, in hex
}

// Trusted records that an operator trusts a key, or with On false no longer does.
type Trusted struct {
	Key       string     `json:"key"`
	On        bool       `json:"on"`
	Who       string     `json:"who"`
	Reason    string     `json:"reason,omitempty"`
	Number    uint64     `json:"number,omitempty"` // rises with each decision about the key
	SignedAt  time.Time  `json:"signed_at,omitzero"`
	SignedBy  *SignedBy  `json:"signed_by,omitzero"` // the signature of Who
	Signature *Signature `json:"signature,omitzero"`
}

// TrustRequired records that keys are no longer pinned at first use: each later key must be
// Trusted. With On false they are pinned again.
type TrustRequired struct {
	On        bool       `json:"on"`
	Who       string     `json:"who"`
	Reason    string     `json:"reason,omitempty"`
	Number    uint64     `json:"number,omitempty"` // rises with each decision
	SignedAt  time.Time  `json:"signed_at,omitzero"`
	SignedBy  *SignedBy  `json:"signed_by,omitzero"` // the signature of Who
	Signature *Signature `json:"signature,omitzero"`
}
