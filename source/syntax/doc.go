// Package syntax reads YAML and JSON into source.Nodes with their positions, a long list in pieces on
// all cores, and turns the errors of their libraries into a position and advice. It knows no keys:
// sources give the nodes their meaning.
package syntax
