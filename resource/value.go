package resource

import "fmt"

// Value is one node of an attribute tree: Bool, Int, Float, String, List, Attrs, Secret,
// Digest or Reference. The set is closed.
type Value interface{ value() }

// The plain values.
type (
	Bool   bool
	Int    int64
	Float  float64
	String string
	// List is ordered; an attribute of type Set is compared without regard to order.
	List []Value
	// Digest stands in the record where a secret stood: a keyed digest, never the secret.
	Digest string
	// Reference names another thing of the stack where its provider wants an id. The
	// engine replaces it by the id before a provider sees the wish.
	Reference struct{ Ref Ref }
)

// Secret is a value that must not reach a log, a store, a screen or a plan file. Every
// formatting verb and encoder shows its digest at most; only Reveal gives it away.
type Secret struct {
	plain  string
	digest Digest
}

func (Bool) value()      {}
func (Int) value()       {}
func (Float) value()     {}
func (String) value()    {}
func (List) value()      {}
func (Attrs) value()     {}
func (Secret) value()    {}
func (Digest) value()    {}
func (Reference) value() {}

// NewSecret joins a secret with its keyed digest, which the caller made.
func NewSecret(plain string, digest Digest) Secret { return Secret{plain, digest} }

// Reveal gives the secret away. Only providers call it, inside a call.
func (s Secret) Reveal() string { return s.plain }

// Digest is what may be recorded of the secret.
func (s Secret) Digest() Digest { return s.digest }

// String hides the secret.
func (Secret) String() string { return "(secret)" }

// Format hides the secret from every verb of fmt, %#v too.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("(secret)")) }

// MarshalJSON writes the digest only.
func (s Secret) MarshalJSON() ([]byte, error) { return AppendJSON(nil, s.digest), nil }
