package event

import (
	"github.com/ovi-project/ovi/resource"
)

// Names of the events in the log.
const (
	TypeLoaded          = "loaded"
	TypeLed             = "led"
	TypeSourceAccepted  = "source_accepted"
	TypePhaseFailed     = "phase_failed"
	TypeObserved        = "observed"
	TypePlanned         = "planned"
	TypeLookedUp        = "looked_up"
	TypeOutputsChanged  = "outputs_changed"
	TypePlanSaved       = "plan_saved"
	TypePolicyRequired  = "policy_required"
	TypeRosterChanged   = "roster_changed"
	TypeRecoveryAsked   = "recovery_asked"
	TypeRecoverySeen    = "recovery_seen"
	TypeBlocked         = "blocked"
	TypeApproved        = "approved"
	TypeStarted         = "started"
	TypeFinished        = "finished"
	TypeRecovered       = "recovered"
	TypeNotStarted      = "not_started"
	TypeYielded         = "yielded"
	TypeOutageEnded     = "outage_ended"
	TypeReplaceStarted  = "replace_started"
	TypeReplaceReverted = "replace_reverted"
	TypeReplaceFinished = "replace_finished"
	TypeLastGood        = "last_good"
	TypeExhausted       = "exhausted"
	TypeRetried         = "retried"
	TypeWave            = "wave"
	TypeOrdered         = "ordered"
	TypeAlarmed         = "alarmed"
	TypeBlessed         = "blessed"
	TypeAdopted         = "adopted"
	TypeDisowned        = "disowned"
	TypeDismissed       = "dismissed"
	TypeMoved           = "moved"
	TypeLost            = "lost"
	TypeAcknowledged    = "acknowledged"
	TypeKeyPinned       = "key_pinned"
	TypeTrusted         = "trusted"
	TypeTrustRequired   = "trust_required"
	TypeCertified       = "certified"
	TypeActsCertified   = "acts_certified"
	TypeCosigned        = "cosigned"
	TypeRevoked         = "revoked"
	TypeRefused         = "refused"
	TypeCompacted       = "compacted"
	TypeBaseline        = "baseline"
	TypeErrorShown      = "error_shown"
)

// Types lists the names of all events, in the order of a cycle, then what operators do.
func Types() []string {
	return []string{
		TypeLoaded, TypeLed, TypeSourceAccepted, TypePhaseFailed, TypeObserved, TypePlanned, TypeLookedUp, TypePlanSaved,
		TypeBlocked, TypeOutputsChanged,
		TypeApproved, TypeStarted, TypeFinished, TypeRecovered, TypeNotStarted, TypeYielded,
		TypeOutageEnded, TypeReplaceStarted,
		TypeReplaceReverted,
		TypeReplaceFinished,
		TypeLastGood,
		TypeExhausted, TypeRetried, TypeWave, TypeOrdered, TypeAlarmed, TypeBlessed, TypeAdopted, TypeDisowned, TypeDismissed,
		TypeMoved, TypeLost,
		TypeAcknowledged, TypePolicyRequired, TypeRosterChanged,
		TypeRecoveryAsked, TypeRecoverySeen, TypeKeyPinned, TypeTrusted,
		TypeTrustRequired, TypeCertified,
		TypeActsCertified, TypeCosigned,
		TypeRevoked, TypeErrorShown, TypeRefused, TypeCompacted, TypeBaseline,
	}
}

//revive:disable:exported the methods of the sum type say what their names do

// The names of the events.
func (Loaded) Type() string          { return TypeLoaded }
func (Led) Type() string             { return TypeLed }
func (SourceAccepted) Type() string  { return TypeSourceAccepted }
func (PhaseFailed) Type() string     { return TypePhaseFailed }
func (Observed) Type() string        { return TypeObserved }
func (Planned) Type() string         { return TypePlanned }
func (LookedUp) Type() string        { return TypeLookedUp }
func (OutputsChanged) Type() string  { return TypeOutputsChanged }
func (PlanSaved) Type() string       { return TypePlanSaved }
func (PolicyRequired) Type() string  { return TypePolicyRequired }
func (RosterChanged) Type() string   { return TypeRosterChanged }
func (RecoveryAsked) Type() string   { return TypeRecoveryAsked }
func (RecoverySeen) Type() string    { return TypeRecoverySeen }
func (Blocked) Type() string         { return TypeBlocked }
func (Approved) Type() string        { return TypeApproved }
func (Started) Type() string         { return TypeStarted }
func (Finished) Type() string        { return TypeFinished }
func (Recovered) Type() string       { return TypeRecovered }
func (NotStarted) Type() string      { return TypeNotStarted }
func (Yielded) Type() string         { return TypeYielded }
func (OutageEnded) Type() string     { return TypeOutageEnded }
func (ReplaceStarted) Type() string  { return TypeReplaceStarted }
func (ReplaceReverted) Type() string { return TypeReplaceReverted }
func (ReplaceFinished) Type() string { return TypeReplaceFinished }
func (LastGood) Type() string        { return TypeLastGood }
func (Exhausted) Type() string       { return TypeExhausted }
func (Retried) Type() string         { return TypeRetried }
func (Wave) Type() string            { return TypeWave }
func (Ordered) Type() string         { return TypeOrdered }
func (Alarmed) Type() string         { return TypeAlarmed }
func (Blessed) Type() string         { return TypeBlessed }
func (Adopted) Type() string         { return TypeAdopted }
func (Disowned) Type() string        { return TypeDisowned }
func (Dismissed) Type() string       { return TypeDismissed }
func (Moved) Type() string           { return TypeMoved }
func (Lost) Type() string            { return TypeLost }
func (Acknowledged) Type() string    { return TypeAcknowledged }
func (KeyPinned) Type() string       { return TypeKeyPinned }
func (Trusted) Type() string         { return TypeTrusted }
func (TrustRequired) Type() string   { return TypeTrustRequired }
func (Certified) Type() string       { return TypeCertified }
func (ActsCertified) Type() string   { return TypeActsCertified }
func (Cosigned) Type() string        { return TypeCosigned }
func (Revoked) Type() string         { return TypeRevoked }
func (Refused) Type() string         { return TypeRefused }
func (Compacted) Type() string       { return TypeCompacted }
func (Baseline) Type() string        { return TypeBaseline }
func (ErrorShown) Type() string      { return TypeErrorShown }

