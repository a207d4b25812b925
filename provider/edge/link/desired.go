package link

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Desired is everything that one node is to run, as its orchestrator last told it. It is always complete: what
// is not in it is not to run.
type Desired struct {
	Node string `json:"node"` // SITE/NODE
	// Epoch is the authority of the site: generations of one are in order, those of two are not.
	Epoch       string       `json:"epoch"`
	Generation  uint64       `json:"generation"` // grows with each change
	Commit      string       `json:"commit,omitempty"`
	Deployments []Deployment `json:"deployments"` // sorted by name
}

// Deployment is one deployment that a node is to run.
type Deployment struct {
	Name     string `json:"name"`
	Instance string `json:"instance"` // the key of the request that installed it
	Marks    Marks  `json:"marks"`
	Spec     Spec   `json:"spec"`
	Stopped  bool   `json:"stopped,omitempty"` // it is not to run
	// After are the deployments of the node that it depends on: a node that starts starts them first.
	After []string `json:"after,omitempty"`
}

// Find returns a deployment by its name.
func (d *Desired) Find(name string) (Deployment, bool) {
	i := slices.IndexFunc(d.Deployments, func(x Deployment) bool { return x.Name == name })
	if i < 0 {
		return Deployment{}, false
	}
	return d.Deployments[i], true
}

// Held says which desired state a node has, without the state itself.
type Held struct {
	Epoch      string `json:"epoch"`
	Generation uint64 `json:"generation"`
	Digest     string `json:"digest"`
}

// Signed is a desired state as its orchestrator signed it, byte by byte.
type Signed struct {
	Body      json.RawMessage `json:"body"`
	Signature []byte          `json:"signature,omitempty"`
}

// Sign signs a desired state. A nil signer, in tests of one process, signs nothing.
func Sign(d *Desired, sign func([]byte) ([]byte, error)) (Signed, error) {
	body, err := json.Marshal(d)
	if err != nil || sign == nil {
		return Signed{Body: body}, err
	}
	signature, err := sign(body)
	return Signed{body, signature}, err
}

// Open verifies a signed desired state, with a nil verifier not at all, and reads it.
func (s *Signed) Open(verify func(body, signature []byte) error) (Desired, Held, error) {
	var d Desired
	if verify != nil {
		if err := verify(s.Body, s.Signature); err != nil {
			return d, Held{}, fmt.Errorf("the signature of the desired state: %w", err)
		}
	}
	if err := json.Unmarshal(s.Body, &d); err != nil {
		return d, Held{}, fmt.Errorf("the desired state cannot be read: %w", err)
	}
	sum := sha256.Sum256(s.Body)
	return d, Held{d.Epoch, d.Generation, hex.EncodeToString(sum[:])}, nil
}

// ErrRefused is a desired state, or a request, that a node does not accept.
var ErrRefused = errors.New("refused")

// Follows returns why a desired state may not replace another one: within an epoch its generation must be
// greater, or all of it the same.
func (h Held) Follows(old Held) error {
	switch {
	case h.Epoch != old.Epoch || h.Generation > old.Generation || h == old:
		return nil
	case h.Generation < old.Generation:
		return fmt.Errorf("%w: generation %d is older than %d, which the node holds", ErrRefused, h.Generation,
			old.Generation)
	}
	return fmt.Errorf("%w: generation %d is not the one of that number that the node holds", ErrRefused, h.Generation)
}
