// Package syntax reads YAML into source.Nodes with their positions, and turns the YAML library's
// errors into a position and advice. It knows no keys: sources give the nodes their meaning.
package syntax
