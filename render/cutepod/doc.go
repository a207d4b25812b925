// Package cutepod prints the screens of `ovi install` and `ovi upgrade`. Their words, boxes and
// order are those of the containers design; docs/dev/departures.md lists the differences.
package cutepod

import (
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/render"
)

// Head is what is known of a run when it starts.
type Head struct {
	Operation                       string // "install" or "upgrade"
	Path, Chart, Namespace, Version string
	// Resources are those that the chart declares, in its order; Levels, the same by dependencies.
	Resources []render.ChartResource
	Levels    [][]render.ChartResource
	// Planned are the resources that will have a line, whatever comes of them.
	Planned []render.ChartResource
	// Troubled: an error is known before anything starts.
	Troubled bool
	DryRun   bool
	// Unread: the chart cannot be used, and nothing is reconciled.
	Unread bool
}

// Done is what was done with a resource.
type Done struct {
	render.ChartAction
	Verb     string // "created", "updated", "deleted"
	Commands []Command
	Started  time.Time
	Finished time.Time
}

// Failed is what failed, and what was done before that.
type Failed struct {
	render.ChartError
	Verb     string // "created", "updated", "deleted"
	Commands []Command
	Started  time.Time // zero: nothing was started
	Finished time.Time
	Seconds  float64
}

// Command is a command that does the same by hand, and when that was started.
type Command struct {
	At   time.Time
	Text string
}

// Formatter prints a run: Start; then, in any order and from any goroutine, what is done and what
// fails; then Summary. A dry run is Start and DryRun.
type Formatter interface {
	Start(Head)
	// Running says that something is being done with a resource.
	Running(r render.ChartResource, doing string, at time.Time)
	Action(Done)
	Error(Failed)
	// Skipped is a resource that is left as it is, and why.
	Skipped(r render.ChartResource, why string)
	DryRun(render.ChartResult)
	// Summary prints what is left, and returns the first failed write.
	Summary(render.ChartResult) error
}

// kinds are the types of resources in the order of the screens.
func kinds() []string { return []string{"network", "volume", "secret", "pod", "container"} }

// Rank is the place of a type on the screens; other types come behind.
func Rank(kind string) int {
	if i := slices.Index(kinds(), kind); i >= 0 {
		return i
	}
	return len(kinds())
}

// capital is a type as it starts a sentence.
func capital(kind string) string {
	if kind == "" {
		return ""
	}
	return strings.ToUpper(kind[:1]) + kind[1:]
}

// plural is the heading of a section.
func plural(kind string) string {
	if kind == "" {
		return "Chart"
	}
	return capital(kind) + "s"
}
