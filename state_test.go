package ovi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNoPackageKeepsState: no init functions, and no package variable is assigned to, from
// whichever file or package.
func TestNoPackageKeepsState(t *testing.T) {
	all := sources(t)
	for _, at := range stateful(all, packageVariables(all)) {
		t.Error(at)
	}
}

// TestStateInAPackageIsFound holds the test above against code that must not pass.
func TestStateInAPackageIsFound(t *testing.T) {
	files := map[string]string{
		"a/a.go": "package a\nvar Count int\nvar table = map[string]int{}\nvar fixed = 1",
		"a/b.go": "package a\nfunc f() { Count = 1 }",
		"a/c.go": "package a\nfunc g() { table[\"x\"]++ }",
		"a/d.go": "package a\nfunc h() int { fixed := 2; fixed = 3; return fixed }",
		"a/e.go": "package a\nfunc init() {}",
		"b/b.go": "package b\nimport \"" + module + "a\"\nfunc f() { a.Count++ }",
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
	var found []string
	for _, at := range stateful(all, packageVariables(all)) {
		found = append(found, at[:len("a/a.go")])
	}
	if diff := cmp.Diff([]string{"a/b.go", "a/c.go", "a/e.go", "b/b.go"}, found); diff != "" {
		t.Errorf("files with state (-want +got):\n%s", diff)
	}
}

// packageVariables gives the variables of each folder.
func packageVariables(all []source) map[string][]string {
	out := map[string][]string{}
	for _, s := range all {
		for _, d := range s.file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					if name.Name != "_" {
						out[s.pkg] = append(out[s.pkg], name.Name)
					}
				}
			}
		}
	}
	return out
}

// stateful gives the places that assign to a package variable, or to a part of one.
func stateful(all []source, variables map[string][]string) (out []string) {
	for _, s := range all {
		ast.Inspect(s.file, func(n ast.Node) bool {
			var left []ast.Expr
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					out = append(out, s.fset.Position(n.Pos()).String()+": init function")
				}
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					left = n.Lhs
				}
			case *ast.IncDecStmt:
				left = []ast.Expr{n.X}
			}
			for _, e := range left {
				if name := s.variable(e, variables); name != "" {
					out = append(out, s.fset.Position(e.Pos()).String()+": assigns to the package variable "+name)
				}
			}
			return true
		})
	}
	return out
}

// variable gives the name of the package variable that an expression is, or is a part of.
func (s source) variable(e ast.Expr, variables map[string][]string) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.variable(e.X, variables)
	case *ast.IndexExpr:
		return s.variable(e.X, variables)
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && x.Obj == nil {
			for folder, names := range variables {
				if path.Base(folder) == x.Name && s.importsPackage(folder) && slices.Contains(names, e.Sel.Name) {
					return x.Name + "." + e.Sel.Name
				}
			}
		}
		return s.variable(e.X, variables)
	case *ast.Ident:
		// An identifier of another file of the package has no object, one of this file the
		// object of the file's scope; both name a variable of the package.
		own := e.Obj == nil || e.Obj == s.file.Scope.Lookup(e.Name)
		if own && slices.Contains(variables[s.pkg], e.Name) {
			return e.Name
		}
	}
	return ""
}

func (s source) importsPackage(folder string) bool {
	ours, _ := s.imports()
	return slices.Contains(ours, folder)
}
