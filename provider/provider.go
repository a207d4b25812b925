// Package provider declares what a provider must implement: four required methods, and optional
// interfaces for marks, checks, swaps and secrets. It imports neither the engine nor the ledger.
// Package providertest is the conformance suite.
package provider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Provider acts on one system: a cloud, a container host, a fleet. All methods may be called
// from many goroutines and return soon after their context ends.
type Provider interface {
	// Kinds lists the schemas, without I/O: the same at each call, which the caller does not change. Plans and actions
	// look up a schema for each resource.
	Kinds() []resource.Kind
	// Observe reads the resources of a scope, sorted by ref, with their natural names and the evidence of
	// who created them; the caller determines their ownership. If a list of a kind, or one page of it,
	// failed or was denied, the kind is in the snapshot's Unreachable. An error means that the scope could
	// not be read at all. An offline.Error means that the scope sends reports, and sent none for
	// too long. Deleted resources that the system still lists are omitted. The result of every finished
	// Create and Update is included. The caller owns the slice of resources and changes it.
	Observe(ctx context.Context, r ObserveRequest) (resource.Snapshot, error)
	// Create creates the resource and writes its marks in the same call, where its kind can
	// carry marks. The same Key twice creates one resource. Create returns when the resource is
	// usable by its dependents, or stopped if Desired.State is "stopped", or Pending if the kind is
	// Async.
	Create(ctx context.Context, r Request) (resource.Observed, error)
	// Update makes exactly the given Changes to Have; repeating it is harmless. It may restart the resource
	// only if a change's Effect is Restart. ErrReplace means that the resource must be replaced. Changes
	// never include marks; see Marker. One of them may be OnState: the resource is started (even again, if
	// it is failing) or stopped. If the kind Renames, one may be OnName.
	Update(ctx context.Context, r Request) (resource.Observed, error)
	// Delete deletes Have and returns when it is gone. If it does not exist, that is success. If the kind
	// is Async, ErrAccepted means that the system has the request and continues on its own: until Have is
	// gone it is observed as Pending, and then missing; or Failing, if it could not be deleted. Delete does
	// not remove protection.
	Delete(ctx context.Context, r Request) error
}

// ObserveRequest is the part of a scope to read.
type ObserveRequest struct {
	Scope resource.Scope
	// Kinds are the kinds to read; nil means all. The snapshot's Complete names the kinds that were read in
	// full.
	Kinds []string
	// Known are resources to read by ID, because a list may not show them yet, or shows less of an adopted
	// resource than of a created one. A known resource that exists must be in the snapshot, in full.
	Known []Known
	// Filter, if set, permits to omit what is surely unmanaged. A provider may ignore it.
	Filter *Filter
	// Patience is the longest time to wait for one kind; 0 means until the context ends. A kind that
	// takes longer is in the snapshot's Unreachable with a *StillReadingError. See ReadKinds.
	Patience time.Duration
	// Late, if set, receives the kinds that took longer. If it is nil, their reads are canceled.
	Late *Late
}

// Filter names the resources that must be listed of a kind that a provider does not list in full: all
// resources with any mark of ovi, and these IDs, with or without marks. The snapshot's Filtered names such
// kinds. Only a kind whose natural names are IDs may be one of them: any other name may be a configured
// one.
type Filter struct {
	IDs map[string][]string // by kind: what the audit log binds, or bound
	// Full are kinds that must be listed in full all the same, because the configuration searches them.
	Full []string
}

// Omits reports whether resources of a kind that are surely unmanaged may be omitted. A nil Filter omits nothing.
func (f *Filter) Omits(kind string) bool { return f != nil && !slices.Contains(f.Full, kind) }

// Known is a resource of the scope that the audit log binds.
type Known struct{ Kind, ID string }

// Request is one action on one resource. References in Desired and Changes are replaced by their
// values.
type Request struct {
	Key     string // idempotency key, created when the action starts and kept for its retries
	MarkKey string // of Mark: the recorded key of the resource's creation
	Token   int64  // of the claim; a provider checks it if it can
	Owner   string
	Desired resource.Desired  // of Delete: its Attrs alone, as configured or else last applied
	Have    resource.Observed // zero for Create
	// for Create and Switch of a swap: the old resource, set aside; Create then does not start the new one
	Beside *resource.Observed
	// Replaces is the old resource, for a Create after its deletion and for the check before both. The new resource may
	// use parts that the old one left behind.
	Replaces *resource.Observed
	Changes  []resource.Change // for Update
	// Vacated lists the things that other resources give up before this action takes them. A check does not
	// refuse the request because one of these resources has its thing still.
	Vacated []Vacated
	// Progress, if set, is called during long calls. Progress is shown, not recorded.
	Progress func(Progress)
}

// Vacated is a thing that a resource gives up for another.
type Vacated struct {
	Hold resource.Hold
	ID   string // of the resource that has it still
}

// Gives reports whether the resource with this ID gives something up for the request.
func (r *Request) Gives(id string) bool {
	return slices.ContainsFunc(r.Vacated, func(v Vacated) bool { return v.ID == id })
}

