package render

// ChartResource names a resource of a chart as its manifest does.
type ChartResource struct {
	Type string `json:"type"` // "container"
	Name string `json:"name"` // without the namespace
}

// ChartAction is what `ovi install` and `ovi upgrade` did with a resource, or would do.
type ChartAction struct {
	Resource ChartResource `json:"resource"`
	Ref      string        `json:"ref"`
	ID       string        `json:"id,omitempty"`
	Seconds  float64       `json:"seconds"`
	Changes  []Change      `json:"changes,omitempty"` // of an update
	// Differences are Changes as users read them.
	Differences []FieldChange `json:"-"`
	// Commands are the commands that do the same by hand.
	Commands []string `json:"commands,omitempty"`
}

// FieldChange is one field of a manifest, before and after.
type FieldChange struct{ Path, From, To string }

// ChartErrorType is where an error of a chart comes from.
type ChartErrorType string

// The types of the containers design.
const (
	ChartDependency    ChartErrorType = "dependency"    // what it depends on is missing, invalid or failed
	ChartValidation    ChartErrorType = "validation"    // its manifest is invalid
	ChartAPI           ChartErrorType = "podman_api"    // the host refused or could not be reached
	ChartConfiguration ChartErrorType = "configuration" // the chart cannot be read, or ovi must not do it
)

// ChartError is one error of a chart.
type ChartError struct {
	Type        ChartErrorType `json:"type"`
	Resource    *ChartResource `json:"resource"` // null: of the chart, or of its host
	Message     string         `json:"message"`
	Cause       string         `json:"cause"`
	Suggestion  string         `json:"suggestion,omitempty"`
	Recoverable bool           `json:"recoverable"` // the same command may succeed later
	File        string         `json:"file,omitempty"`
	Line        int            `json:"line,omitempty"`
	Column      int            `json:"column,omitempty"`
}

// ChartSummary counts a ChartResult.
type ChartSummary struct {
	Created   int     `json:"created"`
	Updated   int     `json:"updated"`
	Deleted   int     `json:"deleted"`
	Unchanged int     `json:"unchanged"`
	Failed    int     `json:"failed"` // errors
	Seconds   float64 `json:"seconds"`
	Status    string  `json:"status"` // "success", "failed", "planned"
	Text      string  `json:"text"`
}

// ChartResult ends `ovi install` and `ovi upgrade` for programs.
type ChartResult struct {
	Type      string          `json:"type"`      // "chart_result"
	Operation string          `json:"operation"` // "install" or "upgrade"
	Path      string          `json:"path"`
	Chart     string          `json:"chart"`
	Namespace string          `json:"namespace,omitempty"`
	Version   string          `json:"version"` // of the chart
	Plan      string          `json:"plan,omitempty"`
	DryRun    bool            `json:"dry_run"` // nothing was changed: it is what would be
	Created   []ChartAction   `json:"created"`
	Updated   []ChartAction   `json:"updated"`
	Deleted   []ChartAction   `json:"deleted"`
	Kept      []ChartResource `json:"kept,omitempty"` // no longer in the chart, kept for their data
	// Skipped are not created, because only what failed would use them.
	Skipped []ChartResource `json:"skipped,omitempty"`
	Errors  []ChartError    `json:"errors"`
	Summary ChartSummary    `json:"summary"`
}

func (ChartResult) record() {}
