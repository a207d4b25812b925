// Package config reads the wishes of one stack from YAML or JSON files.
//
// It promises: the whole intent or every problem at once, each with file, line, column and,
// where there is one, the nearest right spelling; that no position in a file enters the name
// of a thing; that a secret comes in from outside and leaves only as a resource.Secret; that
// no input makes it panic.
//
// It knows schemas, not providers: which kinds there are comes in as source.Schemas. It
// writes nothing and keeps nothing between two loads.
//
// How a file is read: split.go cuts a big resources list into blocks where that is certainly
// safe, simple.go reads the plain blocks, yaml.go gives everything else to the YAML library,
// json.go reads JSON; all of them make the same small nodes. frame.go and block.go turn nodes
// into wishes by the tables of keys.go, which the reference and the JSON Schema come from
// too; names.go and needs.go then look at all wishes together.
package config
