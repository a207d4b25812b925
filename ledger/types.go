package ledger

import (
	"github.com/ovi-project/ovi/resource"
)

// Names of the events in the log.
const (
	TypeLoaded       = "loaded"
	TypeObserved     = "observed"
	TypePlanned      = "planned"
	TypeVetoed       = "vetoed"
	TypeApproved     = "approved"
	TypeBegan        = "began"
	TypeEnded        = "ended"
	TypeAbandoned    = "abandoned"
	TypeNotBegun     = "not_begun"
	TypeBlessed      = "blessed"
	TypeAdopted      = "adopted"
	TypeRevoked      = "revoked"
	TypeRefused      = "refused"
	TypeCompacted    = "compacted"
	TypeCarried      = "carried"
	TypeAcknowledged = "acknowledged"
)

// Types lists the names of all events, sorted as they come up in a cycle.
func Types() []string {
	return []string{
		TypeLoaded, TypeObserved, TypePlanned, TypeVetoed, TypeApproved, TypeBegan, TypeEnded, TypeAbandoned,
		TypeNotBegun, TypeBlessed, TypeAdopted, TypeRevoked, TypeRefused, TypeCompacted, TypeCarried, TypeAcknowledged,
	}
}

//revive:disable:exported the methods of the sum type say what their names do

// The names of the events.
func (Loaded) Type() string       { return TypeLoaded }
func (Observed) Type() string     { return TypeObserved }
func (Planned) Type() string      { return TypePlanned }
func (Vetoed) Type() string       { return TypeVetoed }
func (Approved) Type() string     { return TypeApproved }
func (Began) Type() string        { return TypeBegan }
func (Ended) Type() string        { return TypeEnded }
func (Abandoned) Type() string    { return TypeAbandoned }
func (NotBegun) Type() string     { return TypeNotBegun }
func (Blessed) Type() string      { return TypeBlessed }
func (Adopted) Type() string      { return TypeAdopted }
func (Revoked) Type() string      { return TypeRevoked }
func (Refused) Type() string      { return TypeRefused }
func (Compacted) Type() string    { return TypeCompacted }
func (Carried) Type() string      { return TypeCarried }
func (Acknowledged) Type() string { return TypeAcknowledged }

// What the events are about.
func (Loaded) About() resource.Ref         { return resource.Ref{} }
func (Observed) About() resource.Ref       { return resource.Ref{} }
func (Planned) About() resource.Ref        { return resource.Ref{} }
func (e Vetoed) About() resource.Ref       { return e.Ref }
func (Approved) About() resource.Ref       { return resource.Ref{} }
func (e Began) About() resource.Ref        { return e.Ref }
func (e Ended) About() resource.Ref        { return e.Ref }
func (e Abandoned) About() resource.Ref    { return e.Ref }
func (e NotBegun) About() resource.Ref     { return e.Ref }
func (e Blessed) About() resource.Ref      { return e.Ref }
func (e Adopted) About() resource.Ref      { return e.Ref }
func (e Revoked) About() resource.Ref      { return e.Ref }
func (e Refused) About() resource.Ref      { return e.Ref }
func (Compacted) About() resource.Ref      { return resource.Ref{} }
func (Carried) About() resource.Ref        { return resource.Ref{} }
func (e Acknowledged) About() resource.Ref { return e.Ref }
