package config

import "strings"

// simple reads the plain part of YAML that most blocks are written in: keys and values on
// one line, nested blocks and lists, quotes without escapes, brackets on one line, comments.
// Whatever it is not sure of it gives up on, and the YAML library reads that block: it must
// never read something otherwise than the library does (TestSimpleAgrees).
//
// Its nodes live until the next block is read.
type simple struct {
	rest  string // the lines not looked at yet
	line  int32  // of cur
	cur   string // the current line without its indentation
	ind   int    // its indentation
	has   bool
	bad   bool
	arena []node
	stack []node
}

// block reads one item of a list, from its dash to the next.
func (r *simple) block(s string, line int32) (n node, ok bool) {
	r.rest, r.line, r.bad = s, line-1, false
	r.arena, r.stack = r.arena[:0], r.stack[:0]
	r.advance()
	if !r.has || !r.dash() {
		return node{}, false
	}
	n, ok = r.mapping(r.ind, 0)
	return n, ok && !r.has && !r.bad
}

// advance goes to the next line that says something.
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

// dash takes the dash off the current line: what stands behind it is indented so far.
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

// keep moves the nodes above a mark of the stack to where they live.
func (r *simple) keep(mark int) []node {
	n := len(r.stack) - mark
	if len(r.arena)+n > cap(r.arena) {
		r.arena = make([]node, 0, max(64, 2*cap(r.arena), n))
	}
	from := len(r.arena)
	r.arena = append(r.arena, r.stack[mark:]...)
	r.stack = r.stack[:mark]
	return r.arena[from:len(r.arena):len(r.arena)]
}

func (r *simple) mapping(ind, depth int) (n node, ok bool) {
	n = node{shape: object, line: r.line, col: int32(ind + 1)}
	mark := len(r.stack)
	for r.has && r.ind == ind {
		k := wordEnd(r.cur)
		if k == 0 || k >= len(r.cur) || r.cur[k] != ':' || reserved(r.cur[:k]) {
			return n, false
		}
		r.stack = append(r.stack, node{text: r.cur[:k], line: r.line, col: int32(ind + 1)})
		v, ok := r.after(k+1, ind, depth)
		if !ok {
			return n, false
		}
		r.stack = append(r.stack, v)
	}
	n.kids = r.keep(mark)
	return n, !r.has || r.ind < ind
}

// after reads what stands behind a colon, on its line or below it.
func (r *simple) after(k, ind, depth int) (n node, ok bool) {
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
		n = node{line: r.line, col: int32(ind + k + 1)}
		n.text, ok = r.literal(ind, v == "|-")
		return n, ok && !(r.has && r.ind > ind)
	}
	n, ok = r.value(r.cur[k:], int32(ind+k+1))
	r.advance()
	return n, ok && !(r.has && r.ind > ind) // a deeper line would go on with the value
}

// below reads a nested block or list; a list's dashes may stand under the key itself.
func (r *simple) below(ind, depth int) (n node, ok bool) {
	list := strings.HasPrefix(r.cur, "- ")
	switch {
	case !r.has || depth > 8 || r.ind < ind || r.ind == ind && !list:
		return n, false
	case list:
		return r.list(r.ind, depth+1)
	}
	return r.mapping(r.ind, depth+1)
}

func (r *simple) list(ind, depth int) (n node, ok bool) {
	n = node{shape: list, line: r.line, col: int32(ind + 1)}
	mark := len(r.stack)
	for r.has && r.ind == ind && strings.HasPrefix(r.cur, "- ") {
		if !r.dash() {
			return n, false
		}
		var v node
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
	n.kids = r.keep(mark)
	return n, !r.has || r.ind <= ind
}