// The resources that the events concern.
func (Loaded) About() resource.Ref            { return resource.Ref{} }
func (Led) About() resource.Ref               { return resource.Ref{} }
func (SourceAccepted) About() resource.Ref    { return resource.Ref{} }
func (PhaseFailed) About() resource.Ref       { return resource.Ref{} }
func (Observed) About() resource.Ref          { return resource.Ref{} }
func (Planned) About() resource.Ref           { return resource.Ref{} }
func (e LookedUp) About() resource.Ref        { return e.Ref }
func (OutputsChanged) About() resource.Ref    { return resource.Ref{} }
func (PlanSaved) About() resource.Ref         { return resource.Ref{} }
func (PolicyRequired) About() resource.Ref    { return resource.Ref{} }
func (RosterChanged) About() resource.Ref     { return resource.Ref{} }
func (RecoveryAsked) About() resource.Ref     { return resource.Ref{} }
func (RecoverySeen) About() resource.Ref      { return resource.Ref{} }
func (e Blocked) About() resource.Ref         { return e.Ref }
func (Approved) About() resource.Ref          { return resource.Ref{} }
func (e Started) About() resource.Ref         { return e.Ref }
func (e Finished) About() resource.Ref        { return e.Ref }
func (e Recovered) About() resource.Ref       { return e.Ref }
func (e NotStarted) About() resource.Ref      { return e.Ref }
func (Yielded) About() resource.Ref           { return resource.Ref{} }
func (e OutageEnded) About() resource.Ref     { return e.Ref }
func (e ReplaceStarted) About() resource.Ref  { return e.Ref }
func (e ReplaceReverted) About() resource.Ref { return e.Ref }
func (e ReplaceFinished) About() resource.Ref { return e.Ref }
func (e LastGood) About() resource.Ref        { return e.Ref }
func (e Exhausted) About() resource.Ref       { return e.Ref }
func (e Retried) About() resource.Ref         { return e.Ref }
func (Wave) About() resource.Ref              { return resource.Ref{} }
func (Ordered) About() resource.Ref           { return resource.Ref{} }
func (Alarmed) About() resource.Ref           { return resource.Ref{} }
func (e Blessed) About() resource.Ref         { return e.Ref }
func (e Adopted) About() resource.Ref         { return e.Ref }
func (e Disowned) About() resource.Ref        { return e.Ref }
func (e Dismissed) About() resource.Ref       { return e.Ref }
func (e Moved) About() resource.Ref           { return e.Ref }
func (e Lost) About() resource.Ref            { return e.Ref }
func (e Acknowledged) About() resource.Ref    { return e.Ref }
func (KeyPinned) About() resource.Ref         { return resource.Ref{} }
func (Trusted) About() resource.Ref           { return resource.Ref{} }
func (TrustRequired) About() resource.Ref     { return resource.Ref{} }
func (Certified) About() resource.Ref         { return resource.Ref{} }
func (ActsCertified) About() resource.Ref     { return resource.Ref{} }
func (Cosigned) About() resource.Ref          { return resource.Ref{} }
func (e Revoked) About() resource.Ref         { return e.Ref }
func (e Refused) About() resource.Ref         { return e.Ref }
func (Compacted) About() resource.Ref         { return resource.Ref{} }
func (Baseline) About() resource.Ref          { return resource.Ref{} }
func (e ErrorShown) About() resource.Ref      { return e.Ref }

// Concerns reports whether an event is about a resource: the move of one is about both of its names.
func Concerns(e Event, ref resource.Ref) bool {
	moved, ok := e.(Moved)
	return e.About() == ref || ok && moved.From == ref
}
