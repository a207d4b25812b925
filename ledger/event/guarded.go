package event

import (
	"fmt"
	"time"
)

// Guarded is an act that may lower a protection. Once a roster has keys of people, it counts only with the
// signature of one of them.
type Guarded interface {
	Event
	// Statement is the text that the person signs, recorded by an instance.
	Statement(instance string) []byte
	// Person is who acted, and the signature.
	Person() (who string, by *SignedBy)
}

// Person implements Guarded.
func (e Blessed) Person() (string, *SignedBy) { return e.Who, e.SignedBy }

// Person implements Guarded.
func (e Adopted) Person() (string, *SignedBy) { return e.Who, e.SignedBy }

// Person implements Guarded.
func (e PolicyRequired) Person() (string, *SignedBy) { return e.Who, e.SignedBy }

// Person implements Guarded.
func (e Trusted) Person() (string, *SignedBy) { return e.Who, e.SignedBy }

// Person implements Guarded.
func (e TrustRequired) Person() (string, *SignedBy) { return e.Who, e.SignedBy }

// Person implements Guarded.
func (e Disowned) Person() (string, *SignedBy) { return e.Who, e.SignedBy }

// Person implements Guarded.
func (e Baseline) Person() (string, *SignedBy) { return e.Who, e.SignedBy }

// As is the act of a person.
func (e PolicyRequired) As(who string, by *SignedBy) PolicyRequired {
	e.Who, e.SignedBy = who, by
	return e
}

// As is the act of a person.
func (e Trusted) As(who string, by *SignedBy) Trusted {
	e.Who, e.SignedBy = who, by
	return e
}

// As is the act of a person.
func (e TrustRequired) As(who string, by *SignedBy) TrustRequired {
	e.Who, e.SignedBy = who, by
	return e
}

// As is the act of a person.
func (e Disowned) As(who string, by *SignedBy) Disowned {
	e.Who, e.SignedBy = who, by
	return e
}

// As is the act of a person.
func (e Baseline) As(who string, by *SignedBy) Baseline {
	e.Who, e.SignedBy = who, by
	return e
}

// Statement is the text that a person signs to require a policy or to turn it off, recorded by an instance.
func (e PolicyRequired) Statement(instance string) []byte {
	act := "turn off a required policy"
	if e.On {
		act = "require a policy"
	}
	return statement(act, instance, "name", e.Name, "digest", e.Digest, "at", stamp(e.SignedAt), "who", e.Who,
		"reason", e.Reason)
}

// Statement is the text that a person signs to trust a key or no longer to, recorded by an instance.
func (e Trusted) Statement(instance string) []byte {
	act := "revoke a key"
	if e.On {
		act = "trust a key"
	}
	return statement(act, instance, "key", e.Key, "number", fmt.Sprint(e.Number), "at", stamp(e.SignedAt),
		"who", e.Who, "reason", e.Reason)
}

// Statement is the text that a person signs to end or allow pins, recorded by an instance.
func (e TrustRequired) Statement(instance string) []byte {
	act := "pin later keys"
	if e.On {
		act = "require trust of later keys"
	}
	return statement(act, instance, "number", fmt.Sprint(e.Number), "at", stamp(e.SignedAt), "who", e.Who,
		"reason", e.Reason)
}

// Statement is the text that a person signs to forget a resource, recorded by an instance.
func (e Disowned) Statement(instance string) []byte {
	return statement("forget", instance, "ref", e.Ref.String(), "id", e.ID, "at", stamp(e.SignedAt), "who", e.Who,
		"reason", e.Reason)
}

// Statement is the text that a person signs to trim the log of an instance.
func (e Baseline) Statement(instance string) []byte {
	return statement("trim the log", instance, "before", fmt.Sprint(e.Before), "who", e.Who)
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }
