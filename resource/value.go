package resource

import "fmt"

// Value is one node of an attribute tree: Bool, Int, Float, String, List, Attrs, Secret,
// Digest, Reference or Text. The set is closed.
type Value interface{ value() }

// The plain values.
type (
	Bool   bool
	Int    int64
	Float  float64
	String string
	// List is ordered; an attribute of type Set is compared without regard to order.
	List []Value
	// Digest is a keyed digest, recorded instead of a secret.
	Digest string
	// Reference is a value of another resource: its ID, or with a Path the attribute at that
	// dotted path. The engine replaces it by the value before it calls a provider.
	Reference struct {
		Ref  Ref
		Path string
	}
	// Text is a string with references in it: its parts are Strings, References and, in a
	// secret attribute, Secrets. It becomes a String or a Secret once every reference is
	// known; see Kind.Resolve.
	Text []Value
)

// Secret is a value that must not reach a log, a store, a screen or a plan file. Formatting
// verbs and encoders show its digest at most; only Reveal returns it.
type Secret struct {
	plain  string
	digest Digest
	from   string
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
func (Text) value()      {}

// NewSecret joins a secret with its keyed digest, which the caller computes.
func NewSecret(plain string, digest Digest) Secret { return Secret{plain: plain, digest: digest} }

// WithSource returns the secret with where it came from, as "env:NAME" or "file:PATH". A secret that is written in a
// configuration has no source.
func (s Secret) WithSource(from string) Secret {
	s.from = from
	return s
}

// Source returns where the secret came from; empty if it is written in a configuration.
func (s Secret) Source() string { return s.from }

// Reveal returns the secret. Only providers call it, inside a call.
func (s Secret) Reveal() string { return s.plain }

// Digest returns the keyed digest, which may be recorded.
func (s Secret) Digest() Digest { return s.digest }

// String hides the secret.
func (Secret) String() string { return "(secret)" }

// Format hides the secret from every verb of fmt, %#v too.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("(secret)")) }

// MarshalJSON writes the digest only.
func (s Secret) MarshalJSON() ([]byte, error) { return AppendJSON(nil, s.digest), nil }

// OutputPath is the path of a reference to an output of a stack, whose name is all of it.
const OutputPath = "$output"

// String is the form that a configuration uses inside ${…}: "rds/orders.endpoint".
func (r Reference) String() string {
	if r.Path == "" || r.Path == OutputPath {
		return r.Ref.Kind + "/" + r.Ref.Name
	}
	return r.Ref.Kind + "/" + r.Ref.Name + "." + r.Path
}
