// Package provider says what a provider must promise: four verbs, four contracts. It knows
// neither the engine nor the record. providertest holds the conformance suite.
package provider

import (
	"context"
	"errors"

	"github.com/ovi-project/ovi/resource"
)

// Provider acts on one system: a cloud, a container host, a fleet. All methods may be called
// from many goroutines and return soon after their context ends.
type Provider interface {
	// Kinds lists the schemas, without I/O.
	Kinds() []resource.Kind
	// Observe reads everything of the provider's kinds in a scope, sorted by ref: all of it,
	// or an error. A failed page of a list is a failed observation. Things that are gone but
	// still listed are left out. What a just finished Create or Update made is in it.
	Observe(ctx context.Context, s resource.Scope) (resource.Snapshot, error)
	// Create makes the thing with ovi's marks on it from the first moment. The same Key
	// twice makes one thing. It returns when the thing is usable by what needs it.
	Create(ctx context.Context, r Request) (resource.Observed, error)
	// Update brings Have to Want by the given Changes alone; done twice it does no harm. It
	// may interrupt the thing only if a change's Effect is Restart. ErrReplace says that the
	// thing must be made anew. Two paths are not attributes: "blessed" (To a Bool) puts the
	// protecting mark on or takes it off, and "ovi:managed" puts ovi's marks (of Want.Ref,
	// Stack and Owner) on a thing that has none, which is how a thing is adopted.
	Update(ctx context.Context, r Request) (resource.Observed, error)
	// Delete takes Have away and returns when it is gone. Absent is success. It takes no
	// protection off by itself.
	Delete(ctx context.Context, r Request) error
}

// Request is one action on one thing. References in Want and Changes are already ids.
type Request struct {
	Key     string // idempotency key, minted when the action began, kept for its retries
	Token   int64  // of the claim; providers that can check it do
	Stack   string
	Owner   string
	Desired resource.Desired  // zero for Delete
	Have    resource.Observed // zero for Create
	Changes []resource.Change // for Update
}

// Locator is a provider that tells the places people write from the places that are: aws
// turns "us-east-1" into "123456789012/us-east-1". A located place stays as it is.
type Locator interface {
	// Locate does I/O at most once a process for each place. ErrElsewhere: the place can't
	// be reached with what the provider was given, and is not meant to be (the sandbox seen
	// from a real account).
	Locate(ctx context.Context, location string) (string, error)
}

// Errors that every provider shares. A provider wraps them (%w) around its own text.
var (
	// ErrReplace: Update can't do it; the thing must be replaced. The action counts as failed;
	// the next plan of the same wish proposes to replace the thing, and every policy sees that.
	ErrReplace = errors.New("must be replaced")
	// ErrElsewhere: see Locator.
	ErrElsewhere = errors.New("belongs to another world than the one at hand")
)

// Class tells what an error means for what to do next.
type Class int

// The classes. The zero Class is an error nobody classified: it is treated as permanent.
const (
	Unclassified Class = iota
	Transient          // try again: a network fault, a 5xx, a wait that ran out
	Throttled          // try again later
	Permanent          // the same wish will fail again
	NotFound
	Denied    // credentials do not allow it
	Conflict  // it exists already, or something stands in the way
	Uncertain // the call may have worked: only observing can tell
)

// String names a class in the record.
func (c Class) String() string {
	switch c {
	case Transient:
		return "transient"
	case Throttled:
		return "throttled"
	case Permanent:
		return "permanent"
	case NotFound:
		return "not_found"
	case Denied:
		return "denied"
	case Conflict:
		return "conflict"
	case Uncertain:
		return "uncertain"
	default:
		return "unclassified"
	}
}

// Error is a provider's error with its class.
type Error struct {
	Class Class
	Op    string // "ec2.RunInstances"
	Code  string // the system's own code
	Err   error
	Hint  string // what to do next
}

func (e *Error) Error() string {
	s := e.Err.Error()
	if e.Op != "" {
		s = e.Op + ": " + s
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// ClassOf finds the class of an error; Unclassified if it has none.
func ClassOf(err error) Class {
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return Unclassified
}

// Recoverable says that the same action may succeed if it is tried again unchanged.
func Recoverable(err error) bool {
	switch ClassOf(err) {
	case Transient, Throttled, Uncertain:
		return true
	default:
		return false
	}
}
