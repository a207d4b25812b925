package render

import (
	"fmt"
	"io"
	"strings"
)

// Severities of diagnostics.
const (
	Error   = "error"
	Warning = "warning"
)

// Write writes a diagnostic for people: what, where, what to do next.
//
//	error: unknown attribute "sizee" of ec2/web-0
//	  at ovi.yaml:7:5
//	  next: write "size"
func (d Diagnostic) Write(w io.Writer, s Style) error {
	var b strings.Builder
	colour := red
	if d.Severity == Warning {
		colour = yellow
	}
	lines := wrap(d.Summary, s.room(len(d.Severity)+2))
	b.WriteString(s.in(colour, d.Severity+": ") + strings.Join(lines, "\n  ") + "\n")
	if d.Detail != "" {
		for _, paragraph := range strings.Split(d.Detail, "\n") {
			b.WriteString("  " + strings.Join(wrap(paragraph, s.room(2)), "\n  ") + "\n")
		}
	}
	if d.File != "" {
		b.WriteString("  at " + d.location() + "\n")
	}
	if d.Suggestion != "" {
		b.WriteString(s.in(bold, "  next: ") + strings.Join(wrap(d.Suggestion, s.room(8)), "\n        ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (d Diagnostic) location() string {
	switch {
	case d.Line == 0:
		return d.File
	case d.Column == 0:
		return fmt.Sprintf("%s:%d", d.File, d.Line)
	}
	return fmt.Sprintf("%s:%d:%d", d.File, d.Line, d.Column)
}
