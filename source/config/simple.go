package config

import (
	"strings"

	"github.com/ovi-project/ovi/source"
)

// simple reads the plain part of YAML that most blocks use: keys and values on one line,
// nested blocks and lists, simple escapes, brackets on one line, comments. It gives up on
// anything else, and the YAML library reads that block: simple must never read a text
// differently than the library (TestSimpleAgrees). Without it a plan of 10,000 resources needs
// three times as long and as much memory.
//
// Its nodes are valid until the next block is read.
type simple struct {
	rest  string // the remaining lines
	line  int32  // of cur
	cur   string // the current line without its indentation
	ind   int    // its indentation
	has   bool
	bad   bool
	arena []source.Node
	stack []source.Node
}

// block reads one item of a list, from its dash to the next.
func (r *simple) block(s string, line int32) (n source.Node, ok bool) {
	r.rest, r.line, r.bad = s, line-1, false
	r.arena, r.stack = r.arena[:0], r.stack[:0]
	r.advance()
	if !r.has || !r.dash() {
		return source.Node{}, false
	}
	n, ok = r.mapping(r.ind, 0)
	return n, ok && !r.has && !r.bad
}

// advance goes to the next line that is neither empty nor a comment.
func (r *simple) advance() {
	r.has = false
	for r.rest != "" && !r.bad {
		line, rest, _ := strings.Cut(r.rest, "\n")
		r.rest = rest
		r.line++
		line = strings.TrimSuffix(line, "\r")
		ind := 0
		for ind < len(line) && line[ind] == ' ' {
			ind++
		}
		r.bad = !printable(line[ind:])
		if ind < len(line) && line[ind] != '#' {
			r.cur, r.ind, r.has = strings.TrimRight(line[ind:], " "), ind, !r.bad
			return
		}
	}
}

// dash removes the dash from the current line: what follows it is indented that far.
func (r *simple) dash() bool {
	if !strings.HasPrefix(r.cur, "- ") {
		return false
	}
	k := 1
	for k < len(r.cur) && r.cur[k] == ' ' {
		k++
	}
	r.cur, r.ind = r.cur[k:], r.ind+k
	return r.cur != ""
}

// keep moves the nodes above a mark of the stack to the arena.
func (r *simple) keep(mark int) []source.Node {
	n := len(r.stack) - mark
	if len(r.arena)+n > cap(r.arena) {
		r.arena = make([]source.Node, 0, max(64, 2*cap(r.arena), n))
	}
	from := len(r.arena)
	r.arena = append(r.arena, r.stack[mark:]...)
	r.stack = r.stack[:mark]
	return r.arena[from:len(r.arena):len(r.arena)]
}

func (r *simple) mapping(ind, depth int) (n source.Node, ok bool) {
	n = source.Node{Shape: source.Object, Line: r.line, Column: int32(ind + 1)}
	mark := len(r.stack)
	for r.has && r.ind == ind {
		k := wordEnd(r.cur)
		if k == 0 || k >= len(r.cur) || r.cur[k] != ':' || reserved(r.cur[:k]) {
			return n, false
		}
		r.stack = append(r.stack, source.Node{Text: r.cur[:k], Line: r.line, Column: int32(ind + 1)})
		v, ok := r.after(k+1, ind, depth)
		if !ok {
			return n, false
		}
		r.stack = append(r.stack, v)
	}
	n.Kids = r.keep(mark)
	return n, !r.has || r.ind < ind
}

// after reads what follows a colon, on its line or below it.
func (r *simple) after(k, ind, depth int) (n source.Node, ok bool) {
	from := k
	for k < len(r.cur) && r.cur[k] == ' ' {
		k++
	}
	switch {
	case k == len(r.cur) || r.cur[k] == '#' && k > from:
		r.advance()
		return r.below(ind, depth)
	case k == from:
		return n, false
	}
	if v := r.cur[k:]; v == "|" || v == "|-" {
		n = source.Node{Line: r.line, Column: int32(ind + k + 1)}
		n.Text, ok = r.literal(ind, v == "|-")
		return n, ok && !(r.has && r.ind > ind)
	}
	n, ok = r.value(r.cur[k:], int32(ind+k+1))
	r.advance()
	return n, ok && !(r.has && r.ind > ind) // a deeper line would continue the value
}

// below reads a nested block or list; a list's dashes may be in the column of the key.
func (r *simple) below(ind, depth int) (n source.Node, ok bool) {
	list := strings.HasPrefix(r.cur, "- ")
	switch {
	case !r.has || depth > 8 || r.ind < ind || r.ind == ind && !list:
		return n, false
	case list:
		return r.list(r.ind, depth+1)
	}
	return r.mapping(r.ind, depth+1)
}

func (r *simple) list(ind, depth int) (n source.Node, ok bool) {
	n = source.Node{Shape: source.List, Line: r.line, Column: int32(ind + 1)}
	mark := len(r.stack)
	for r.has && r.ind == ind && strings.HasPrefix(r.cur, "- ") {
		if !r.dash() {
			return n, false
		}
		var v source.Node
		if k := wordEnd(r.cur); k > 0 && k < len(r.cur) && r.cur[k] == ':' && (k+1 == len(r.cur) || r.cur[k+1] == ' ') {
			v, ok = r.mapping(r.ind, depth)
		} else {
			v, ok = r.value(r.cur, int32(r.ind+1))
			r.advance()
			ok = ok && !(r.has && r.ind > ind)
		}
		if !ok {
			return n, false
		}
		r.stack = append(r.stack, v)
	}
	n.Kids = r.keep(mark)
	return n, !r.has || r.ind <= ind
}
