// Package source says what a source of wishes must promise. Sources know schemas, not
// providers; they know neither the engine nor the record.
package source

import (
	"context"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Source reads the wishes of one stack.
type Source interface {
	// Load reads everything the stack wants, or gives an error: never a part. What is wrong
	// with the wishes comes as Problems, all at once.
	Load(ctx context.Context) (resource.Intent, error)
}

// Schemas finds the schema of a kind; kinds are what a source checks wishes against.
type Schemas interface {
	// Kind finds a schema by provider and kind.
	Kind(provider, kind string) (resource.Kind, bool)
	// Kinds lists the schemas of a provider, sorted by name; nil for an unknown provider.
	Kinds(provider string) []resource.Kind
	// Providers lists the names of the providers, sorted.
	Providers() []string
}

// Problem is one thing wrong with a source, with its place.
type Problem struct {
	At         resource.Position
	Ref        string // the thing it concerns, if known: "ec2/web-0"
	Summary    string
	Detail     string
	Suggestion string
}

func (p Problem) String() string {
	s := p.Summary
	switch {
	case p.At.File != "" && p.At.Line == 0:
		s = p.At.File + ": " + s // the file as a whole
	case p.At.File != "":
		s = fmt.Sprintf("%s:%d:%d: %s", p.At.File, p.At.Line, p.At.Column, s)
	}
	if p.Detail != "" {
		s += ": " + p.Detail
	}
	if p.Suggestion != "" {
		s += " (" + p.Suggestion + ")"
	}
	return s
}

// Problems is everything wrong with a source, in order of place. It is an error.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, x := range p {
		lines[i] = x.String()
	}
	return strings.Join(lines, "\n")
}
