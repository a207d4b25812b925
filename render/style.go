package render

import (
	"strings"

	"github.com/ovi-project/ovi/decider"
)

// Style is what the writer at the other end can show. The zero Style is a pipe: no colour,
// no bound on the width, nothing drawn over.
type Style struct {
	Width int  // columns; 0 is unbounded
	Color bool // ANSI colours
	Live  bool // lines may be drawn over: a terminal
	Quiet bool // of progress, only what went wrong
}

// paint is one ANSI colour or weight.
type paint string

const (
	bold    paint = "1"
	dim     paint = "2"
	red     paint = "31"
	green   paint = "32"
	yellow  paint = "33"
	magenta paint = "35"
	cyan    paint = "36"
)

// in colours a text; without colour, or of nothing, it is the text.
func (s Style) in(p paint, text string) string {
	if !s.Color || text == "" || p == "" {
		return text
	}
	return "\x1b[" + string(p) + "m" + text + "\x1b[0m"
}

// colourOf is the colour of an action's mark.
func colourOf(a decider.Action) paint {
	switch a {
	case decider.Create:
		return green
	case decider.Update:
		return yellow
	case decider.Replace:
		return magenta
	case decider.Restart:
		return cyan
	case decider.Delete:
		return red
	default:
		return bold
	}
}

// mark is the coloured sign of an action.
func (s Style) mark(a decider.Action) string { return s.in(colourOf(a), a.Symbol()) }

// room is how many columns are left behind an indent; always enough to say something.
func (s Style) room(indent int) int {
	if s.Width == 0 {
		return 0
	}
	return max(s.Width-indent, 20)
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }
