package event

import (
	"errors"
	"slices"
	"time"
)

// RecoveryWait is for how long a recovery of the roster must stand before its key counts: time for whoever has a key
// of the roster to notice the alert, and to cancel it.
const RecoveryWait = 72 * time.Hour

// RecoveryAsked records that a user asked to put a key on a roster whose keys are lost or, with On false, that a person
// on the roster canceled that. It changes no roster: see RosterChanged.Recovers.
type RecoveryAsked struct {
	Signer
	On        bool       `json:"on"`
	Before    []Signer   `json:"before"` // the roster, sorted
	Who       string     `json:"who"`
	Reason    string     `json:"reason,omitempty"`
	SignedBy  *SignedBy  `json:"signed_by,omitzero"` // the signature of Who that cancels it
	Signature *Signature `json:"signature,omitzero"`
}

// RecoverySeen records that this instance found a recovery in a shared store that another instance recorded, or, with
// On false, that it no longer stands. An instance counts a recovery RecoveryWait after it found it.
type RecoverySeen struct {
	Instance string `json:"instance"` // that recorded it
	Digest   string `json:"digest"`   // of the record of the recovery: SHA-256, in hex
	On       bool   `json:"on"`
}

// Errors of recoveries.
var (
	ErrNoRecovery  = errors.New("no recovery of that key stands for long enough")
	ErrEmptyRoster = errors.New("the roster has no key, so that the first one needs no recovery")
)

// Unsigned separates the event from its signature.
func (e RecoveryAsked) Unsigned() (RecoveryAsked, *Signature) {
	s := e.Signature
	e.Signature = nil
	return e, s
}

// Statement is the text that a person signs to cancel a recovery, recorded by an instance.
func (e RecoveryAsked) Statement(instance string) []byte {
	return statement("cancel the recovery of the roster", instance, "name", e.Name, "key", string(e.Key),
		"roster before", rosterDigest(e.Before), "who", e.Who, "reason", e.Reason)
}

// Check checks that the event, as an instance recorded it, is one that the roster before it allows.
func (e RecoveryAsked) Check(instance string) error {
	switch {
	case len(e.Before) == 0:
		return ErrEmptyRoster
	case slices.ContainsFunc(e.Before, func(s Signer) bool { return s.Key == e.Key }):
		return ErrOnRoster
	case e.On:
		return nil
	}
	_, err := Verify(e.Statement(instance), e.SignedBy)
	if err == nil && !e.CanceledBy(e.Before, instance) {
		err = ErrNotOnRoster
	}
	return err
}

// CanceledBy reports whether one of some people canceled the recovery, as an instance recorded that.
func (e RecoveryAsked) CanceledBy(people []Signer, instance string) bool {
	by, err := Verify(e.Statement(instance), e.SignedBy)
	return !e.On && err == nil && slices.Contains(people, Signer{e.Who, by})
}
