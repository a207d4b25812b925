package term

import "strings"

// Style is what the writer at the other end can show. The zero Style is a pipe: no color, text
// wrapped at 80 columns, tables not wrapped, nothing drawn over.
type Style struct {
	Width int  // columns; 0 is a pipe
	Color bool // ANSI colors
	Live  bool // lines may be drawn over: a terminal
	Quiet bool // of progress, only what failed
}

// Paint is one ANSI color or weight.
type Paint string

// The paints. An empty Paint leaves the text as it is.
const (
	Bold   Paint = "1"
	Dim    Paint = "2"
	Red    Paint = "31"
	green  Paint = "32"
	Yellow Paint = "33"
)

// In colors a text; without color, or of nothing, it is the text.
func (s Style) In(p Paint, text string) string {
	if !s.Color || text == "" || p == "" {
		return text
	}
	return "\x1b[" + string(p) + "m" + text + "\x1b[0m"
}

// pipeWidth is where the lines of a pipe are wrapped.
const pipeWidth = 80

// Columns returns the number of columns of a line.
func (s Style) Columns() int {
	if s.Width == 0 {
		return pipeWidth
	}
	return s.Width
}

// Room returns the number of columns behind an indent; always enough for a few words.
func (s Style) Room(indent int) int { return max(s.Columns()-indent, 20) }

// Spaces returns n spaces; none if n is negative.
func Spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }

// Colored returns a sign in its color. The sign of a replacement has two: the deletion is red, the
// creation green.
func (s Style) Colored(sign string) string {
	if sign == "#" {
		return s.In(Dim, sign)
	}
	if sign == ReplaceSign {
		return s.In(Red, "-") + "/" + s.In(green, "+")
	}
	return s.In(PaintOf(sign), sign)
}

// Alert returns the sign of a resource that needs an operator, in its color.
func (s Style) Alert() string { return s.Colored(ConflictSign) }

// PaintOf returns the color of a sign.
func PaintOf(sign string) Paint {
	switch sign {
	case "+":
		return green
	case "~", BlockedSign:
		return Yellow
	case "-", ConflictSign:
		return Red
	}
	return ""
}

// The signs of a plan that are not signs of one action.
const (
	ConflictSign = "!"
	BlockedSign  = "×"
	ReplaceSign  = "-/+"
)