// Frees reports whether a thing of this sort and name is given up for the request.
func (r *Request) Frees(what, name string) bool {
	return slices.ContainsFunc(r.Vacated, func(v Vacated) bool { return v.Hold.What == what && v.Hold.Name == name })
}

// Progress is the progress of a call.
type Progress struct {
	Text        string // "pulling layer 3 of 7"
	Done, Total int64  // 0 means unknown
}

// Marker is a provider that can write marks on an existing resource: to adopt it, to
// restore lost marks, to move it to another name. It is called for kinds whose Carrier is
// Anytime.
type Marker interface {
	// Mark writes all marks on Have (Desired.Ref, Owner, MarkKey, Desired.Blessed) and
	// changes nothing else. Repeating it is harmless.
	Mark(ctx context.Context, r Request) (resource.Observed, error)
}

// Checker is a provider that can check a request before it is made.
type Checker interface {
	// Check returns an error if the system can tell, without a change, that the requested create or update
	// would fail. It writes nothing. A reference to a resource that does not exist yet is still a Reference
	// in Desired.
	Check(ctx context.Context, r Request) error
}

// Readier is a provider that can tell whether resources which are observed as healthy are in service yet.
type Readier interface {
	// Ready returns the given resources, which are of one scope and kind. If a Healthy one is not in
	// service, Ready sets its Health to Pending and its Message to the awaited condition; or to Failing,
	// and the reason. It is called repeatedly while others of a count wait for one. It writes nothing, and
	// may change the slice.
	Ready(ctx context.Context, all []resource.Observed) ([]resource.Observed, error)
}

// Swapper is a provider whose resources can be set aside under another name and switched. Each
// call may be repeated.
type Swapper interface {
	// SetAside renames Have, so that Desired can use its name, and Observe reports the other name
	// from then on. It stops nothing.
	SetAside(ctx context.Context, r Request) (resource.Observed, error)
	// Switch stops Beside and starts Have. With the strategy start-first (in Desired.Replace) it
	// starts Have and stops Beside only once Have is healthy; if it is not yet, Beside still runs
	// until it is deleted.
	Switch(ctx context.Context, r Request) (resource.Observed, error)
	// Restore renames Have, which was set aside, to its own name and starts it.
	Restore(ctx context.Context, r Request) (resource.Observed, error)
}

// Revealer is a provider that returns secret values of its resources, inside the call that
// needs them.
type Revealer interface {
	// Reveal returns the value at a path of have that is secret by its schema.
	Reveal(ctx context.Context, have resource.Observed, path string) (resource.Secret, error)
}

// Locator is a provider that resolves the locations of a configuration: aws resolves "us-east-1"
// to "123456789012/us-east-1". A resolved location resolves to itself.
type Locator interface {
	// Locate does I/O at most once for each location in a process. ErrElsewhere means that the
	// location is not one of this account or sandbox (a sandbox location with a real account).
	Locate(ctx context.Context, location string) (string, error)
}

// Describer is a provider whose locations are not accounts, or not always accounts of the vendor.
type Describer interface {
	// Describe names a resolved location in a few words, for the head line of a plan: "host
	// local". It does no I/O. "" is the account that the location starts with.
	Describe(location string) string
}

// Caller is a provider that knows as whom its system takes the calls of ovi.
type Caller interface {
	// Caller is that name, such as an ARN; "" before the first call that tells it. It does no I/O.
	Caller() string
}

// Errors that every provider shares. A provider wraps them (%w) around its own text.
var (
	// ErrReplace: Update cannot make the change in place. The action fails, and the next plan of
	// the same configuration proposes to replace the resource, so that every policy sees it.
	ErrReplace = errors.New("must be replaced")
	// ErrAccepted is the error of a Delete that the system continues on its own; see Delete.
	ErrAccepted = errors.New("accepted, and not done yet")
	// ErrElsewhere: see Locator.
	ErrElsewhere = errors.New("belongs to another account or sandbox")
)

// Error is a provider's error with its cause.
type Error struct {
	Cause  Cause
	Absent bool   // what the call names does not exist
	Op     string // "ec2.RunInstances"
	Code   string // the system's own code
	Err    error
	Hint   string // what to do next
	Quotes bool   // the hint has a name that the system chose
	Row    Row    // of the provider's table that has the cause; zero if none has
}

func (e *Error) Error() string {
	s := e.Err.Error()
	if e.Op != "" {
		s = e.Op + ": " + s
	}
	if e.Hint != "" {
		s, _ = Parted(s) // of an error underneath: the outer one knows more
		s += hinted + e.Hint
	}
	return s
}

// hinted is the separator by which screens find a suggestion.
const hinted = "; Suggestion: "

// Parted parts the text of an Error, or one that contains it, from the suggestion.
func Parted(text string) (message, suggestion string) {
	message, suggestion, _ = strings.Cut(text, hinted)
	return message, suggestion
}

// Suggestion returns the next step.
func (e *Error) Suggestion() string { return e.Hint }

func (e *Error) Unwrap() error { return e.Err }

// NotHealthy is the Code of an error about a resource that was made as configured, and does not run so.
const NotHealthy = "NotHealthy"
