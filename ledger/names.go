package ledger

import (
	"context"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/ledger/record"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/ledger/trust"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// The names of the packages below, for callers that need the ledger alone.
type (
	Config             = record.Config
	Receipt            = record.Receipt
	ObservationOptions = record.ObservationOptions
	YoungError         = record.YoungError
	Fence              = record.Fence

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
	Fights      = rows.Fights
	Outage      = rows.Outage

	Approval       = trust.Approval
	Recovery       = trust.Recovery
	Acknowledgment = trust.Acknowledgment
	Contradiction  = trust.Contradiction
	Pin            = trust.Pin
	UnprovenError  = trust.UnprovenError
	DirectoryError = trust.DirectoryError
)

// Errors of the ledger.
var (
	ErrBroken      = record.ErrBroken
	ErrRefused     = record.ErrRefused
	ErrOutdated    = record.ErrOutdated
	ErrRosterMoved = record.ErrRosterMoved
	ErrElsewhere   = record.ErrElsewhere
	ErrForeignLog  = record.ErrForeignLog
	ErrUnfinished  = record.ErrUnfinished
	ErrVerifyOnly  = record.ErrVerifyOnly
	ErrNotFound    = query.ErrNotFound
	ErrUnproven    = trust.ErrUnproven
	ErrNeedsPerson = trust.ErrNeedsPerson
	ErrUsed        = trust.ErrUsed
	ErrBound       = trust.ErrBound
)

// FrontierIn returns the last record of the log that a store has which only that log is projected into.
func FrontierIn(ctx context.Context, store storage.Store) ([]wal.Option, error) {
	return query.FrontierIn(ctx, store)
}

// ApprovalOf returns the approval of a record. The record alone does not show whether the approval was
// used.
func ApprovalOf(a rows.Act[event.Approved]) Approval { return trust.ApprovalOf(a) }
