package render

import (
	"io"
	"strings"

	"github.com/ovi-project/ovi/render/term"
)

// Notice is something that an operator should know: "aws/eu-west-1 is unreachable; last
// observed 2h ago".
type Notice struct {
	Text       string
	Suggestion string // the next step; empty if there is none
	Note       bool   // it needs no operator
}

// Write writes the notice for people, with its sign.
func (n Notice) Write(w io.Writer, s term.Style) error {
	p := term.Writer{Style: s}
	if n.Note {
		p.Signed("#", term.Dim, n.Text, 0)
	} else {
		p.Signed(term.ConflictSign, term.Red, n.Text, 0)
	}
	if n.Suggestion != "" {
		p.Hanging(term.DetailIndent, term.Suggestion+n.Suggestion)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// StatusRow is one managed resource in the screen of `ovi status`.
type StatusRow struct{ Stack, Resource, ID, Health, Observed, Note string }

// StatusView is the managed resources as last observed, and what an operator should know.
type StatusView struct {
	Rows    []StatusRow
	Notices []Notice
}

// Write writes the status for people: the rows of each stack under its name.
func (v StatusView) Write(w io.Writer, s term.Style) error {
	var b strings.Builder
	if len(v.Rows) == 0 {
		b.WriteString("No managed resources.\n")
	}
	for i := 0; i < len(v.Rows); {
		stack := v.Rows[i].Stack
		t := term.Table{Head: []string{"RESOURCE", "ID", "HEALTH", "OBSERVED", "NOTE"}, Flexible: 4, Below: 1}
		for ; i < len(v.Rows) && v.Rows[i].Stack == stack; i++ {
			r := v.Rows[i]
			t.Rows = append(t.Rows, []string{r.Resource, r.ID, r.Health, r.Observed, r.Note})
		}
		b.WriteString(s.In(term.Dim, "Stack "+term.OneLine(stack)) + "\n")
		if err := t.Write(&b, s); err != nil {
			return err
		}
	}
	for _, n := range v.Notices {
		if err := n.Write(&b, s); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
