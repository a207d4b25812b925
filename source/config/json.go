package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// jsonReader makes nodes from JSON, with places, which encoding/json leaves out.
type jsonReader struct {
	dec  *json.Decoder
	text []byte
	// The place of byte off, moved forward as tokens are read.
	off       int
	line, col int32
}

func parseJSON(text []byte) (node, error) {
	r := &jsonReader{dec: json.NewDecoder(bytes.NewReader(text)), text: text, line: 1, col: 1}
	r.dec.UseNumber()
	n, err := r.value(0)
	if err == nil {
		if t, end := r.dec.Token(); !errors.Is(end, io.EOF) {
			err = fmt.Errorf("something stands after the end of the document: %v", t)
			if end != nil {
				err = end
			}
		}
	}
	if err != nil {
		return node{}, r.placed(err)
	}
	return n, nil
}

// placed gives a syntax error its place.
func (r *jsonReader) placed(err error) error {
	at := int(r.dec.InputOffset())
	var s *json.SyntaxError
	if errors.As(err, &s) {
		at = int(s.Offset) - 1
	}
	if at >= r.off {
		r.moveTo(at)
	}
	msg := strings.TrimPrefix(err.Error(), "json: ")
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		msg = "the file ends too early"
	}
	return &syntaxError{r.line, r.col, msg}
}

// moveTo moves the place forward to a byte.
func (r *jsonReader) moveTo(at int) {
	at = min(at, len(r.text))
	for r.off < at {
		c, size := utf8.DecodeRune(r.text[r.off:])
		r.off += size
		r.col++
		if c == '\n' {
			r.line, r.col = r.line+1, 1
		}
	}
}

// token reads one token and moves the place to its beginning.
func (r *jsonReader) token() (json.Token, error) {
	start := int(r.dec.InputOffset())
	t, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	for start < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[start]) >= 0 {
		start++
	}
	r.moveTo(start)
	return t, nil
}

func (r *jsonReader) value(depth int) (node, error) {
	if depth > maxDepth {
		return node{}, fmt.Errorf("nested more than %d levels deep", maxDepth)
	}
	t, err := r.token()
	if err != nil {
		return node{}, err
	}
	n := node{line: r.line, col: r.col}
	switch t := t.(type) {
	case nil:
		n.typ = nullT
	case bool:
		n.typ, n.text = boolT, fmt.Sprint(t)
	case string:
		n.text, n.quoted = t, true
	case json.Number:
		n.typ, n.text = intT, t.String()
		if strings.ContainsAny(n.text, ".eE") {
			n.typ = floatT
		}
	case json.Delim:
		n.shape = list
		if t == '{' {
			n.shape = object
		}
		return r.kids(n, depth)
	}
	return n, nil
}

// kids reads to the closing bracket. In an object keys and values take turns.
func (r *jsonReader) kids(n node, depth int) (node, error) {
	for r.dec.More() {
		k, err := r.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.kids = append(n.kids, k)
	}
	_, err := r.token()
	return n, err
}
