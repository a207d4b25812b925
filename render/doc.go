// Package render shows plans, progress and the record to people (text in the width of their
// terminal) and to machines (JSON lines, YAML).
//
// It promises that a mark and its ref are never broken over two lines, that nothing is
// coloured but on a terminal, that a pipe gets whole lines only, and that a secret is shown
// as "(secret)" in every form. It knows nothing of providers, stores or the engine: it is
// given plans, events and records, and a writer.
package render
