// Package source defines what a source of configuration must do, and resolves what any source
// read. A source turns its own syntax into Drafts; Resolve checks all of them by the schemas
// and returns one Intent a stack. Sources know schemas, not providers; they know neither the
// engine nor the audit log.
package source

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Source reads the configuration of one or more stacks. It writes nothing.
type Source interface {
	// Load reads all stacks, or returns an error: never a part. What is wrong with the
	// configuration is kept in the drafts, so that Resolve reports all of it at once. A stack
	// that alone cannot be read is a Draft with Err.
	Load(ctx context.Context) ([]*Draft, error)
}

// Watcher is a Source that can tell at little cost whether Load would read something else:
// a commit, a data version. Equal versions mean an equal configuration.
type Watcher interface {
	Version(ctx context.Context) (string, error)
}

// Reporter is a Source that shows in itself what became of its resources: status columns.
// What the configuration declares is never written.
type Reporter interface {
	// Report asks for the fact of each resource that the source declares, to be there or to be gone,
	// by a ref without stack and location, and writes those that are known. Nothing is written in part.
	Report(ctx context.Context, of func(resource.Ref) (Fact, bool)) error
}

// Fact is what is known of one resource that a source declared.
type Fact struct {
	ID       string // "" while it does not exist
	Doing    Doing
	Health   resource.Health
	Message  string // a few words on the health
	Failure  string // of the last action, or of the observation; "" means none
	Observed time.Time
	Attrs    resource.Attrs // as observed, without secrets

	Suggestion string // what to do about Failure
}

// Doing is what is being done to a resource.
type Doing uint8

// What is being done.
const (
	Nothing Doing = iota
	Creating
	Deleting
)

// Load reads a source and resolves what it read.
func Load(ctx context.Context, s Source) ([]resource.Intent, error) {
	drafts, err := s.Load(ctx)
	if err != nil {
		return nil, err
	}
	intents, problems := Resolve(drafts)
	if len(problems) > 0 {
		return nil, problems
	}
	return intents, nil
}
