package event

import (
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/cmdline"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/resource/pins"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/wal"
)

// Mode is the purpose of a plan.
type Mode string

// The modes.
const (
	ForPlan  Mode = "plan"  // to be shown; executed only if it is saved and applied
	ForApply Mode = "apply" // to be executed
	ForDrift Mode = "drift" // only changes made outside ovi
)

// Decision is the recorded form of a decision: without the observed resource.
type Decision struct {
	Ref        resource.Ref              `json:"ref"`
	Renamed    resource.Ref              `json:"renamed_from,omitzero"`
	Difference comparator.DifferenceType `json:"difference"`
	Action     decider.Action            `json:"action"`
	Proposed   decider.Action            `json:"proposed"`
	Reason     decider.Reason            `json:"reason"`
	Message    string                    `json:"message,omitempty"`
	Blockers   []decider.Blocker         `json:"blocked_by,omitempty"`
	Changes    []resource.Change         `json:"changes,omitempty"`
	Warnings   []decider.Warning         `json:"warnings,omitempty"`
	// Desired lets policies be evaluated on the decision later; nil where nothing is configured.
	// The observed resource is in the observations before.
	Desired    *Desired          `json:"desired,omitempty"`
	Suggestion string            `json:"suggestion,omitempty"`
	Strategy   resource.Strategy `json:"strategy,omitempty"` // of a replace or revert
	Steps      []replace.Step    `json:"steps,omitempty"`    // of a replace or revert, in order
	Turn       *decider.Turn     `json:"turn,omitempty"`     // within its count
	Origin     *decider.Origin   `json:"origin,omitempty"`   // the record that allows a delete or replace
	DataLoss   string            `json:"data_loss,omitempty"`
	Alike      resource.Ref      `json:"alike,omitzero"` // of a create: the first of its block with equal secrets
}

// Planned records a plan. Unchanged resources are counted, not listed. A plan whose decisions
// are those of the stack's last plan lists none and names that plan in Same.
type Planned struct {
	Plan        string            `json:"plan"` // ULID
	Stacks      []string          `json:"stacks"`
	Mode        Mode              `json:"mode"`
	Hash        string            `json:"hash"` // of the decisions
	Same        string            `json:"same,omitempty"`
	Counts      Counts            `json:"counts"`
	Unreachable map[string]string `json:"unreachable,omitempty"` // scopes, each with its error
	Decisions   []Decision        `json:"decisions,omitempty"`
	// What policies had besides the decisions: the time, the last record of this log that was
	// known, and the number of resources of each stack.
	At    time.Time      `json:"at,omitzero"`
	Known wal.Seq        `json:"known,omitempty"`
	Owned map[string]int `json:"owned,omitempty"`
	// Digest names the proposals, and is what an approval binds to.
	Digest string `json:"digest,omitempty"`
	// Approving is the digest that approvals bind to where it is another: that of a saved plan.
	Approving string `json:"approving,omitempty"`
	// By is who made the plan where that is not the user of the record: of a saved plan that is applied.
	By string `json:"by,omitempty"`
	// As is whom each provider's system took ovi for when it was observed, such as an ARN.
	As map[string]string `json:"as,omitempty"`
	// Policies are the digests of the policies that reviewed the plan: of each stack by "stack NAME",
	// of each required policy by "required NAME", and "everywhere" of those given for this run.
	Policies map[string]string `json:"policies,omitempty"`
	// Unread are the parts of the sources that could not be read.
	Unread []Unread `json:"unread,omitempty"`
	// Lookups are the resources of others that the configuration refers to.
	Lookups []pins.Pin `json:"lookups,omitempty"`
	// Outputs are the outputs of the stacks that differ from the record.
	Outputs []outputs.Change `json:"outputs,omitempty"`
	// StackOutputs are the outputs of other stacks that the configuration refers to.
	StackOutputs []outputs.Pin `json:"stack_outputs,omitempty"`
	// Given are the values that the command line set for variables, and those that the last apply set otherwise.
	Given []cmdline.Change `json:"given,omitempty"`
}

