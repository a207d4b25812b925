package syntax

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/ovi-project/ovi/source"
)

// jsonReader makes nodes from JSON, with positions, which encoding/json omits.
type jsonReader struct {
	dec  *json.Decoder
	text []byte
	// The position of byte off, moved forward as tokens are read.
	off       int
	line, col int32
}

// ParseJSON parses a JSON document into nodes with positions.
func ParseJSON(text []byte) (source.Node, error) {
	r := &jsonReader{dec: json.NewDecoder(bytes.NewReader(text)), text: text, line: 1, col: 1}
	r.dec.UseNumber()
	n, err := r.value(0)
	if err == nil {
		if _, end := r.dec.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("unexpected text after the end of the document")
			if end != nil {
				err = end
			}
		}
	}
	if err != nil {
		return source.Node{}, r.placed(err)
	}
	return n, nil
}

// placed gives a syntax error its position.
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
	if s != nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		if found := jsonFault(r.text); found != nil {
			from := jsonReader{text: r.text, line: 1, col: 1}
			from.moveTo(found.at)
			return &Error{from.line, from.col, found.summary, found.suggestion}
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		msg = "unexpected end of file"
	}
	return &Error{Line: r.line, Col: r.col, Msg: msg}
}

// moveTo moves the position forward to a byte.
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

// token reads one token and moves the position to its start.
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

func (r *jsonReader) value(depth int) (source.Node, error) {
	if depth > MaxDepth {
		return source.Node{}, fmt.Errorf("nested more than %d levels deep", MaxDepth)
	}
	t, err := r.token()
	if err != nil {
		return source.Node{}, err
	}
	n := source.Node{Line: r.line, Column: r.col}
	switch t := t.(type) {
	case nil:
		n.Type = source.Null
	case bool:
		n.Type, n.Text = source.Bool, fmt.Sprint(t)
	case string:
		n.Text, n.Quoted = t, true
	case json.Number:
		n.Type, n.Text = source.Int, t.String()
		if strings.ContainsAny(n.Text, ".eE") {
			n.Type = source.Float
		}
	case json.Delim:
		n.Shape = source.List
		if t == '{' {
			n.Shape = source.Object
		}
		for r.dec.More() { // in an object keys and values alternate
			k, err := r.value(depth + 1)
			if err != nil {
				return n, err
			}
			n.Kids = append(n.Kids, k)
		}
		_, err = r.token() // the closing bracket
		return n, err
	}
	return n, nil
}
