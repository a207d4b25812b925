package ledger

import (
	"github.com/ovi-project/ovi/ledger/project"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/ledger/record"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/ledger/trust"
)

// The names of the packages below, for callers that need the ledger alone.
type (
	Config             = record.Config
	Receipt            = record.Receipt
	ObservationOptions = record.ObservationOptions
	YoungError         = record.YoungError
	Projector          = record.Projector
	LogBatch           = project.LogBatch

	Reader        = query.Reader
	StoreReads    = query.StoreReads
	LogReads      = query.LogReads
	Instance      = query.Instance
	ResourceState = query.ResourceState
	ResourceTries = query.ResourceTries
	Tries         = query.Tries
	Blessing      = query.Blessing

	Scan        = rows.Scan
	OpenAction  = rows.OpenAction
	Replacement = rows.Replacement

	Approval       = trust.Approval
	Acknowledgment = trust.Acknowledgment
	Contradiction  = trust.Contradiction
	Pin            = trust.Pin
	UnprovenError  = trust.UnprovenError
)

// Errors of the ledger.
var (
	ErrBroken      = record.ErrBroken
	ErrRefused     = record.ErrRefused
	ErrRosterMoved = record.ErrRosterMoved
	ErrElsewhere   = record.ErrElsewhere
	ErrForeignLog  = record.ErrForeignLog
	ErrUnfinished  = record.ErrUnfinished
	ErrNotFound    = query.ErrNotFound
	ErrUnproven    = trust.ErrUnproven
	ErrUsed        = trust.ErrUsed
	ErrBound       = trust.ErrBound
)

// Functions on data directories, logs and stores that no ledger has open.
var (
	StorePath    = record.StorePath
	LogPath      = record.LogPath
	LogDir       = record.LogDir
	OpenLog      = record.OpenLog
	ReadBatches  = project.ReadBatches
	NewProjector = record.NewProjector
	FrontierIn   = query.FrontierIn
	Instances    = query.Instances
	ReadEpoch    = record.ReadEpoch
	SetEpoch     = record.SetEpoch
	ApprovalOf   = trust.ApprovalOf
)

// Unfinished is the epoch of a store that is being rebuilt.
const Unfinished = record.Unfinished
