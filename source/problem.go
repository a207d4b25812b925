package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source/conceal"
)

// Cause is what a problem makes impossible.
type Cause uint8

// The causes. What may be wrong with the whole is a problem of the whole.
const (
	Configuration Cause = iota // to read the stack: a file, two equal names, a dependency cycle
	Validation                 // to use one resource: an invalid value
	Dependency                 // to use one resource: what it refers to does not exist or is invalid
)

// String names a cause for programs.
func (c Cause) String() string {
	switch c {
	case Validation:
		return "validation"
	case Dependency:
		return "dependency"
	}
	return "configuration"
}

// Problem is one error in a configuration: what failed, where, why and what to do.
type Problem struct {
	Cause      Cause
	At         position.Position
	Ref        string // the resource, if known: "ec2/web"
	Summary    string
	Detail     string
	Suggestion string
	// Others are further positions that the problem concerns, such as another resource of the same name.
	Others []position.Position
	// Same are the further resources with this problem at this position: the other members of a for_each.
	Same []string
}

// String is the problem as a user reads it, without "Error: " before it.
func (p Problem) String() string {
	s := p.Summary
	if p.Detail != "" {
		s += ": " + p.Detail
	}
	if place := p.place(); place != "" {
		s += "\n  at " + place
	}
	if p.Suggestion != "" {
		s += "\n  Suggestion: " + p.Suggestion
	}
	return s
}

func (p Problem) place() string {
	at := p.At.String()
	if p.At.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", p.At.File, p.At.Line, p.At.Column)
	}
	ref := p.Ref
	if n := len(p.Same); n > 0 {
		ref += fmt.Sprintf(" and %d more", n)
	}
	used := ""
	if p.At.Line > 0 && p.At.Used != "" {
		used = ", used at " + p.At.Used
	}
	switch {
	case at == "":
		return ref
	case p.Ref == "":
		return at + used
	}
	return at + " (" + ref + ")" + used
}

// Problems is everything wrong with a configuration, sorted by position. It is an error.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, x := range p {
		lines[i] = x.String()
	}
	return strings.Join(lines, "\n")
}

// summary is a list of problems as one text: the first, and how many more there are.
func summary(all Problems, more int) string {
	if len(all) == 0 {
		return "it depends on a part that could not be read"
	}
	first := all[0]
	text := first.Summary
	if first.Detail != "" {
		text += ": " + first.Detail
	}
	if place := first.place(); place != "" {
		text = place + ": " + text
	}
	if n := len(all) - 1 + more; n > 0 {
		text += fmt.Sprintf("; and %d more", n)
	}
	return text
}

// Brief is the first problem with its position, in one line, and how many more there are.
func (p Problems) Brief() string { return summary(p, 0) }

// Sort sorts by position, then summary.
func (p Problems) Sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Summary, b.Summary))
	})
}

// maxProblems bounds what one load reports; the rest is counted. After maxHints the nearest
// name is no longer searched: in a big stack that takes time.
const (
	maxProblems = 1000
	maxHints    = 50
)

// report collects the problems of one draft, with what came from outside hidden: it may be a
// secret in the wrong place.
type report struct {
	problems Problems
	of       map[sameProblem]int // of problems
	more     int                 // problems beyond maxProblems
	outside  map[string]string   // what came from outside, and how it was written
	// InQuotes tells that messages have what came from outside only in quotes: where a message would have it as a name or
	// a number, the source refuses it.
	InQuotes bool
}

// sameProblem identifies a problem that several members of one block have.
type sameProblem struct {
	cause                       Cause
	at                          position.Position
	summary, detail, suggestion string
}

// note adds a problem. The same problem of another member of a block is counted: one wrong word is one error.
func (r *report) note(p Problem) {
	conceal.Texts(r.outside, r.InQuotes, &p.Ref, &p.Summary, &p.Detail, &p.Suggestion)
	place := p.At
	place.Used = "" // the first use of a component is named
	key := sameProblem{p.Cause, place, p.Summary, p.Detail, p.Suggestion}
	if i, again := r.of[key]; again && p.At.Line > 0 && len(p.Others) == 0 {
		if p.Ref != r.problems[i].Ref {
			r.problems[i].Same = append(r.problems[i].Same, p.Ref)
		}
		return
	}
	if len(r.problems) == maxProblems {
		r.more++
		return
	}
	if r.of == nil {
		r.of = map[sameProblem]int{}
	}
	r.of[key] = len(r.problems)
	r.problems = append(r.problems, p)
}

// sorted returns the problems in the order of their positions.
func (r *report) sorted() Problems {
	out := slices.Clone(r.problems)
	out.Sort()
	return out
}

func (r *report) count() int { return len(r.problems) + r.more }

// Suggest suggests the nearest name, or lists the names if they are few.
func Suggest(word string, names []string) string {
	if near, ok := resource.Nearest(word, names); ok {
		return "use " + near
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > 16:
		return "see `ovi kinds`"
	case len(names) == 1:
		return "use " + names[0]
	}
	return "use one of " + strings.Join(names, ", ")
}

// Quote quotes text for a message, shortened.
func Quote(s string) string { return fmt.Sprintf("%q", Clip(s)) }

// Clip shortens a text for a message.
func Clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// isBroken reports that a name may be of a resource with problems of its own.
func isBroken(broken map[string]bool, name string) bool {
	i := strings.LastIndexByte(name, '-')
	return broken[""] || broken[name] || i > 0 && broken[name[:i]]
}
