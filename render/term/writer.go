package term

import "strings"

// Writer writes lines for people.
type Writer struct {
	Style
	strings.Builder
}

// Gap writes an empty line, unless nothing was written yet.
func (p *Writer) Gap() {
	if p.Len() > 0 {
		p.WriteString("\n")
	}
}

// Para writes a text, wrapped under an indent, in one color.
func (p *Writer) Para(indent int, c Paint, text string) {
	for _, line := range Wrap(text, p.Room(indent)) {
		p.WriteString(Spaces(indent) + p.In(c, line) + "\n")
	}
}

// Tally writes counts, wrapped between them.
func (p *Writer) Tally(text string) {
	for _, line := range WrapCounts(text, p.Room(0)) {
		p.WriteString(p.In(Bold, line) + "\n")
	}
}

// Signed writes a sign and a text, wrapped under the text with two more columns.
func (p *Writer) Signed(sign string, c Paint, text string, indent int) {
	column := indent + Columns(sign) + 1
	text, next := SplitSuggestion(text)
	lines := Wrap(text, p.Room(column))
	p.WriteString(Spaces(indent) + p.In(c, sign) + " " + lines[0] + "\n")
	for _, line := range lines[1:] {
		p.WriteString(Spaces(column+2) + line + "\n")
	}
	if next != "" {
		p.Hanging(indent+DetailIndent, next)
	}
}

// After puts a text behind a head, its further lines under it.
func (p *Writer) After(used int, text string) {
	if Columns(OneLine(text)) > p.Columns()-used-2 && p.Columns()-used-2 < LeastBehind {
		p.WriteString("\n")
		p.Para(DetailIndent+2, "", text)
		return
	}
	for i, line := range WrapBehind(text, p.Room(used+2), p.Room(DetailIndent+2)) {
		if i == 0 {
			p.WriteString("  " + line + "\n")
			continue
		}
		p.WriteString(Spaces(DetailIndent+2) + line + "\n")
	}
}

// Message writes a text, with a Suggestion in it on lines of its own.
func (p *Writer) Message(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		p.Hanging(DetailIndent, line)
	}
}

// Hanging writes a text whose further lines are indented by two more columns if it begins with
// a label.
func (p *Writer) Hanging(indent int, text string) {
	more := indent
	if strings.HasPrefix(text, Suggestion) {
		more += 2
	}
	for i, line := range Wrap(text, p.Room(more)) {
		if i == 0 {
			p.WriteString(Spaces(indent) + line + "\n")
			continue
		}
		p.WriteString(Spaces(more) + line + "\n")
	}
}

// Suggestion is the label of a next step.
const Suggestion = "Suggestion: "

// SplitSuggestion parts a message from its Suggestion, which keeps its label.
func SplitSuggestion(text string) (message, more string) {
	message, next, ok := strings.Cut(text, Suggestion)
	if !ok {
		return text, ""
	}
	return strings.TrimRight(message, " \n;"), Suggestion + next
}

// LeastBehind is the number of columns that a text needs behind a head; else it is written under the head.
const LeastBehind = 24

// The indents of a name and of the lines under it.
const (
	NameIndent   = 2
	DetailIndent = 4
)

// Facts writes labels in one column and their texts, wrapped, in the next.
func (p *Writer) Facts(indent int, facts []Fact) {
	widest := 0
	for _, f := range facts {
		widest = max(widest, Columns(f.Label))
	}
	column := indent + widest + Gap
	for _, f := range facts {
		lines := Wrap(f.Text, p.Room(column))
		p.WriteString(Spaces(indent) + p.In(Dim, Pad(OneLine(f.Label), widest)) +
			Spaces(Gap) + lines[0] + "\n")
		for _, line := range lines[1:] {
			p.WriteString(Spaces(column) + line + "\n")
		}
	}
}

// Fact is one labelled answer.
type Fact struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}
