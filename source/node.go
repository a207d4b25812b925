package source

import (
	"strconv"
	"strings"
)

// Shape is the shape of a Node.
type Shape uint8

// The shapes.
const (
	Scalar Shape = iota
	List
	Object
)

// Type is the type of a scalar in its own syntax, before any schema.
type Type uint8

// The types of scalars.
const (
	String Type = iota
	Int
	Float
	Bool
	Null
)

// Node is one node of what a source read, whatever its syntax. Lines and columns count from
// 1, columns in characters; they are 0 where the syntax has none. File tells where the lines are
// of a resource that is put together from several files: 0 is the file of Resource.At, n is
// Resource.Files[n-1].
type Node struct {
	Shape        Shape
	Type         Type
	Quoted       bool
	Line, Column int32
	File         int32
	Text         string // of a scalar: as written, without quotes
	Parts        *Parts // of a string with ${…} in it, once the source expanded it
	Bad          bool   // the source reported a problem with it; it has no value
	Kids         []Node // of a list: the items; of an object: key, value, key, value …
}

// Parts is a string in pieces: plain text, text from outside and references.
type Parts []Part

// Part is one piece of a string.
type Part struct {
	Text string // plain text, or the inside of ${…} of a reference
	// From is where Text came from, as "env:NAME" or "file:PATH": a secret may be in it. "" means that it is plain.
	From      string
	Public    bool // the configuration says that what comes From there may be shown
	Reference bool
}

// Get finds the value of a key in an object.
func (n *Node) Get(key string) *Node {
	if n == nil || n.Shape != Object {
		return nil
	}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		if n.Kids[i].Text == key {
			return &n.Kids[i+1]
		}
	}
	return nil
}

// IsNull reports a key without a value.
func (n *Node) IsNull() bool { return n.Shape == Scalar && n.Type == Null }

// What names the node in a message.
func (n *Node) What() string {
	switch {
	case n.Shape == List:
		return "a list"
	case n.Shape == Object:
		return "a block of keys"
	case n.Type == Null:
		return "nothing"
	case n.Type != String:
		return Clip(n.Text)
	}
	return Quote(n.Text)
}

// Form names the node's form in a message where another one is needed. It quotes nothing: text in a
// place where no text belongs may be a secret, as in a file that is no configuration at all.
func (n *Node) Form() string {
	switch {
	case n.Shape != Scalar || n.Type == Null:
		return n.What()
	case n.Type == Int || n.Type == Float:
		return "a number"
	case n.Type == Bool:
		return "true or false"
	}
	return "a string"
}

// AppendKey appends the content of the node, without its position: nodes with equal keys have
// the same meaning.
func (n *Node) AppendKey(dst []byte) []byte {
	dst = append(dst, byte('0'+n.Shape), byte('a'+n.Type))
	dst = append(dst, n.Text...)
	dst = append(dst, 0)
	if n.Parts != nil {
		for _, p := range *n.Parts {
			dst = append(append(append(append(dst, p.Text...), 2), p.From...), 2)
			dst = strconv.AppendBool(dst, p.Public)
		}
	}
	for i := range n.Kids {
		dst = n.Kids[i].AppendKey(dst)
	}
	return append(dst, 1)
}

// Clone copies the node and everything below it.
func (n *Node) Clone() Node {
	out := *n
	out.Kids = make([]Node, len(n.Kids))
	for i := range n.Kids {
		out.Kids[i] = n.Kids[i].Clone()
	}
	return out
}

// Locate finds the node at a path such as "ingress[0].port", or the deepest one above it.
func (n *Node) Locate(path string) (found *Node, exact bool) {
	for path != "" {
		step := path
		if i := strings.IndexAny(path, ".["); i >= 0 {
			step, path = path[:i], strings.TrimLeft(path[i:], ".[")
		} else {
			path = ""
		}
		next := n.Get(strings.TrimSuffix(step, "]"))
		// A number after a dot counts in a set that has been sorted since: with more than
		// one element it does not tell which.
		if i, err := strconv.Atoi(strings.TrimSuffix(step, "]")); err == nil && n.Shape == List && i >= 0 && i < len(n.Kids) {
			if strings.HasSuffix(step, "]") || len(n.Kids) == 1 {
				next = &n.Kids[i]
			}
		}
		if next == nil {
			return n, false
		}
		n = next
	}
	return n, true
}
