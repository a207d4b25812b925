package ovi_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// anyOption are the functions of cmd/command that handle options whatever their names are.
var anyOption = []string{"Given", "AllGiven", "GivenLine", "Assume", "flagged", "InEnvironment"}

// noOption are the methods and fields of a call's command line that read no option.
var noOption = []string{"Args", "NArg", "Command", "Set"}

// TestOptionsAreReadNextToTheirFlags: an option is read by its name only in a function that takes the call alone and
// whose name ends with Of, in the file of its flag. The function fills a struct for a command, or for the flags that
// several commands share, and other functions take the struct or a value of it. A name that no flag has reads as its
// zero value without an error.
func TestOptionsAreReadNextToTheirFlags(t *testing.T) {
	for _, problem := range optionProblems(sources(t)) {
		t.Error(problem)
	}
}

// optionProblems returns the reads of options that break the rule.
func optionProblems(all []source) (out []string) {
	everywhere := map[string]bool{} // the names of the flags of all commands
	own := map[string]map[string]bool{}
	for _, s := range all {
		own[s.path] = map[string]bool{}
		for _, name := range flagNames(s) {
			own[s.path][name], everywhere[name] = true, true
		}
	}
	for _, s := range all {
		if within(s.pkg, "provider") { // each command has a flag for each option of a provider
			for _, name := range optionFlags(s) {
				everywhere[name] = true
				for file := range own {
					own[file][name] = true
				}
			}
		}
	}
	for _, s := range all {
		if within(s.pkg, "cmd") {
			out = append(out, badReads(s, own[s.path], everywhere)...)
		}
	}
	return out
}

// badReads returns the reads of options in a file that break the rule. own are the flags of the file, known those of
// all files.
func badReads(s source, own, known map[string]bool) (out []string) {
	for _, d := range s.file.Decls {
		f, isFunc := d.(*ast.FuncDecl)
		if isFunc && s.pkg == "cmd/command" && slices.Contains(anyOption, f.Name.Name) {
			continue
		}
		allowed := isFunc && fillsOptions(f)
		report := func(n ast.Node, format string, args ...any) {
			out = append(out, fmt.Sprintf("%s: ", s.fset.Position(n.Pos()))+fmt.Sprintf(format, args...))
		}
		seen := map[ast.Node]bool{} // command lines of which a method is named
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				of, is := n.Fun.(*ast.SelectorExpr)
				given := is && (of.Sel.Name == "Given" || of.Sel.Name == "AllGiven")
				if !is || !given && !readsOption(of) {
					return true
				}
				names := own
				if given { // also of options that other functions read
					names = known
				}
				if !allowed {
					report(n, "%s reads an option: do it in a function NAMEOf(c *command.Call) next to the flag, and "+
						"pass the value", of.Sel.Name)
				}
				for _, arg := range n.Args {
					if name, ok := literal(arg); !ok || !names[name] {
						report(arg, "%s reads an option whose flag is not in this file", of.Sel.Name)
					}
				}
			case *ast.SelectorExpr:
				if isCommandLine(n.X) {
					seen[n.X] = true
				}
				if isCommandLine(n) && !seen[n] {
					report(n, "the command line is passed on: pass the options")
				}
				if readsOption(n) && !allowed {
					report(n, "%s reads an option: do it in a function NAMEOf(c *command.Call) next to the flag, and "+
						"pass the value", n.Sel.Name)
				}
			}
			return true
		})
	}
	return slices.Compact(out)
}

// fillsOptions reports whether a function may read options.
func fillsOptions(f *ast.FuncDecl) bool {
	if f.Recv != nil || !strings.HasSuffix(f.Name.Name, "Of") || f.Type.Params.NumFields() != 1 {
		return false
	}
	star, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch x := star.X.(type) {
	case *ast.Ident:
		return x.Name == "Call"
	case *ast.SelectorExpr:
		return x.Sel.Name == "Call"
	}
	return false
}

// isCommandLine reports whether an expression is the command line of a call.
func isCommandLine(x ast.Expr) bool {
	of, ok := x.(*ast.SelectorExpr)
	if !ok || of.Sel.Name != "Cmd" {
		return false
	}
	pkg, ok := of.X.(*ast.Ident)
	return !ok || pkg.Name != "exec"
}

// readsOption reports whether a selector reads an option of a command line.
func readsOption(of *ast.SelectorExpr) bool {
	return isCommandLine(of.X) && !slices.Contains(noOption, of.Sel.Name)
}

// flagNames returns the names of the flags that a file makes.
func flagNames(s source) (out []string) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		of, ok := lit.Type.(*ast.SelectorExpr)
		if !ok || !strings.HasSuffix(of.Sel.Name, "Flag") {
			return true
		}
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			if key, ok := kv.Key.(*ast.Ident); !ok || key.Name != "Name" {
				continue
			}
			if name, ok := literal(kv.Value); ok {
				out = append(out, name)
			}
		}
		return true
	})
	return out
}

// optionFlags returns the names of the flags that the options of a provider ask for.
func optionFlags(s source) (out []string) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Flag" {
			if name, ok := literal(kv.Value); ok {
				out = append(out, name)
			}
		}
		return true
	})
	return out
}

// literal returns the text of a string in quotes.
func literal(x ast.Expr) (string, bool) {
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// TestWrongReadsOfOptionsAreFound holds the rule against files that break it.
func TestWrongReadsOfOptionsAreFound(t *testing.T) {
	const head = "package a\nvar _ = []any{&urfave.BoolFlag{Name: \"full\"}}\n"
	for body, want := range map[string]string{
		"func oOf(c *command.Call) o { return o{c.Cmd.Bool(\"full\")} }":      "",
		"func oOf(c *command.Call) bool { return c.Given(\"full\") != \"\" }": "",
		"func oOf(c *command.Call) int { return c.Cmd.NArg() }":               "",
		"func plan(c *command.Call) int { return c.Cmd.NArg() }":              "",
		"func plan(c *command.Call) { use(c.Cmd.Bool(\"full\")) }":            "Bool reads an option: do it",
		"func planOf(c *command.Call, x int) { use(c.Cmd.Bool(\"full\")) }":   "Bool reads an option: do it",
		"func (k *runner) planOf() { use(k.Cmd.Bool(\"full\")) }":             "Bool reads an option: do it",
		"func plan(c *command.Call) { use(c.Given(\"full\")) }":               "Given reads an option: do it",
		"func plan(c *command.Call) { use(c.Cmd.IsSet) }":                     "IsSet reads an option: do it",
		"func plan(c *command.Call) { use(c.Cmd) }":                           "the command line is passed on",
		"func oOf(c *command.Call) o { return o{c.Cmd.Bool(\"ful\")} }":       "whose flag is not in this file",
		"func oOf(c *command.Call) o { return o{c.Cmd.Bool(name)} }":          "whose flag is not in this file",
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "cmd/a/a.go", head+body, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := optionProblems([]source{{"cmd/a/a.go", path.Dir("cmd/a/a.go"), f, fset}})
		if want == "" && len(got) > 0 || want != "" && (len(got) == 0 || !strings.Contains(got[0], want)) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
