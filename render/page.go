package render

import (
	"io"
	"time"
)

// Page is prose with labelled facts: a headline, what stands under it, then sections.
type Page struct {
	Lead     string // a sentence or two
	Next     string // what to do; empty: nothing
	Facts    []Fact // under the lead
	Sections []Section
	Foot     string // dim, at the end
}

// Section is a titled list of facts.
type Section struct {
	Head  string // stands before the title: a time
	Title string
	Facts []Fact
}

// Fact is one labelled answer.
type Fact struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// Write writes the page for people, wrapped at the width of the style.
func (p Page) Write(w io.Writer, s Style) error {
	out := &planWriter{Style: s}
	out.para(0, bold, p.Lead)
	if p.Next != "" {
		out.para(0, "", "Next: "+p.Next)
	}
	if len(p.Facts) > 0 {
		out.WriteString("\n")
		out.facts(2, p.Facts)
	}
	for _, x := range p.Sections {
		out.WriteString("\n")
		head := x.Title
		if x.Head != "" {
			head = x.Head + "  " + head
		}
		out.para(0, bold, head)
		out.facts(2, x.Facts)
	}
	if p.Foot != "" {
		out.WriteString("\n")
		out.para(0, dim, p.Foot)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// facts writes labels in one column, and what they say, wrapped, in the next.
func (p *planWriter) facts(indent int, facts []Fact) {
	widest := 0
	for _, f := range facts {
		widest = max(widest, columns(f.Label))
	}
	column := indent + widest + gap
	for _, f := range facts {
		lines := wrap(f.Text, p.room(column))
		p.WriteString(spaces(indent) + p.in(dim, pad(printable(f.Label), widest)) + spaces(gap) + lines[0] + "\n")
		for _, line := range lines[1:] {
			p.WriteString(spaces(column) + line + "\n")
		}
	}
}

// Explanation is the answer of `ovi why`.
type Explanation struct {
	Type     string       `json:"type"` // "story"
	Ref      string       `json:"ref"`
	Scope    string       `json:"scope"`
	State    string       `json:"state"`
	Headline string       `json:"headline"`
	Next     string       `json:"next"`
	Facts    []Fact       `json:"facts"`
	Chapters []EventGroup `json:"chapters"` // the newest first
}

// EventGroup is one thing that happened.
type EventGroup struct {
	At      time.Time `json:"at"`
	What    string    `json:"what"`
	Title   string    `json:"title"`
	Facts   []Fact    `json:"facts"`
	Records []uint64  `json:"records"` // in the log
	// Instance is whose log that is; empty: of the instance that tells it.
	Instance string `json:"instance,omitempty"`
}

func (Explanation) record() {}
