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
	// Observe reads the resources of a scope, sorted by ref, with their natural names and the
	// evidence of who created them; whose they are is concluded elsewhere. A kind whose list
	// failed or was denied, if only a page of it, is in the snapshot's Unreachable; an error
	// means that nothing of the scope could be read. Resources that are gone but still listed
	// are omitted. What a finished Create or Update made is in it.
	Observe(ctx context.Context, r ObserveRequest) (resource.Snapshot, error)
	// Create creates the resource with ovi's marks on it from the first moment, where its kind
	// can carry marks. The same Key twice creates one. It returns when the resource is usable
	// by what depends on it, or Pending where the kind is Async.
	Create(ctx context.Context, r Request) (resource.Observed, error)
	// Update brings Have to Desired by the given Changes alone; done twice it does no harm. It
	// may interrupt the resource only if a change's Effect is Restart. ErrReplace says that
	// the resource must be replaced. Changes of marks are never among them: see Marker.
	Update(ctx context.Context, r Request) (resource.Observed, error)
	// Delete deletes Have and returns when it is gone. Absent is success. It removes no
	// protection by itself.
	Delete(ctx context.Context, r Request) error
}

// ObserveRequest says what to read.
type ObserveRequest struct {
	Scope resource.Scope
	// Kinds are the kinds to read; nil: all. The snapshot's Complete names those read in full.
	Kinds []string
	// Known are bindings to ask for by id, because a list may lag behind them. One that exists
	// must be in the snapshot.
	Known []resource.Binding
}

// Request is one action on one resource. References in Desired and Changes are already values.
type Request struct {
	Key     string // idempotency key, minted when the action began, kept for its retries
	MarkKey string // of Mark: the recorded key of the resource's creation
	Token   int64  // of the claim; providers that can check it do
	Stack   string
	Owner   string
	Desired resource.Desired   // of Delete: its Attrs alone, as configured or else last applied
	Have    resource.Observed  // zero for Create
	Beside  *resource.Observed // for Create and Switch of a swap: the old resource, set aside; Create then starts nothing
	Changes []resource.Change  // for Update
	// Progress, if set, is told how far a long call has come; it is shown, never recorded.
	Progress func(Progress)
}

// Progress is how far a call has come.
type Progress struct {
	Text        string // "pulling layer 3 of 7"
	Done, Total int64  // 0: not known
}

// Marker is a provider that can write ovi's marks on a resource that exists: to adopt it, to
// restore lost marks, to move it to another name. It is asked for kinds whose Carrier is
// Anytime.
type Marker interface {
	// Mark makes Have carry the marks of Desired.Ref, Stack, Owner, MarkKey and Desired.Blessed,
	// all of them, and changes nothing else. Done twice it does no harm.
	Mark(ctx context.Context, r Request) (resource.Observed, error)
}

// Checker is a provider that can find out beforehand whether a request would be refused.
type Checker interface {
	// Check returns why creating or updating as the request says would fail, as far as the
	// system tells without being changed. It writes nothing. What refers to a resource that
	// does not exist yet is still a reference in Desired.
	Check(ctx context.Context, r Request) error
}

// Swapper is a provider whose resources can be set aside under another name and switched. Each
// call may be repeated without harm.
type Swapper interface {
	// SetAside stops nothing: it gives Have another name, so that Desired can take its own.
	SetAside(ctx context.Context, r Request) (resource.Observed, error)
	// Switch stops Beside and starts Have; with the strategy start-first in the other order.
	Switch(ctx context.Context, r Request) (resource.Observed, error)
	// Restore gives Have, which was set aside, its name back and starts it.
	Restore(ctx context.Context, r Request) (resource.Observed, error)
}

// Revealer is a provider that hands out secret values of its resources, inside the call that
// needs them.
type Revealer interface {
	// Reveal returns the value at a path of have that the schema calls secret.
	Reveal(ctx context.Context, have resource.Observed, path string) (resource.Secret, error)
}

// Locator is a provider that tells the locations people write from the locations that exist:
// aws turns "us-east-1" into "123456789012/us-east-1". A located location stays as it is.
type Locator interface {
	// Locate does I/O at most once a process for each location. ErrElsewhere: the location
	// can't be reached with what the provider was given, and is not meant to be (the sandbox
	// seen from a real account).
	Locate(ctx context.Context, location string) (string, error)
}

// Errors that every provider shares. A provider wraps them (%w) around its own text.
var (
	// ErrReplace: Update can't do it; the thing must be replaced. The action counts as failed;
	// the next plan of the same wish proposes to replace the thing, and every policy sees that.
	ErrReplace = errors.New("must be replaced")
	// ErrOffline: the newest report of a location that reports by itself is too old. It is
	// shown as offline since then, and is not a failure.
	ErrOffline = errors.New("offline")
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
