package chart

import (
	"fmt"
	"path/filepath"
	"strings"
	"text/template"
	"text/template/parse"
)

// templates are the templates of a chart, parsed and marked.
type templates struct {
	files map[string]*file // by the name of their template
	root  *template.Template
	marks []mark
	from  map[string]*file // where each template is defined
	// Of the template that is rendered:
	out   *tracer
	depth int
	loops counting
}

// markFunc is the function that a mark calls. It is not among the functions while templates
// are parsed, so that none of them can call it.
const markFunc = "ovi_mark"

// maxDepth bounds how deep templates can include each other.
const maxDepth = 100

func newTemplates() *templates {
	return &templates{files: map[string]*file{}, from: map[string]*file{}, root: template.New("").Option("missingkey=error")}
}

// parseAll parses files, whose templates can use each other's. Every file that cannot be parsed
// is reported.
func (t *templates) parseAll(files []*file, report func(*file, error)) {
	funcs := functions(&t.loops)
	funcs["include"] = t.include
	ok := true
	for _, f := range files {
		one, err := template.New(f.name).Funcs(funcs).Parse(f.text)
		if err != nil {
			report(f, err)
			ok = false
			continue
		}
		t.files[f.name] = f
		for _, defined := range one.Templates() {
			if defined.Tree == nil {
				continue
			}
			if first := t.from[defined.Name()]; first != nil {
				line, col := f.position(int(defined.Tree.Root.Pos))
				report(f, fmt.Errorf("template: %s:%d:%d: template %q is also defined in %s", f.name, line, col-1, defined.Name(), first.name))
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
		t.files = nil // a template may be missing that another one includes
	}
	t.root.Funcs(funcs).Funcs(template.FuncMap{markFunc: t.mark})
}

// markList puts a mark before every node of a list that prints.
func (t *templates) markList(f *file, l *parse.ListNode) {
	if l == nil {
		return
	}
	out := make([]parse.Node, 0, 2*len(l.Nodes))
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			out = append(out, t.newMark(mark{file: f, offset: int(n.Pos), exact: true}))
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				out = append(out, t.newMark(mark{file: f, offset: int(n.Pos)}))
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

func (t *templates) markBranch(f *file, n *parse.BranchNode) {
	t.markList(f, n.List)
	t.markList(f, n.ElseList)
}

// newMark makes the node {{ovi_mark N}}, which prints nothing.
func (t *templates) newMark(m mark) parse.Node {
	n := int64(len(t.marks))
	t.marks = append(t.marks, m)
	pos := parse.Pos(m.offset)
	call := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{
		parse.NewIdentifier(markFunc).SetPos(pos),
		&parse.NumberNode{NodeType: parse.NodeNumber, Pos: pos, IsInt: true, Int64: n, Text: fmt.Sprint(n)},
	}}
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: pos, Pipe: &parse.PipeNode{NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{call}}}
}

// mark notes where what is printed next comes from.
func (t *templates) mark(n int) string {
	t.out.now = t.marks[n]
	return ""
}

// render renders the template of a file.
func (t *templates) render(f *file, data map[string]any) (*text, error) {
	t.out, t.depth, t.loops.left = &tracer{}, 0, most
	if err := t.root.ExecuteTemplate(t.out, f.name, data); err != nil {
		return nil, err
	}
	return &text{from: f, body: t.out.out.String(), spans: t.out.spans}, nil
}

// include renders a template to a string. What becomes of the string is at the action that
// includes it.
func (t *templates) include(name string, data any) (string, error) {
	if t.depth++; t.depth > maxDepth {
		return "", fmt.Errorf("templates include each other more than %d levels deep", maxDepth)
	}
	outer := t.out
	t.out = &tracer{}
	defer func() { t.out, t.depth = outer, t.depth-1 }()
	err := t.root.ExecuteTemplate(t.out, name, data)
	return t.out.out.String(), err
}

// isRendered reports that a file of the templates folder is rendered. The others only define
// templates for those.
func isRendered(name string) bool {
	return isYAML(name) && !strings.HasPrefix(filepath.Base(name), "_")
}
