package render

import (
	"io"
	"time"

	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// Page is an answer with labelled facts.
type Page struct {
	Lead       string            // a sentence
	Cause      string            // what led to it
	Changes    []resource.Change // what the cause is about
	Suggestion string            // the next step; empty if there is none
	Facts      []term.Fact
	Sections   []Section
}

// Section is a titled list of facts.
type Section struct {
	Head  string // before the title: a time
	Title string
	Facts []term.Fact
}

// Write writes the page for people, wrapped at the width of the style.
func (p Page) Write(w io.Writer, s term.Style) error {
	out := term.Writer{Style: s}
	out.Para(0, term.Bold, p.Lead)
	if p.Cause != "" {
		out.Para(0, "", p.Cause)
	}
	var rows []term.Row
	for _, c := range p.Changes {
		rows = append(rows, planview.ChangeRow(c))
	}
	out.RowsAt(2, rows)
	if p.Suggestion != "" {
		out.Hanging(0, term.Suggestion+p.Suggestion)
	}
	if len(p.Facts) > 0 {
		out.WriteString("\n")
		out.Facts(2, p.Facts)
	}
	for _, x := range p.Sections {
		out.WriteString("\n")
		head := x.Title
		if x.Head != "" {
			head = x.Head + "  " + head
		}
		for _, line := range term.WrapItems(head, out.Room(0)) {
			out.WriteString(out.In(term.Bold, line) + "\n")
		}
		out.Facts(2, x.Facts)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// Explanation is the answer of `ovi why`.
type Explanation struct {
	Type  string `json:"type"` // "explanation"
	Ref   string `json:"ref"`
	Scope string `json:"scope"`
	// State is "matches", "pending", "blocked", "open", "failing", "unreachable", "broken", "conflict", "unmanaged",
	// "deleted", "deleted_outside", "moved", "forgotten" or "absent".
	State      string       `json:"state"`
	Headline   string       `json:"headline"`
	Cause      string       `json:"cause"`
	Changes    []Change     `json:"changes"`
	Suggestion string       `json:"suggestion"`
	Facts      []term.Fact  `json:"facts"`
	Events     []EventGroup `json:"events"` // the newest first
}

// EventGroup is one event with its records.
type EventGroup struct {
	At      time.Time   `json:"at"`
	What    string      `json:"what"`
	Title   string      `json:"title"`
	Facts   []term.Fact `json:"facts"`
	Records []uint64    `json:"records"` // of the audit log
	// Instance is whose audit log that is; empty: of the instance that answers.
	Instance string `json:"instance,omitempty"`
}

func (Explanation) record() {}
