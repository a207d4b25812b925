package api

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// TagDeleting marks what ovi itself has scheduled for deletion. AWS keeps keys and secrets for days after that: what
// ovi scheduled is gone to it, and what another hand scheduled differs from its configuration, so that a plan shows it
// and an apply cancels it.
const TagDeleting = "ovi:deleting"

// GoneToOvi is a resource that ovi has scheduled for deletion.
func GoneToOvi(tags map[string]string, at *time.Time) bool {
	return at != nil && tags[TagDeleting] != ""
}

// DeletionSet marks a resource as waiting for the deletion that AWS has scheduled.
func DeletionSet(o *resource.Observed, health resource.Health, at *time.Time) {
	if at != nil {
		o.Health, o.Message = health, "is scheduled for deletion on "+at.UTC().Format(time.DateOnly)+"; an apply cancels that"
	}
}

// Scheduled returns the error for a resource whose deletion AWS has scheduled. It is Absent: to ovi the resource does
// not exist.
func Scheduled(op, id string, at *time.Time) error {
	return &provider.Error{
		Cause: provider.Configuration, Absent: true, Op: op,
		Err: fmt.Errorf("%s is deleted on %s", id, at.UTC().Format(time.DateOnly)),
	}
}

// Starts reports that a request makes a resource run.
func Starts(r provider.Request) bool { return stateTo(r) == resource.StateRunning }

// Stops reports whether a request stops its resource.
func Stops(r provider.Request) bool { return stateTo(r) == resource.StateStopped }

// stateTo returns the state that a request changes its resource to; "" if it changes none.
func stateTo(r provider.Request) resource.State {
	for _, c := range r.Changes {
		if s, ok := c.To.(resource.String); ok && c.On == resource.OnState {
			return resource.State(s)
		}
	}
	return ""
}

// WantsStopped is the state that the changes of a request lead to, or else the present one.
func WantsStopped(r provider.Request, now bool) bool {
	for _, c := range r.Changes {
		if c.On == resource.OnState {
			return c.To == resource.String(resource.StateStopped)
		}
	}
	return now
}
