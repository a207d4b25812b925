package engine

import (
	"io"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Planned is a plan with everything needed to show, save and apply it. It is not changed
// once made.
type Planned struct {
	ID       string // ULID
	Mode     ledger.Mode
	At       time.Time
	Revision storage.Revision // of the record, when the plan was made
	Hash     string           // of the decisions
	Stacks   []string
	Intents  []resource.Intent // of a loaded plan: none until Refresh
	Plan     decider.Plan
	Looks    []Look             // the scopes it rests on, sorted
	Settled  []ledger.Abandoned // open actions that this plan's look answered
	Counts   ledger.Counts
}

// Save writes the plan as a plan file: versioned JSON, secrets as digests.
func (p *Planned) Save(w io.Writer) error { return errUnfinished }

// Load reads a plan file. What it gives can be shown; Refresh makes it ready to apply.
func Load(r io.Reader) (*Planned, error) { return nil, errUnfinished }
