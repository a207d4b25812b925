package sqlite

import (
	"cmp"
	"regexp"
	"strconv"

	"github.com/ovi-project/ovi/source"
)

// The values of desired_state.
const (
	Present = "present"
	Absent  = "absent"
)

// The columns that declare something, in the order in which they are read.
const (
	columnName = iota
	columnProvider
	columnSubnet
	columnNodePort
	columnPfPort
	columnHTTPPort
	columnHTTPSPort
	columnDesired
	columns
)

// declared are the names of the columns, in the order above.
func declared() [columns]string {
	return [columns]string{
		"name", "provider", "subnet", "node_port", "pf_port", "http_port", "https_port",
		"desired_state",
	}
}

// cell is a value of SQLite, which may be of another type than its column.
type cell struct {
	Type string // integer, real, text, blob or null
	Text string // "" of null
}

// row is a row as it was read, unchecked.
type row struct {
	cells [columns]cell
	n     int   // its number by name, from 1
	since int64 // grows with the time at which the row was inserted
}

// text is the text in a column; "" if there is none.
func (r *row) text(column int) string {
	if r.cells[column].Type != "text" {
		return ""
	}
	return r.cells[column].Text
}

func (r *row) name() string { return r.text(columnName) }

// label names the row in a message: by its cluster, or by its number where that is no name.
func (r *row) label() string {
	if name := r.name(); validName(name) {
		return name
	}
	return strconv.Itoa(r.n)
}

// ref is the short name of the resource; "" if it has no valid one.
func (r *row) ref() string {
	if name := r.name(); validName(name) {
		return Kind + "/" + name
	}
	return ""
}

// named is what kind, k3d and the host names of the routes accept.
var named = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

func validName(s string) bool { return len(s) <= 63 && named.MatchString(s) }

// port is a column with a port: 0 where it is null, false where it is no valid port.
func (r *row) port(column int) (int, bool) {
	c := r.cells[column]
	if c.Type == "null" {
		return 0, true
	}
	n, err := strconv.Atoi(c.Text)
	if c.Type != "integer" || err != nil || n < minPort || n > maxPort {
		return 0, false
	}
	return n, true
}

const (
	minPort = 1024
	maxPort = 65535
)

// attrs are the attributes of the cluster that a valid row declares, with an image of its nodes; null, and
// no image, are not configured.
func (r *row) attrs(image string) source.Node {
	out := source.Node{Shape: source.Object}
	add := func(column int, t source.Type) {
		if text := r.cells[column].Text; text != "" {
			out.Kids = append(out.Kids, source.Node{Text: declared()[column]},
				source.Node{Type: t, Quoted: t == source.String, Text: text})
		}
	}
	add(columnProvider, source.String)
	add(columnSubnet, source.String)
	for _, column := range ports() {
		add(column, source.Int)
	}
	if image != "" {
		out.Kids = append(out.Kids, source.Node{Text: "image"}, source.Node{Type: source.String, Quoted: true, Text: image})
	}
	return out
}

// ports are the columns of ports. node_port is a port of the cluster's nodes; the others are ports of
// the host, which only one cluster can have.
func ports() []int { return append(hostPorts(), columnNodePort) }

func hostPorts() []int { return []int{columnPfPort, columnHTTPPort, columnHTTPSPort} }

// what describes a value that is of the wrong type, without its content: it may be anything.
func (c cell) what() string {
	if c.Type == "text" || c.Type == "integer" || c.Type == "real" {
		return source.Quote(c.Text)
	}
	return cmp.Or(map[string]string{"null": "null", "blob": "binary data"}[c.Type], c.Type)
}
