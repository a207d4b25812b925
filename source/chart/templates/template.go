package templates

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/source/chart/page"
)

// Set is the templates of a chart, parsed and marked.
type Set struct {
	Files map[string]*page.File // by the name of their template
	// Lacking reports that a file could not be parsed, so that other files may include templates that it defines.
	Lacking bool

	root   *template.Template
	marks  []page.Mark
	from   map[string]*page.File // where each template is defined
	budget *budget.Budget
	free   bool // no function spends from the budget: for a benchmark
	// Of the template that is rendered:
	out    *page.Tracer
	depth  int // of includes
	levels int // of all templates
	loops  counting
}

// The functions that the set adds to templates. They are not among the functions while templates are parsed, so
// that no template can call them.
const (
	markFunc  = "ovi_mark"
	outFunc   = "ovi_out"
	stepFunc  = "ovi_step"
	enterFunc = "ovi_enter"
	leaveFunc = "ovi_leave"
)

// maxDepth bounds how deep templates can include each other.
const maxDepth = 100

// New returns a set without templates, whose rendering ends with a context. The caller calls the function when
// nothing more is rendered.
func New(ctx context.Context) (*Set, context.CancelFunc) {
	b, _, cancel := budget.New(ctx, "rendering the chart", limits())
	return &Set{
		budget: b, Files: map[string]*page.File{}, from: map[string]*page.File{},
		root: template.New("").Option("missingkey=error"),
	}, cancel
}

// ParseAll parses files, whose templates can use each other's. Every file that cannot be parsed
// is reported.
func (t *Set) ParseAll(files []*page.File, report func(*page.File, error)) {
	funcs := functions(&t.loops)
	funcs["include"] = t.include
	used := builtins()
	ok := true
	for _, f := range files {
		trees, err := parse.Parse(f.Name, f.Text, "", "", funcs, used)
		if err != nil {
			report(f, err)
			t.Lacking = true
			continue
		}
		t.Files[f.Name] = f
		for _, name := range slices.Sorted(maps.Keys(trees)) {
			tree := trees[name]
			if first := t.from[name]; first != nil {
				line, col := f.Position(int(tree.Root.Pos))
				report(f, fmt.Errorf("template: %s:%d:%d: template %q is also defined in %s", f.Name, line, col-1, name,
					first.Name))
				ok = false
				continue
			}
			t.from[name] = f
			calls(tree.Root, used)
			t.markBody(f, tree.Root)
			if _, err := t.root.AddParseTree(name, tree); err != nil {
				report(f, err)
				ok = false
			}
		}
	}
	if !ok {
		t.Files = nil // another definition may count for all templates that include it
	}
	// To guard a function takes longer than most calls of it, so that only the used ones are guarded. The others do not
	// exist when a template is rendered.
	guarded := template.FuncMap{}
	for name := range used {
		switch fn, ours := funcs[name]; {
		case !ours: // the own one of text/template
		case t.free:
			guarded[name] = fn
		default:
			guarded[name] = t.guard(name, fn)
		}
	}
	t.root.Funcs(guarded).Funcs(template.FuncMap{
		markFunc: t.mark, outFunc: t.print, stepFunc: t.step, enterFunc: t.enter, leaveFunc: t.leave,
	})
}

// builtins are the names of the functions of text/template. A guarded one always replaces one of them, so that no
// template can call it without.
func builtins() map[string]any {
	out := map[string]any{}
	for _, name := range []string{
		"and", "call", "html", "index", "slice", "js", "len", "not", "or", "print", "printf", "println", "urlquery",
		"eq", "ge", "gt", "le", "lt", "ne",
	} {
		out[name] = true
	}
	return out
}

// calls adds the names of the functions that a node calls.
func calls(n parse.Node, to map[string]any) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, x := range n.Nodes {
				calls(x, to)
			}
		}
	case *parse.ActionNode:
		calls(n.Pipe, to)
	case *parse.TemplateNode:
		calls(n.Pipe, to)
	case *parse.IfNode:
		callsIn(&n.BranchNode, to)
	case *parse.RangeNode:
		callsIn(&n.BranchNode, to)
	case *parse.WithNode:
		callsIn(&n.BranchNode, to)
	case *parse.PipeNode:
		if n != nil {
			for _, c := range n.Cmds {
				calls(c, to)
			}
		}
	case *parse.CommandNode:
		for _, x := range n.Args {
			calls(x, to)
		}
	case *parse.ChainNode:
		calls(n.Node, to)
	case *parse.IdentifierNode:
		to[n.Ident] = true
	}
}

