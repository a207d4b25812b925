package planview

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/term"
)

// Prompt asks whether to apply a plan: how many changes to what, how many resources are
// destroyed, and with which of them data is lost. Target names the accounts that are changed: "AWS
// account 123456789012".
func Prompt(p decider.Plan, target string) string {
	changes, destroyed := 0, 0
	var lost []string
	for _, d := range p.Decisions {
		if !d.Action.Executes() {
			continue
		}
		changes++
		if d.Action.Destroys() {
			destroyed++
		}
		if LossOf(d) != "" {
			lost = append(lost, d.Ref.Short())
		}
	}
	text := "Apply " + term.Many(changes, "change") + " to " + target
	var notes []string
	switch n := len(p.Outputs); {
	case n > 0 && changes == 0:
		text = "Record " + term.Many(n, "output") + ", without a change to " + target
	case n > 0:
		notes = append(notes, term.Many(n, "output"))
	}
	if destroyed > 0 {
		notes = append(notes, fmt.Sprintf("%d destroyed", destroyed))
	}
	if n := len(lost); n > 0 {
		const few = 4
		names := strings.Join(lost[:min(n, few)], ", ")
		if n > few {
			names += fmt.Sprintf(" and %d more", n-few)
		}
		notes = append(notes, fmt.Sprintf("%d with data loss: %s", n, names))
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text + "?\nType yes to continue: "
}

// LossOf returns the data that is lost if a decision is executed as proposed. Approvers of a blocked decision
// read it.
func LossOf(d decider.Decision) string {
	if !d.Proposed.Destroys() {
		return ""
	}
	return d.DataLoss
}
