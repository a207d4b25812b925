// Package config reads the configuration of one stack from YAML or JSON files.
//
// It reports every problem at once, each with file, line, column and, where there is one, the
// nearest correct spelling. No position in a file becomes part of a resource's name, and no
// input makes it panic. It writes nothing and keeps nothing between two loads.
//
// How a file is read: input finds it, source/syntax makes source.Nodes of it, a long list of resources
// in pieces on all cores. document.go and block.go turn nodes into source.Resources by the tables of
// keys.go, which the reference and the JSON Schema come from too. Below them language evaluates
// expressions before a node is read, read reads values, and settings what holds for the whole stack.
// Package source checks the resources.
package config
