package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/ovi-project/ovi/render/term"
)

// Severities of diagnostics.
const (
	Error   = "error"
	Warning = "warning"
)

// Write writes a diagnostic for people: what, where, what to do.
//
//	Error: unknown attribute "sise" for kind ec2
//	  at ovi.yaml:55:5 (ec2/web)
//	  Suggestion: use size
func (d Diagnostic) Write(w io.Writer, s term.Style) error {
	p := term.Writer{Style: s}
	color, label := term.Red, "Error: "
	if d.Severity == Warning {
		color, label = term.Yellow, "Warning: "
	}
	for i, paragraph := range strings.Split(d.Summary, "\n") {
		if i == 0 {
			lines := term.Wrap(paragraph, p.Room(len(label)))
			p.WriteString(p.In(color, label) + strings.Join(lines, "\n  ") + "\n")
			continue
		}
		p.Hanging(2, paragraph)
	}
	if d.Detail != "" {
		for _, paragraph := range strings.Split(d.Detail, "\n") {
			p.Hanging(2, paragraph)
		}
	}
	if d.File != "" {
		p.WriteString("  at " + d.location() + "\n")
	}
	if d.Suggestion != "" {
		p.Hanging(2, term.Suggestion+d.Suggestion)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func (d Diagnostic) location() string {
	at := d.File
	if d.Cell != "" {
		at += ", " + d.Cell
	}
	if d.Line > 0 {
		at += fmt.Sprintf(":%d", d.Line)
	}
	if d.Line > 0 && d.Column > 0 {
		at += fmt.Sprintf(":%d", d.Column)
	}
	if d.Resource != "" {
		at += " (" + d.Resource
		if n := len(d.Resources); n > 0 {
			at += fmt.Sprintf(" and %d more", n)
		}
		at += ")"
	}
	if d.Used != "" {
		at += ", used at " + d.Used
	}
	return term.OneLine(at)
}
