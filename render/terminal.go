package render

import "github.com/ovi-project/ovi/render/term"

// Style is what the writer at the other end can show.
type Style = term.Style

// Table is rows under a head, in columns as wide as they must be.
type Table = term.Table

// Wrap breaks a text at its spaces into lines of so many columns.
func Wrap(s string, width int) []string { return term.Wrap(s, width) }

// Shortened returns a text cut to at most a number of columns.
func Shortened(s string, width int) string { return term.Shortened(s, width) }

// Printable returns a text without characters that change a terminal.
func Printable(s string) string { return term.Printable(s) }
