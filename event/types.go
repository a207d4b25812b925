package event

import (
	"github.com/ovi-project/ovi/resource"
)

// Names of the events in the log.
const (
	TypeLoaded       = "loaded"
	TypeObserved     = "observed"
	TypePlanned      = "planned"
	TypeBlocked      = "vetoed"
	TypeApproved     = "approved"
	TypeStarted      = "began"
	TypeFinished     = "ended"
	TypeRecovered    = "abandoned"
	TypeNotStarted   = "not_begun"
	TypeBlessed      = "blessed"
	TypeAdopted      = "adopted"
	TypeRevoked      = "revoked"
	TypeLost         = "lost"
	TypeMoved        = "moved"
	TypeDismissed    = "dismissed"
	TypeDisowned     = "disowned"
	TypeRefused      = "refused"
	TypeCompacted    = "compacted"
	TypeBaseline     = "carried"
	TypeAcknowledged = "acknowledged"
)

// Types lists the names of all events, sorted as they come up in a cycle.
func Types() []string {
	return []string{
		TypeLoaded, TypeObserved, TypePlanned, TypeBlocked, TypeApproved, TypeStarted, TypeFinished, TypeRecovered,
		TypeNotStarted, TypeBlessed, TypeAdopted, TypeDisowned, TypeDismissed, TypeMoved, TypeLost, TypeRevoked, TypeRefused, TypeCompacted, TypeBaseline, TypeAcknowledged,
	}
}

//revive:disable:exported the methods of the sum type say what their names do

// The names of the events.
func (Loaded) Type() string       { return TypeLoaded }
func (Observed) Type() string     { return TypeObserved }
func (Planned) Type() string      { return TypePlanned }
func (Blocked) Type() string      { return TypeBlocked }
func (Approved) Type() string     { return TypeApproved }
func (Started) Type() string      { return TypeStarted }
func (Finished) Type() string     { return TypeFinished }
func (Recovered) Type() string    { return TypeRecovered }
func (NotStarted) Type() string   { return TypeNotStarted }
func (Blessed) Type() string      { return TypeBlessed }
func (Adopted) Type() string      { return TypeAdopted }
func (Revoked) Type() string      { return TypeRevoked }
func (Lost) Type() string         { return TypeLost }
func (Moved) Type() string        { return TypeMoved }
func (Dismissed) Type() string    { return TypeDismissed }
func (Disowned) Type() string     { return TypeDisowned }
func (Refused) Type() string      { return TypeRefused }
func (Compacted) Type() string    { return TypeCompacted }
func (Baseline) Type() string     { return TypeBaseline }
func (Acknowledged) Type() string { return TypeAcknowledged }

// What the events are about.
func (Loaded) About() resource.Ref         { return resource.Ref{} }
func (Observed) About() resource.Ref       { return resource.Ref{} }
func (Planned) About() resource.Ref        { return resource.Ref{} }
func (e Blocked) About() resource.Ref      { return e.Ref }
func (Approved) About() resource.Ref       { return resource.Ref{} }
func (e Started) About() resource.Ref      { return e.Ref }
func (e Finished) About() resource.Ref     { return e.Ref }
func (e Recovered) About() resource.Ref    { return e.Ref }
func (e NotStarted) About() resource.Ref   { return e.Ref }
func (e Blessed) About() resource.Ref      { return e.Ref }
func (e Adopted) About() resource.Ref      { return e.Ref }
func (e Revoked) About() resource.Ref      { return e.Ref }
func (e Lost) About() resource.Ref         { return e.Ref }
func (e Moved) About() resource.Ref        { return e.Ref }
func (e Dismissed) About() resource.Ref    { return e.Ref }
func (e Disowned) About() resource.Ref     { return e.Ref }
func (e Refused) About() resource.Ref      { return e.Ref }
func (Compacted) About() resource.Ref      { return resource.Ref{} }
func (Baseline) About() resource.Ref       { return resource.Ref{} }
func (e Acknowledged) About() resource.Ref { return e.Ref }
