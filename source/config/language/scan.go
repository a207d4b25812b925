package language

import (
	"regexp"
	"slices"
	"strings"
)

// pieceKind is the kind of a piece of a string.
type pieceKind uint8

const (
	literal    pieceKind = iota
	outside              // env:NAME or file:PATH
	reference            // KIND/NAME.PATH
	expression           // CEL
)

// piece is one piece of a string: literal text, or the inside of ${…}.
type piece struct {
	kind   pieceKind
	text   string
	nth    int     // number of the ${ in the string, from 0
	inner  []piece // of an outside value or a reference with expressions inside it
	nested bool    // inner has an expression
}

var (
	outsideStart   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*:`)
	referenceStart = regexp.MustCompile(`^(\$\{|[a-z][a-z0-9_-]*/)`)
	computedStart  = regexp.MustCompile(`^(vars|locals|each|index)/`)
)

// scan cuts a string at its ${…}. $${ is a literal ${. False means that a ${ has no }.
func scan(s string) (pieces []piece, ok bool) {
	c := scanner{s: s}
	pieces, ok = c.pieces(len(s))
	return pieces, ok
}

// scanned is a string cut at its ${…}.
type scanned struct {
	pieces   []piece
	ok       bool
	computed bool
}

// scanner reads one string.
type scanner struct {
	s    string
	at   int
	nth  int
	deep int
}

// mostNested bounds ${…} inside ${…}.
const mostNested = 8

// pieces reads pieces up to a position.
func (c *scanner) pieces(end int) (out []piece, ok bool) {
	plain := func(text string) {
		switch n := len(out); {
		case text == "":
		case n > 0 && out[n-1].kind == literal:
			out[n-1].text += text
		default:
			out = append(out, piece{kind: literal, text: text})
		}
	}
	for c.at < end {
		i := strings.Index(c.s[c.at:end], "${")
		if i < 0 {
			plain(c.s[c.at:end])
			c.at = end
			break
		}
		start := c.at
		c.at += i + 2
		c.nth++
		if i > 0 && c.s[start+i-1] == '$' {
			plain(c.s[start:start+i-1] + "${")
			continue
		}
		plain(c.s[start : start+i])
		p, fine := c.inside(end)
		if !fine {
			return nil, false
		}
		out = append(out, p)
	}
	return out, true
}

// inside reads the inside of a ${…} and its }.
func (c *scanner) inside(end int) (piece, bool) {
	p := piece{kind: expression, nth: c.nth - 1}
	rest := c.s[c.at:end]
	switch {
	case outsideStart.MatchString(rest):
		p.kind = outside
	case referenceStart.MatchString(rest) && !computedStart.MatchString(rest):
		p.kind = reference
	}
	if p.kind != expression {
		if n := closing(rest); n >= 0 && (p.kind == outside || !hasSpace(rest[:n])) {
			p.text = rest[:n]
			after := c.at + n + 1
			if strings.Contains(p.text, "${") {
				if c.deep++; c.deep > mostNested {
					return p, false
				}
				var ok bool
				if p.inner, ok = c.pieces(c.at + n); !ok {
					return p, false
				}
				c.deep--
				p.nested = slices.ContainsFunc(p.inner, func(in piece) bool { return in.kind != literal })
			}
			c.at = after
			return p, true
		}
		p.kind = expression
	}
	n := closingCEL(rest)
	if n < 0 {
		return p, false
	}
	p.text = rest[:n]
	c.nth += strings.Count(p.text, "${")
	c.at += n + 1
	return p, true
}

// hasSpace reports white space outside of the ${…} in a text.
func hasSpace(s string) bool {
	deep := 0
	for i := range len(s) {
		switch {
		case strings.HasPrefix(s[i:], "${"):
			deep++
		case s[i] == '}':
			deep--
		case deep <= 0 && strings.IndexByte(" \t\r\n", s[i]) >= 0:
			return true
		}
	}
	return false
}

// closing finds the } of a reference: the first one that closes no ${ inside it. -1 means none.
func closing(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '}':
			return i
		case strings.HasPrefix(s[i:], "${"):
			n := closingCEL(s[i+2:])
			if n < 0 {
				return -1
			}
			i += 2 + n
		}
	}
	return -1
}

// closingCEL finds the } of an expression: braces, quotes and comments inside it are its own. -1 means none.
func closingCEL(s string) int {
	deep := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			deep++
		case '}':
			if deep == 0 {
				return i
			}
			deep--
		case '\'', '"':
			n := quoted(s[i:], i > 0 && (s[i-1] == 'r' || s[i-1] == 'R') && !wordBefore(s, i-1))
			if n < 0 {
				return -1
			}
			i += n - 1
		case '/':
			if strings.HasPrefix(s[i:], "//") {
				n := strings.IndexByte(s[i:], '\n')
				if n < 0 {
					return -1
				}
				i += n
			}
		}
	}
	return -1
}

// wordBefore reports whether a letter or digit is before a position.
func wordBefore(s string, i int) bool {
	return i > 0 && (s[i-1] == '_' || s[i-1] >= '0' && s[i-1] <= '9' || s[i-1]|0x20 >= 'a' && s[i-1]|0x20 <= 'z')
}

// quoted returns the length of the string literal of CEL that a text starts with. -1 means that it has no end.
func quoted(s string, raw bool) int {
	quote := s[:1]
	if strings.HasPrefix(s, strings.Repeat(quote, 3)) {
		quote = s[:3]
	}
	for i := len(quote); i < len(s); i++ {
		if s[i] == '\\' && !raw {
			i++
			continue
		}
		if strings.HasPrefix(s[i:], quote) {
			return i + len(quote)
		}
	}
	return -1
}

// isComputed reports whether a string needs this package: the other sources read the rest as ever.
func isComputed(pieces []piece) bool {
	return slices.ContainsFunc(pieces, func(p piece) bool {
		return p.nested || p.kind == expression && !isForeign(p.text) || p.isUse()
	})
}

// isForeign reports whether the inside of a ${…} is a path that starts with a name which no expression has: most
// often a reference that lacks its kind.
func isForeign(text string) bool {
	if strings.TrimSpace(text) == "" {
		return true
	}
	root, _, _ := strings.Cut(text, ".")
	known := slices.Concat(roots(), []string{"true", "false", "null", "var", "local"})
	return barePath.MatchString(text) && !slices.Contains(known, root)
}

// roots are the names that an expression can start with.
func roots() []string { return []string{"vars", "locals", "each", "index", "environment", "stack"} }

var barePath = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)

// isUse reports whether a piece reads an output of a component.
func (p *piece) isUse() bool { return p.kind == reference && strings.HasPrefix(p.text, "use/") }
