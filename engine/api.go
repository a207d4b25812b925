package engine

import (
	"github.com/ovi-project/ovi/engine/apply"
	"github.com/ovi-project/ovi/engine/operate"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/engine/plan/follow"
	"github.com/ovi-project/ovi/engine/recovery"
)

// The types that callers name: each is documented where it is declared.
type (
	Config         = parts.Config
	Claim          = parts.Claim
	Claims         = parts.Claims
	Observing      = recovery.Observing
	Planned        = plan.Planned
	NotFound       = plan.NotFound
	PlanOptions    = plan.Options
	Starting       = plan.Starting
	AsyncObserver  = plan.AsyncObserver
	Observation    = plan.Observation
	Rollout        = follow.Rollout
	ApplyOptions   = apply.Options
	ApplyControl   = apply.Control
	Busy           = plan.Busy
	Flight         = plan.Flight
	Result         = apply.Result
	Outcome        = apply.Outcome
	Status         = apply.Status
	OperatorAction = operate.OperatorAction
	AppliedError   = operate.AppliedError
	Signing        = operate.Signing
	Adoption       = operate.Adoption
	Identified     = operate.Identified
	Named          = operate.Named
)

// The statuses of outcomes.
const (
	Done        = apply.Done
	ByOther     = apply.ByOther
	Failed      = apply.Failed
	Uncertain   = apply.Uncertain
	WaitingFor  = apply.WaitingFor
	Unneeded    = apply.Unneeded
	Interrupted = apply.Interrupted
	Yielded     = apply.Yielded
	Claimed     = apply.Claimed
	Accepted    = apply.Accepted
	Refused     = apply.Refused
	Unprepared  = apply.Unprepared
	Stale       = apply.Stale
)

// Names of policies, and the version of plan files.
const (
	BusyPolicy       = plan.BusyPolicy
	OpenActionPolicy = plan.OpenActionPolicy
	RolloutPolicy    = follow.PolicyName
	PlanFormat       = plan.PlanFormat
)

// Errors of explicit actions.
var (
	ErrNothingToApprove = operate.ErrNothingToApprove
	ErrOlderOrders      = operate.ErrOlderOrders
)
