// Package term lays out text for a terminal or a pipe: styles, columns, wrapping and tables. It does
// not write a character that changes the terminal, and does not cut a value.
package term
