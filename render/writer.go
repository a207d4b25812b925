package render

import (
	"strings"

	"github.com/ovi-project/ovi/render/term"
)

// writer writes lines for people.
type writer struct {
	term.Style
	strings.Builder
}

// gap writes an empty line, unless nothing was written yet.
func (p *writer) gap() {
	if p.Len() > 0 {
		p.WriteString("\n")
	}
}

// para writes a text, wrapped under an indent, in one color.
func (p *writer) para(indent int, c term.Paint, text string) {
	for _, line := range term.Wrap(text, p.Room(indent)) {
		p.WriteString(term.Spaces(indent) + p.In(c, line) + "\n")
	}
}

// tally writes counts, wrapped between them.
func (p *writer) tally(text string) {
	for _, line := range term.WrapCounts(text, p.Room(0)) {
		p.WriteString(p.In(term.Bold, line) + "\n")
	}
}

// signed writes a sign and a text, wrapped under the text with two more columns.
func (p *writer) signed(sign string, c term.Paint, text string, indent int) {
	column := indent + term.Columns(sign) + 1
	text, next := splitSuggestion(text)
	lines := term.Wrap(text, p.Room(column))
	p.WriteString(term.Spaces(indent) + p.In(c, sign) + " " + lines[0] + "\n")
	for _, line := range lines[1:] {
		p.WriteString(term.Spaces(column+2) + line + "\n")
	}
	if next != "" {
		p.hanging(indent+detailIndent, next)
	}
}

// after puts a text behind a head, its further lines under it.
func (p *writer) after(used int, text string) {
	if term.Columns(term.OneLine(text)) > p.Columns()-used-2 && p.Columns()-used-2 < leastBehind {
		p.WriteString("\n")
		p.para(detailIndent+2, "", text)
		return
	}
	for i, line := range term.WrapBehind(text, p.Room(used+2), p.Room(detailIndent+2)) {
		if i == 0 {
			p.WriteString("  " + line + "\n")
			continue
		}
		p.WriteString(term.Spaces(detailIndent+2) + line + "\n")
	}
}

// message writes a text, with a suggestion in it on lines of its own.
func (p *writer) message(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		p.hanging(detailIndent, line)
	}
}

// hanging writes a text whose further lines are indented by two more columns if it begins with
// a label.
func (p *writer) hanging(indent int, text string) {
	more := indent
	if strings.HasPrefix(text, suggestion) {
		more += 2
	}
	for i, line := range term.Wrap(text, p.Room(more)) {
		if i == 0 {
			p.WriteString(term.Spaces(indent) + line + "\n")
			continue
		}
		p.WriteString(term.Spaces(more) + line + "\n")
	}
}

const suggestion = "Suggestion: "

// splitSuggestion parts a message from its suggestion, which keeps its label.
func splitSuggestion(text string) (message, more string) {
	message, next, ok := strings.Cut(text, suggestion)
	if !ok {
		return text, ""
	}
	return strings.TrimRight(message, " \n;"), suggestion + next
}

// leastBehind is how many columns a text needs behind a head; else it is under it.
const leastBehind = 24

const (
	nameIndent   = 2
	detailIndent = 4
)

// facts writes labels in one column and their texts, wrapped, in the next.
func (p *writer) facts(indent int, facts []Fact) {
	widest := 0
	for _, f := range facts {
		widest = max(widest, term.Columns(f.Label))
	}
	column := indent + widest + term.Gap
	for _, f := range facts {
		lines := term.Wrap(f.Text, p.Room(column))
		p.WriteString(term.Spaces(indent) + p.In(term.Dim, term.Pad(term.OneLine(f.Label), widest)) +
			term.Spaces(term.Gap) + lines[0] + "\n")
		for _, line := range lines[1:] {
			p.WriteString(term.Spaces(column) + line + "\n")
		}
	}
}

// Fact is one labelled answer.
type Fact struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}
