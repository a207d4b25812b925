package render

import (
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// Style is what the writer at the other end can show.
type Style = term.Style

// Table is rows under a head, in columns as wide as they must be.
type Table = term.Table

// Wrap breaks a text at its spaces into lines of so many columns.
func Wrap(s string, width int) []string { return term.Wrap(s, width) }

// Shortened returns a text cut to at most a number of columns.
func Shortened(s string, width int) string { return term.Shortened(s, width) }

// Printable returns a text without characters that change a terminal.
func Printable(s string) string { return term.Printable(s) }

// Fact is one labelled answer.
type Fact = term.Fact

// Many is a number with its noun: "1 batch", "2 batches", "3 logs".
func Many[N ~int | ~int64 | ~uint64](n N, one string) string { return term.Many(n, one) }

// Names shortens refs for screens and records.
type Names = planview.Names

// NewNames returns the short names for scopes that will be shown.
func NewNames(scopes ...resource.Scope) Names { return planview.NewNames(scopes...) }

// Counts is a tally of decisions or results.
type Counts = planview.Counts

// Count counts the decisions of a plan.
func Count(p decider.Plan) Counts { return planview.Count(p) }

// Value writes a value on one line as in a configuration.
func Value(v resource.Value) string { return planview.Value(v) }

// JSON returns a value as canonical JSON, with six digits of its digest for each secret.
func JSON(v resource.Value) []byte { return planview.JSON(v) }

// UnmanagedIn counts the resources of a plan that are not managed with ovi, without those that the provider
// created itself.
func UnmanagedIn(p decider.Plan) int { return planview.UnmanagedIn(p) }
