// Package language evaluates the expressions of a configuration: ${…} in strings, variables, locals,
// environments and repeated blocks. It turns source.Nodes with expressions into source.Nodes without them, before
// anything else reads the nodes. It knows no kinds and no keys of a block other than its own.
//
// Structure is known when a configuration is read; values may come later. A reference to a resource and a secret are
// Opaque: they are passed on whole or joined into text, and no expression computes with them.
package language
