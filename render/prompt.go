package render

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/decider"
)

// Prompt asks whether to apply a plan: how many changes to what, how many resources are
// destroyed, and with how many of them data is lost. Target is what is changed: "AWS account
// 123456789012".
func Prompt(p decider.Plan, target string) string {
	changes, destroyed, lost := 0, 0, 0
	for _, d := range p.Decisions {
		if !d.Action.Executes() {
			continue
		}
		changes++
		if d.Action.Destroys() {
			destroyed++
		}
		if lossOf(d) != "" {
			lost++
		}
	}
	text := "Apply " + Many(changes, "change") + " to " + target
	var notes []string
	if destroyed > 0 {
		notes = append(notes, fmt.Sprintf("%d destroyed", destroyed))
	}
	if lost > 0 {
		notes = append(notes, fmt.Sprintf("%d with data loss", lost))
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text + "?\nType yes to continue: "
}

// lossOf returns the data that is lost if a decision is executed as proposed. People approve a blocked decision by
// what this says.
func lossOf(d decider.Decision) string {
	if !d.Proposed.Destroys() {
		return ""
	}
	return d.DataLoss
}