// LookedUp records which resource a lookup found when a configuration was applied.
type LookedUp struct {
	Ref resource.Ref `json:"ref"` // its block
	ID  string       `json:"id"`
	Was string       `json:"was,omitempty"` // the resource that it found before
}

// OutputsChanged records the outputs of a stack that an apply changed. The number of this record is the number of each
// of their values. An output that is recorded with the same value keeps its number.
type OutputsChanged struct {
	Stack   string         `json:"stack"`
	Plan    string         `json:"plan"`
	Set     resource.Attrs `json:"set,omitempty"`     // the values by name
	Removed []string       `json:"removed,omitempty"` // names that the configuration no longer has
	// Missing are the outputs without a value, sorted by name: what they refer to has none.
	Missing []MissingOutput `json:"missing,omitempty"`
}

// MissingOutput is an output without a value.
type MissingOutput struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// PlanSaved records that a plan was written into a file, which is applied and approved only as it was
// written.
type PlanSaved struct {
	Plan      string     `json:"plan"`
	Hash      string     `json:"hash"` // of the decisions
	Seal      string     `json:"seal"` // SHA-256 of the whole file, in hex
	Signature *Signature `json:"signature,omitzero"`
}

// Unsigned separates the event from its signature.
func (e PlanSaved) Unsigned() (PlanSaved, *Signature) {
	s := e.Signature
	e.Signature = nil
	return e, s
}

// PolicyRequired records that every run on the store is reviewed by a policy, whatever its command
// line says or, with On false, no longer.
type PolicyRequired struct {
	Name      string       `json:"name"`
	On        bool         `json:"on"`
	Digest    string       `json:"digest,omitempty"` // of the rules
	Rules     *rules.Rules `json:"rules,omitempty"`
	Who       string       `json:"who"`
	Reason    string       `json:"reason,omitempty"`
	SignedAt  time.Time    `json:"signed_at,omitzero"`
	SignedBy  *SignedBy    `json:"signed_by,omitzero"` // the signature of Who
	Signature *Signature   `json:"signature,omitzero"`
}

// Unsigned separates the event from its signature.
func (e PolicyRequired) Unsigned() (PolicyRequired, *Signature) {
	s := e.Signature
	e.Signature = nil
	return e, s
}

// Blocked records that an apply did not execute a decision, because policies block it.
type Blocked struct {
	Plan     string            `json:"plan"`
	Ref      resource.Ref      `json:"ref"`
	Proposed decider.Action    `json:"proposed"`
	Blockers []decider.Blocker `json:"blocked_by"`
}

// Approved records that a user approved a plan. With a Digest it is an approval that rules
// require: it counts for every plan with the same proposals, until it expires. Without one it
// is the confirmation of the user who applies, and no rule counts it.
type Approved struct {
	Plan   string    `json:"plan"`
	Hash   string    `json:"hash"`
	Who    string    `json:"who"`
	How    string    `json:"how"` // "typed yes", "auto-approve", "plan file", "ovi approve"
	Until  time.Time `json:"until,omitzero"`
	Digest string    `json:"digest,omitempty"`
	Reason string    `json:"reason,omitempty"`
	// SignedBy is the signature of Who; nil: any user may have used the name.
	SignedBy *SignedBy `json:"signed_by,omitzero"`
	// Signature is that of an approval, in a store that instances share.
	Signature *Signature `json:"signature,omitzero"`
}

// Unsigned separates the event from its signature.
func (e Approved) Unsigned() (Approved, *Signature) {
	s := e.Signature
	e.Signature = nil
	return e, s
}

// Approval names the approvals that an action rests on, which it uses.
type Approval struct {
	Digest string     `json:"digest"`
	By     []Approver `json:"by"`
}

// Approver is one approval: by whom, and the record of it.
type Approver struct {
	Who      string  `json:"who"`
	Seq      wal.Seq `json:"seq"`
	Instance string  `json:"instance"`
}