func callsIn(n *parse.BranchNode, to map[string]any) {
	calls(n.Pipe, to)
	calls(n.List, to)
	calls(n.ElseList, to)
}

// markBody marks the body of a template, which counts its levels.
func (t *Set) markBody(f *page.File, l *parse.ListNode) {
	n, pos := nodes(l), int(l.Pos)
	t.markList(f, l)
	l.Nodes = append([]parse.Node{call(enterFunc, pos, n)}, l.Nodes...)
	l.Nodes = append(l.Nodes, call(leaveFunc, pos, n))
}

// nodes counts the nodes of a list.
func nodes(l *parse.ListNode) (n int) {
	if l == nil {
		return 0
	}
	for _, x := range l.Nodes {
		n++
		switch x := x.(type) {
		case *parse.IfNode:
			n += nodes(x.List) + nodes(x.ElseList)
		case *parse.RangeNode:
			n += nodes(x.List) + nodes(x.ElseList)
		case *parse.WithNode:
			n += nodes(x.List) + nodes(x.ElseList)
		}
	}
	return n
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
			t.marks = append(t.marks, page.Mark{File: f, Offset: int(n.Pos), Exact: true})
			out = append(out, call(markFunc, int(n.Pos), len(t.marks)-1))
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 { // it prints: the value passes through print, which has the number of the mark
				t.marks = append(t.marks, page.Mark{File: f, Offset: int(n.Pos)})
				n.Pipe.Cmds = append(n.Pipe.Cmds, command(outFunc, int(n.Pos), len(t.marks)-1))
			}
		case *parse.IfNode:
			t.markBranch(f, &n.BranchNode)
		case *parse.RangeNode:
			size := nodes(n.List)
			t.markBranch(f, &n.BranchNode)
			n.List.Nodes = append([]parse.Node{call(stepFunc, int(n.Pos), size)}, n.List.Nodes...)
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

func command(name string, offset, n int) *parse.CommandNode {
	pos := parse.Pos(offset)
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{
		parse.NewIdentifier(name).SetPos(pos),
		&parse.NumberNode{NodeType: parse.NodeNumber, Pos: pos, IsInt: true, Int64: int64(n), Text: fmt.Sprint(n)},
	}}
}

// call makes the node {{NAME N}}, which prints nothing.
func call(name string, offset, n int) parse.Node {
	pos := parse.Pos(offset)
	return &parse.ActionNode{
		NodeType: parse.NodeAction, Pos: pos,
		Pipe: &parse.PipeNode{
			NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{command(name, offset, n)},
		},
	}
}

// mark notes where the text that is printed next comes from.
func (t *Set) mark(n int) (string, error) {
	t.out.Now = t.marks[n]
	return "", t.budget.Step(nodeCost)
}

// print notes where a value that is printed comes from, and rejects a value that is too large.
func (t *Set) print(n int, v any) (any, error) {
	t.out.Now = t.marks[n]
	if s, ok := v.(string); ok {
		return v, t.budget.Step(nodeCost + int64(len(s)))
	}
	size, err := measure(reflect.ValueOf(v), true, 0)
	if err == nil {
		err = t.budget.Step(nodeCost + size)
	}
	return v, err
}

// step spends the cost of a round of a loop, which has n nodes.
func (t *Set) step(n int) (string, error) { return "", t.budget.Step(int64(n+1) * nodeCost) }

// enter starts a template of n nodes.
func (t *Set) enter(n int) (string, error) {
	if t.levels++; t.levels > maxLevels {
		return "", fmt.Errorf("templates use each other more than %d levels deep", maxLevels)
	}
	return t.step(n)
}

func (t *Set) leave(int) string {
	t.levels--
	return ""
}

// Render renders the template of a file.
func (t *Set) Render(f *page.File, data map[string]any) (*page.Text, error) {
	t.out, t.depth, t.levels, t.loops.left = &page.Tracer{}, 0, 0, most
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
