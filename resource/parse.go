package resource

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ParseJSON reads one value as AppendJSON writes it. null is nil. Bytes after the value, a
// name twice in one object and numbers out of range are errors.
func ParseJSON(b []byte) (Value, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	v, err := parseValue(d)
	if err != nil {
		return nil, fmt.Errorf("resource: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("resource: bytes after the value")
	}
	return v, nil
}

func parseValue(d *json.Decoder) (Value, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case nil:
		return nil, nil
	case bool:
		return Bool(t), nil
	case string:
		return String(t), nil
	case json.Number:
		return parseNumber(string(t))
	case json.Delim:
		if t == '[' {
			return parseList(d)
		}
		return parseObject(d)
	}
	return nil, fmt.Errorf("unexpected %v", t)
}

func parseNumber(s string) (Value, error) {
	if strings.ContainsAny(s, ".eE") {
		f, err := strconv.ParseFloat(s, 64)
		return Float(f), err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return Int(n), err
}

func parseList(d *json.Decoder) (Value, error) {
	out := List{}
	for d.More() {
		v, err := parseValue(d)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	_, err := d.Token()
	return out, err
}

func parseObject(d *json.Decoder) (Value, error) {
	var out []Attr
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("unexpected %v where a name should stand", t)
		}
		v, err := parseValue(d)
		if err != nil {
			return nil, err
		}
		out = append(out, Attr{name, v})
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	return fromObject(out)
}

// fromObject tells digests and references from plain objects by their one reserved name.
func fromObject(in []Attr) (Value, error) {
	attrs := NewAttrs(in...)
	if len(attrs) != len(in) {
		return nil, errors.New("a name stands twice in one object")
	}
	if len(attrs) == 1 {
		s, isString := attrs[0].Value.(String)
		switch {
		case attrs[0].Name == "$digest" && isString:
			return Digest(s), nil
		case attrs[0].Name == "$ref" && isString:
			r, err := ParseRef(string(s))
			return Reference{r}, err
		}
	}
	return attrs, nil
}
