package event

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/sshsig"
)

// Namespace is the namespace of the signatures of people: see `ssh-keygen -Y sign -n`.
const Namespace = "ovi"

// Signer is a person of the roster and a public SSH key of theirs. A person may have several keys; a
// key belongs to one person.
type Signer struct {
	Name string     `json:"name"`
	Key  sshsig.Key `json:"key"`
}

// Compare orders by name, then by key.
func (s Signer) Compare(t Signer) int {
	return cmp.Or(strings.Compare(s.Name, t.Name), strings.Compare(string(s.Key), string(t.Key)))
}

// SignedBy is the signature of a person over an event: over its Statement, in the armored form of
// `ssh-keygen -Y sign`.
type SignedBy struct {
	Key       sshsig.Key `json:"key"`
	Signature string     `json:"signature"`
}

// RosterChanged records that a key of a person was put on the roster or, with On false, removed from
// it. Other signatures than those of keys on the roster do not count. The first key needs no signature;
// each later change counts only with one of a key that was on the roster before, or by a recovery that stood for
// RecoveryWait. The last key stays.
type RosterChanged struct {
	Signer
	On        bool       `json:"on"`
	Before    []Signer   `json:"before,omitempty"` // the roster, sorted
	Signers   []Signer   `json:"signers"`          // the same after the change
	Who       string     `json:"who"`
	Reason    string     `json:"reason,omitempty"`
	Recovers  string     `json:"recovers,omitempty"` // the digest of the recovery that allows it instead of a signature
	SignedBy  *SignedBy  `json:"signed_by,omitzero"`
	Signature *Signature `json:"signature,omitzero"`
}

// Unsigned separates the event from its signature.
func (e RosterChanged) Unsigned() (RosterChanged, *Signature) {
	s := e.Signature
	e.Signature = nil
	return e, s
}

// rosterDigest names a roster: SHA-256, in hex; "" of an empty one.
func rosterDigest(all []Signer) string {
	if len(all) == 0 {
		return ""
	}
	text, _ := json.Marshal(all) // strings only
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Errors of changes of a roster.
var (
	ErrNotOnRoster = errors.New("the key is not on the roster")
	ErrUnsigned    = errors.New("it is not signed")
	ErrLastKey     = errors.New("it is the last key on the roster")
	ErrOnRoster    = errors.New("the key is on the roster already")
)

// After is the roster after the change, sorted.
func (e RosterChanged) After() []Signer {
	out := slices.DeleteFunc(slices.Clone(e.Before), func(s Signer) bool { return s == e.Signer })
	if e.On {
		out = append(out, e.Signer)
	}
	slices.SortFunc(out, Signer.Compare)
	return out
}

// Check checks that the event, as an instance recorded it, is a change that the roster before it allows. How
// long a recovery stood it cannot know.
func (e RosterChanged) Check(instance string) error {
	if e.On && slices.ContainsFunc(e.Before, func(s Signer) bool { return s.Key == e.Key }) {
		return ErrOnRoster
	}
	if !slices.Equal(e.After(), e.Signers) {
		return errors.New("the roster does not match the change")
	}
	if len(e.Signers) == 0 {
		return ErrLastKey
	}
	if len(e.Before) == 0 || e.Recovers != "" && e.On {
		return nil
	}
	by, err := Verify(e.Statement(instance), e.SignedBy)
	if err != nil {
		return err
	}
	if !slices.Contains(e.Before, Signer{e.Who, by}) {
		return ErrNotOnRoster
	}
	return nil
}

// MadeBy reports whether one of some people made the change, as an instance recorded it: the first key is of one of
// them, or one of them signed the change.
func (e RosterChanged) MadeBy(people []Signer, instance string) bool {
	if len(people) == 0 || e.Check(instance) != nil {
		return false
	}
	if len(e.Before) == 0 {
		return slices.Contains(people, e.Signer)
	}
	by, err := Verify(e.Statement(instance), e.SignedBy)
	return err == nil && slices.Contains(people, Signer{e.Who, by})
}

// Verify returns the key that signed a statement.
func Verify(statement []byte, s *SignedBy) (sshsig.Key, error) {
	if s == nil {
		return "", ErrUnsigned
	}
	by, err := sshsig.Verify(statement, Namespace, s.Signature)
	if err == nil && by != s.Key {
		err = errors.New("another key signed it than the one that it names")
	}
	return by, err
}

// Statement is the text that a person signs to change a roster, recorded by an instance.
func (e RosterChanged) Statement(instance string) []byte {
	act := "remove from the roster"
	if e.On {
		act = "add to the roster"
	}
	return statement(act, instance, "name", e.Name, "key", string(e.Key), "roster before", rosterDigest(e.Before), "who",
		e.Who, "reason", e.Reason)
}

// Statement is the text that a person signs to approve a plan, recorded by an instance.
func (e Approved) Statement(instance string) []byte {
	return statement("approve", instance, "plan", e.Plan, "hash", e.Hash, "digest", e.Digest, "until",
		e.Until.UTC().Format(time.RFC3339Nano),
		"who", e.Who, "reason", e.Reason)
}

// Statement is the text that a person signs to bless or unbless a resource, recorded by an instance.
func (e Blessed) Statement(instance string) []byte {
	act := "unbless"
	if e.On {
		act = "bless"
	}
	return statement(act, instance, "ref", e.Ref.String(), "at", e.At.UTC().Format(time.RFC3339Nano), "who", e.Who,
		"reason", e.Reason)
}

// Statement is the text that a person signs to adopt a resource, recorded by an instance.
func (e Adopted) Statement(instance string) []byte {
	return statement("adopt", instance, "ref", e.Ref.String(), "id", e.ID, "who", e.Who, "reason", e.Reason)
}

// statement has a line for each field, whose value is a JSON string, so that no value makes a line.
func statement(act, instance string, fields ...string) []byte {
	var b strings.Builder
	b.WriteString("ovi statement 1\n")
	for pair := range slices.Chunk(append([]string{"act", act, "log", instance}, fields...), 2) {
		value, _ := json.Marshal(pair[1])
		b.WriteString(pair[0] + ": " + string(value) + "\n")
	}
	return []byte(b.String())
}
