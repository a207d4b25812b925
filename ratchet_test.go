package ovi_test

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The limits inside a package. Layers between packages are checked by TestImportsPointDown; without
// these limits a package grows into one ball of files that all lead to each other.
const (
	circleFiles   = 12    // or a third of the package's files, whichever is more
	circleLines   = 1_500 // or a third of the package's lines, whichever is more
	typeMethods   = 50
	packageLines  = 4_500
	functionLines = 80
	lineColumns   = 120
)

// room is the shape of one package, without its tests.
type room struct {
	files, lines             int
	circleFiles, circleLines int // of the largest circle, by files and by lines
	methods                  int // of the type with the most methods
}

// over returns the part of a room that exceeds the limits; the rest is zero.
func (r room) over() (out room) {
	if r.lines > packageLines {
		out.lines = r.lines
	}
	if r.circleFiles > max(circleFiles, r.files/3) {
		out.circleFiles = r.circleFiles
	}
	if r.circleLines > max(circleLines, r.lines/3) {
		out.circleLines = r.circleLines
	}
	if r.methods > typeMethods {
		out.methods = r.methods
	}
	return out
}

// exceptions are the rooms that exceed a limit today. A number may only fall; a room without one
// leaves the list. Nothing is added.
var exceptions = map[string]room{}

// TestRoomsKeepTheirShape holds every package to the limits, and the exceptions to their numbers.
func TestRoomsKeepTheirShape(t *testing.T) {
	packages := map[string][]source{}
	for _, s := range sources(t) {
		packages[s.pkg] = append(packages[s.pkg], s)
	}
	for pkg := range exceptions {
		if packages[pkg] == nil {
			t.Errorf("exceptions name %s, which does not exist: remove the line", pkg)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		got := measure(packages[pkg])
		if over, may := got.over(), exceptions[pkg]; over != may {
			t.Errorf("%s has %+v over the limits, and the exceptions have %+v: a number may only fall, update the list",
				pkg, over, may)
		}
	}
}

// TestLinesStayReadable: a reviewer reads a line without scrolling.
func TestLinesStayReadable(t *testing.T) {
	for _, s := range sources(t) {
		if n, err := longLines(s.path); err != nil || n > 0 {
			t.Errorf("%s: %d lines have more than %d columns %v", s.path, n, lineColumns, err)
		}
	}
}

// TestFunctionsStayReadable: a function ends where a thought ends, and before functionLines lines.
func TestFunctionsStayReadable(t *testing.T) {
	for _, s := range sources(t) {
		if ast.IsGenerated(s.file) {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1; n > functionLines {
				t.Errorf("%s: %s has %d lines, the limit is %d", s.fset.Position(f.Pos()), f.Name.Name, n, functionLines)
			}
		}
	}
}

// TestCirclesAreFound holds the measure against a package whose circle is known.
func TestCirclesAreFound(t *testing.T) {
	files := map[string]string{
		"a/a.go": "package a\nfunc a() { b() }\n",
		"a/b.go": "package a\nfunc b() { var v V; v.third() }\n",
		"a/c.go": "package a\ntype V struct{}\nfunc (V) third() { a() }\n",
		"a/d.go": "package a\nfunc d() { a(); e() }\n",
		"a/e.go": "package a\nfunc e() {}\n",
	}
	var all []source
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, files[name], 0)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, source{name, path.Dir(name), f, fset})
	}
	if got := measure(all); got.files != 5 || got.circleFiles != 3 || got.methods != 1 {
		t.Errorf("measure: %+v, want 5 files, a circle of 3 and 1 method", got)
	}
}

// tag matches a field with a tag: a tag is one literal, which no line break can part.
var tag = regexp.MustCompile("`[a-z]+:\".*`$")

// longLines counts the lines of a file with more than lineColumns columns. A tab is one column.
func longLines(name string) (n int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if len([]rune(lines.Text())) > lineColumns && !tag.MatchString(lines.Text()) {
			n++
		}
	}
	return n, lines.Err()
}

// measure returns the shape of the files of one package. Two files are connected if one uses a name
// that the other alone defines at package level, or a method that no second file of the package
// defines. Names are matched by spelling, without types.
func measure(files []source) room {
	var r room
	names, methods := map[string][]string{}, map[string][]string{} // name -> files that define it
	perType := map[string]int{}
	sizes := map[string]int{}
	for _, s := range files {
		sizes[s.path] = s.fset.Position(s.file.End()).Line
		r.files, r.lines = r.files+1, r.lines+sizes[s.path]
		for _, d := range s.file.Decls {
			define(s, d, names, methods, perType)
		}
	}
	for _, n := range perType {
		r.methods = max(r.methods, n)
	}
	uses := map[string][]string{}
	for _, s := range files {
		uses[s.path] = usedFiles(s, names, methods)
	}
	for _, circle := range circles(uses) {
		lines := 0
		for _, name := range circle {
			lines += sizes[name]
		}
		r.circleFiles, r.circleLines = max(r.circleFiles, len(circle)), max(r.circleLines, lines)
	}
	return r
}

// define adds the names that a declaration defines to names and methods, and counts the methods of
// each type.
func define(s source, d ast.Decl, names, methods map[string][]string, perType map[string]int) {
	add := func(in map[string][]string, name string) {
		if !slices.Contains(in[name], s.path) {
			in[name] = append(in[name], s.path)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(names, d.Name.Name)
			return
		}
		add(methods, d.Name.Name)
		perType[receiver(d)]++
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					add(names, name.Name)
				}
			}
		}
	}
}

// receiver returns the name of the type that a method belongs to.
func receiver(f *ast.FuncDecl) (name string) {
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return name
}

// usedFiles returns the other files of the package whose names a file uses.
func usedFiles(s source, names, methods map[string][]string) (out []string) {
	imported := map[string]bool{}
	for _, spec := range s.file.Imports {
		imported[path.Base(strings.Trim(spec.Path.Value, `"`))] = true
		if spec.Name != nil {
			imported[spec.Name.Name] = true
		}
	}
	use := func(in []string) {
		if len(in) == 1 && in[0] != s.path && !slices.Contains(out, in[0]) {
			out = append(out, in[0])
		}
	}
	free := func(id *ast.Ident) {
		if id.Obj == nil {
			use(names[id.Name])
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && imported[x.Name] {
				return false
			}
			use(methods[n.Sel.Name])
		case *ast.Ident:
			if n != s.file.Name { // the package clause uses nothing
				free(n)
			}
		}
		return true
	})
	return out
}

// circles returns the sets of two files or more that all lead to each other (Tarjan's strongly
// connected components, SIAM J. Comput. 1(2), 1972).
func circles(uses map[string][]string) (out [][]string) {
	index, low := map[string]int{}, map[string]int{}
	var stack []string
	var visit func(string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack = append(stack, v)
		for _, w := range uses[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if slices.Contains(stack, w) {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		if circle := slices.Clone(stack[at:]); len(circle) > 1 {
			out = append(out, circle)
		}
		stack = stack[:at]
	}
	for _, v := range slices.Sorted(maps.Keys(uses)) {
		if index[v] == 0 {
			visit(v)
		}
	}
	return out
}
