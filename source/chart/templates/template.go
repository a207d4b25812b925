package templates

import (
	"fmt"
	"path/filepath"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/ovi-project/ovi/source/chart/page"
)

// Set is the templates of a chart, parsed and marked.
type Set struct {
	Files map[string]*page.File // by the name of their template
	// Lacking reports that a file could not be parsed, so that other files may include templates that it defines.
	Lacking bool

	root  *template.Template
	marks []page.Mark
	from  map[string]*page.File // where each template is defined
	// Of the template that is rendered:
	out   *page.Tracer
	depth int
	loops counting
}

// markFunc is the function that a mark calls. It is not among the functions while templates
// are parsed, so that none of them can call it.
const markFunc = "ovi_mark"

// maxDepth bounds how deep templates can include each other.
const maxDepth = 100

// New returns a set without templates.
func New() *Set {
	return &Set{
		Files: map[string]*page.File{}, from: map[string]*page.File{},
		root: template.New("").Option("missingkey=error"),
	}
}

// ParseAll parses files, whose templates can use each other's. Every file that cannot be parsed
// is reported.
func (t *Set) ParseAll(files []*page.File, report func(*page.File, error)) {
	funcs := functions(&t.loops)
	funcs["include"] = t.include
	ok := true
	for _, f := range files {
		one, err := template.New(f.Name).Funcs(funcs).Parse(f.Text)
		if err != nil {
			report(f, err)
			t.Lacking = true
			continue
		}
		t.Files[f.Name] = f
		for _, defined := range one.Templates() {
			if defined.Tree == nil {
				continue
			}
			if first := t.from[defined.Name()]; first != nil {
				line, col := f.Position(int(defined.Tree.Root.Pos))
				report(f, fmt.Errorf("template: %s:%d:%d: template %q is also defined in %s", f.Name, line, col-1, defined.Name(),
					first.Name))
				ok = false
				continue
			}
			t.from[defined.Name()] = f
			t.markList(f, defined.Root)
			if _, err := t.root.AddParseTree(defined.Name(), defined.Tree); err != nil {
				report(f, err)
				ok = false
			}
		}
	}
	if !ok {
		t.Files = nil // another definition may count for all templates that include it
	}
	t.root.Funcs(funcs).Funcs(template.FuncMap{markFunc: t.mark})
}

// markList puts a mark before every node of a list that prints.
func (t *Set) markList(f *page.File, l *parse.ListNode) {
	if l == nil {
		return
	}
	out := make([]parse.Node, 0, 2*len(l.Nodes))
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			out = append(out, t.newMark(page.Mark{File: f, Offset: int(n.Pos), Exact: true}))
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				out = append(out, t.newMark(page.Mark{File: f, Offset: int(n.Pos)}))
			}
		case *parse.IfNode:
			t.markBranch(f, &n.BranchNode)
		case *parse.RangeNode:
			t.markBranch(f, &n.BranchNode)
		case *parse.WithNode:
			t.markBranch(f, &n.BranchNode)
		}
		out = append(out, n)
	}
	l.Nodes = out
}

func (t *Set) markBranch(f *page.File, n *parse.BranchNode) {
	t.markList(f, n.List)
	t.markList(f, n.ElseList)
}

// newMark makes the node {{ovi_mark N}}, which prints nothing.
func (t *Set) newMark(m page.Mark) parse.Node {
	n := int64(len(t.marks))
	t.marks = append(t.marks, m)
	pos := parse.Pos(m.Offset)
	call := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{
		parse.NewIdentifier(markFunc).SetPos(pos),
		&parse.NumberNode{NodeType: parse.NodeNumber, Pos: pos, IsInt: true, Int64: n, Text: fmt.Sprint(n)},
	}}
	return &parse.ActionNode{
		NodeType: parse.NodeAction, Pos: pos,
		Pipe: &parse.PipeNode{NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{call}},
	}
}

// mark notes where what is printed next comes from.
func (t *Set) mark(n int) string {
	t.out.Now = t.marks[n]
	return ""
}

// Render renders the template of a file.
func (t *Set) Render(f *page.File, data map[string]any) (*page.Text, error) {
	t.out, t.depth, t.loops.left = &page.Tracer{}, 0, most
	if err := t.root.ExecuteTemplate(t.out, f.Name, data); err != nil {
		return nil, err
	}
	return &page.Text{From: f, Body: t.out.Out.String(), Spans: t.out.Spans}, nil
}

// include renders a template to a string. What becomes of the string is at the action that
// includes it.
func (t *Set) include(name string, data any) (string, error) {
	if t.depth++; t.depth > maxDepth {
		return "", fmt.Errorf("templates include each other more than %d levels deep", maxDepth)
	}
	outer := t.out
	t.out = &page.Tracer{}
	defer func() { t.out, t.depth = outer, t.depth-1 }()
	err := t.root.ExecuteTemplate(t.out, name, data)
	return t.out.Out.String(), err
}

// IsRendered reports that a file of the templates folder is rendered. The others only define
// templates for those.
func IsRendered(name string) bool {
	return page.IsYAML(name) && !strings.HasPrefix(filepath.Base(name), "_")
}
