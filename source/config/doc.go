// Package config reads the configuration of one stack from YAML or JSON files.
//
// It reports every problem at once, each with file, line, column and, where there is one, the
// nearest correct spelling. No position in a file becomes part of a resource's name, and no
// input makes it panic. It writes nothing and keeps nothing between two loads.
//
// How a file is read: split.go cuts a big resources list into blocks where that is certainly
// safe, simple.go reads the plain blocks, yaml.go gives the others to the YAML library, json.go
// reads JSON; all of them make source.Nodes. document.go and block.go turn nodes into
// source.Resources by the tables of keys.go, which the reference and the JSON Schema come from
// too. Package source checks them.
package config
