package term

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

// Cleaner removes from a stream all characters that change a terminal. Texts of others are cleaned where a screen is
// made, because their widths count there; a Cleaner stands before the terminal, in case that was forgotten.
type Cleaner struct {
	Drawn bool   // the stream is a terminal: the colors and redrawn lines of ovi pass
	begun []byte // of a character whose end is in the next write
}

// drawn are the sequences that ovi writes: the paints of a style, and one that draws over lines.
var drawn = regexp.MustCompile("^(?:\x1b\\[(?:[012]|3[1-4])m|\x1b\\[[0-9]{1,4}A\r\x1b\\[J)")

// Clean returns what is written for a write. It can be b itself.
func (c *Cleaner) Clean(b []byte) []byte {
	if len(c.begun) > 0 {
		b = append(c.begun, b...)
		c.begun = nil
	}
	safe := 0
	for n := 0; safe < len(b); safe += n {
		if n = c.passes(b[safe:]); n == 0 {
			break
		}
	}
	if safe == len(b) {
		return b
	}
	out := bytes.NewBuffer(make([]byte, 0, len(b)+8))
	out.Write(b[:safe])
	for b = b[safe:]; len(b) > 0; {
		if n := c.passes(b); n > 0 {
			out.Write(b[:n])
			b = b[n:]
			continue
		}
		if b[0] >= utf8.RuneSelf && !utf8.FullRune(b) {
			c.begun = bytes.Clone(b)
			break
		}
		_, n := utf8.DecodeRune(b)
		out.WriteRune(utf8.RuneError)
		b = b[n:]
	}
	return out.Bytes()
}

// passes returns how many bytes at the start of b reach a terminal unchanged: a character, or a sequence of ovi.
func (c *Cleaner) passes(b []byte) int {
	switch x := b[0]; {
	case x == '\n', x == '\t', x >= ' ' && x < 0x7f:
		return 1
	case x == 0x1b && c.Drawn:
		return len(drawn.Find(b))
	case x < utf8.RuneSelf:
		return 0
	}
	if r, n := utf8.DecodeRune(b); n > 1 && !UnsafeRune(r) {
		return n
	}
	return 0
}
