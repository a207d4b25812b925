package plan

import (
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/engine/plan/follow"
	"github.com/ovi-project/ovi/engine/plan/locate"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/resource/pins"
	"github.com/ovi-project/ovi/resource/position"
)

// Planner makes plans.
type Planner struct{ locate.Locator }

// New makes a planner.
func New(p *parts.Parts) *Planner {
	return &Planner{locate.Locator{Recovery: &recovery.Recovery{Parts: p}}}
}

// Planning is a plan in the making. Its phases are ObserveLive, Remember, Decide and Finish, in this order.
type Planning struct {
	*Planned
	planner *Planner
	o       Options
	places  *locate.Places
	memory  *memory

	maxAge    time.Duration // see Options
	allKinds  bool
	filter    bool                             // unmanaged resources need not be listed, where that costs calls
	unready   map[resource.Ref]resource.Health // resources that are observed as healthy, and are not in service
	following *follow.Following                // nil if no stack asks for rollouts
	names     []nameMissing                    // names that cannot be used as configured
	opened    []recovery.OpenAction            // as of the start of the observation
	flights   []flight                         // of running applies, of this process and others
	pins      []pins.Pin                       // what the lookups found
	stackPins []outputs.Pin                    // the outputs of other stacks that the configurations read
	// formerly returns the position that a resource had when its configuration was accepted last, and formerlyErr its
	// first error.
	formerly    func(resource.Ref) position.Position
	formerlyErr error
	// unwanted returns why a resource is no longer configured, as an earlier plan says.
	unwanted func(resource.Ref) string
	accepted []event.Event // to record of the configurations
	facts    decider.Facts // of the last decision, with the policies that reviewed it
	policed  []decider.Policy
	first    []decider.Policy  // the policies on lookups and unread parts, which review first
	policies map[string]string // digests of the policies that reviewed it, see event.Planned
	// approving is, in a plan made from a saved one, the digest that approvals must be of.
	approving string
}

// newPlan returns an empty plan.
func (e *Planner) newPlan(mode event.Mode) *Planning {
	return &Planning{planner: e, Planned: &Planned{
		ID: ulid.Make().String(), Mode: mode, By: e.Ledger.User(), At: e.Now(), kinds: e.Providers.Kind,
	}}
}
