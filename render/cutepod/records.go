package cutepod

import (
	"time"

	"github.com/ovi-project/ovi/render"
)

// Records prints a run for programs: one record, at its end.
type Records struct{ To render.Encoder }

var _ Formatter = Records{}

// Start implements Formatter.
func (Records) Start(Head) {}

// Running implements Formatter.
func (Records) Running(render.ChartResource, string, time.Time) {}

// Action implements Formatter.
func (Records) Action(Done) {}

// Error implements Formatter.
func (Records) Error(Failed) {}

// Skipped implements Formatter.
func (Records) Skipped(render.ChartResource, string) {}

// DryRun implements Formatter.
func (Records) DryRun(render.ChartResult) {}

// Summary implements Formatter.
func (r Records) Summary(result render.ChartResult) error { return r.To.Encode(result) }
