package render

import "strings"

// Style is what the writer at the other end can show. The zero Style is a pipe: no color, text
// wrapped at 80 columns, tables not wrapped, nothing drawn over.
type Style struct {
	Width int  // columns; 0 is a pipe
	Color bool // ANSI colors
	Live  bool // lines may be drawn over: a terminal
	Quiet bool // of progress, only what failed
}

// paint is one ANSI color or weight.
type paint string

const (
	bold   paint = "1"
	dim    paint = "2"
	red    paint = "31"
	green  paint = "32"
	yellow paint = "33"
)

// in colors a text; without color, or of nothing, it is the text.
func (s Style) in(p paint, text string) string {
	if !s.Color || text == "" || p == "" {
		return text
	}
	return "\x1b[" + string(p) + "m" + text + "\x1b[0m"
}

// pipeWidth is where the lines of a pipe are wrapped.
const pipeWidth = 80

// width is how many columns a line may have.
func (s Style) width() int {
	if s.Width == 0 {
		return pipeWidth
	}
	return s.Width
}

// room is how many columns are left behind an indent; always enough for a few words.
func (s Style) room(indent int) int { return max(s.width()-indent, 20) }

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }
