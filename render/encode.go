package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/render/term"
)

// Encoder writes records for programs, each in one write.
type Encoder interface{ Encode(r Record) error }

// NewJSON writes one JSON object a line.
func NewJSON(w io.Writer) Encoder { return jsonLines{w} }

// NewYAML writes one YAML document a record, with the same names and order.
func NewYAML(w io.Writer) Encoder { return yamlDocs{w} }

type jsonLines struct{ w io.Writer }

func (j jsonLines) Encode(r Record) error {
	b, err := marshal(r)
	if err != nil {
		return err
	}
	_, err = j.w.Write(b)
	return err
}

// marshal is JSON without HTML escapes, with its newline.
func marshal(r Record) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("render: %T: %w", r, err)
	}
	return escaped(b.Bytes()), nil
}

// escaped has an escape in place of each control code that JSON leaves as it is: a record may be
// read on a terminal. Outside of strings there are none, but line ends.
func escaped(b []byte) []byte {
	if bytes.IndexFunc(b, unsafeInString) < 0 {
		return b
	}
	var out bytes.Buffer
	for _, r := range string(b) {
		if unsafeInString(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}

func unsafeInString(r rune) bool { return r != '\n' && term.UnsafeRune(r) }

type yamlDocs struct{ w io.Writer }

// Encode goes through JSON, which is YAML: so both have the same names in the same order.
func (y yamlDocs) Encode(r Record) error {
	b, err := marshal(r)
	if err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return fmt.Errorf("render: %T: %w", r, err)
	}
	block(&doc)
	var out bytes.Buffer
	out.WriteString("---\n")
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(&doc); err != nil {
		return fmt.Errorf("render: %T: %w", r, err)
	}
	_, err = y.w.Write(escaped(out.Bytes()))
	return err
}

// block removes JSON's style, and keeps quotes where YAML needs them, and where escapes must be.
func block(n *yaml.Node) {
	if n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode {
		n.Style = 0
	}
	if n.Kind == yaml.ScalarNode && n.Style == yaml.DoubleQuotedStyle && strings.IndexFunc(n.Value, unsafeInString) < 0 {
		n.Style = 0
	}
	for _, c := range n.Content {
		block(c)
	}
}
