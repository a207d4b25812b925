package session

import (
	"os"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/internal/budget"
)

const planFileType = "ovi-plan-file"

// IsPlan reads the start of a file, whatever it is called.
func IsPlan(name string) bool {
	const start = `{"type":"` + planFileType + `"`
	return string(budget.Start(name, len(start))) == start
}

// mayReplace reports a file that a plan must not overwrite: one that exists and is not a saved plan.
func mayReplace(name string) error {
	if info, err := os.Lstat(name); err == nil && (!info.Mode().IsRegular() || info.Size() > 0 && !IsPlan(name)) {
		return &cli.Problem{
			Summary: "cannot save the plan: the file exists and is not a saved plan", File: name,
			Suggestion: "choose another file with --out",
		}
	}
	return nil
}
