package engine_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/wal"
)

// named has every name with a dot that docs/dev/extend.md gives: it compiles only if they exist.
var named = map[string]any{
	"engine.Config.Secrets":    engine.Config{}.Secrets,
	"engine.Engine":            engine.Engine{},
	"engine.Load":              engine.Load,
	"Engine.Refresh":           (*engine.Engine).Refresh,
	"Planned.Save":             (*engine.Planned).Save,
	"history.New":              history.New,
	"ledger.Config.Shared":     ledger.Config{}.Shared,
	"Kind.Carrier":             resource.Kind{}.Carrier,
	"Kind.Grace":               resource.Kind{}.Grace,
	"Kind.ReusedIDs":           resource.Kind{}.ReusedIDs,
	"Ledger.Broken":            (*ledger.Ledger).Broken,
	"Ledger.Listen":            (*ledger.Ledger).Listen,
	"loop.Run":                 loop.Run,
	"resource.Check":           resource.Check,
	"resource.Intent":          resource.Intent{},
	"resource.NewSecret":       resource.NewSecret,
	"resource.ProviderDefault": resource.ProviderDefault,
	"resource.Reference":       resource.Reference{},
	"source.Load":              source.Load,
	"wal.WithFS":               wal.WithFS,
}

// TestLibraryPageCompiles: the statements of each example in docs/dev/extend.md stand, in their order, in
// example_test.go, which compiles and runs with the tests. Each name that the page gives exists.
func TestLibraryPageCompiles(t *testing.T) {
	b, err := os.ReadFile("../docs/dev/extend.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	f, err := parser.ParseFile(token.NewFileSet(), "example_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	compiled := statements(f)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) == 0 {
		t.Error("the page has no example")
	}
	for _, block := range blocks {
		f, err := parser.ParseFile(token.NewFileSet(), "extend.md", "package p\nfunc _() {\n"+block[1]+"}", 0)
		if err != nil {
			t.Errorf("an example is no Go: %v", err)
			continue
		}
		rest := compiled
		for _, s := range statements(f)[1:] { // the first is the body that the test puts around it
			for len(rest) > 0 && rest[0] != s {
				rest = rest[1:]
			}
			if len(rest) == 0 {
				t.Errorf("example_test.go does not have, in this order:\n%s", s)
				break
			}
		}
	}
	packages := `(?:engine|history|ledger|loop|resource|source|wal)`
	for _, m := range regexp.MustCompile("`((?:"+packages+`|[A-Z]\w+)\.[A-Z][\w.]*)[(`+"`]").FindAllStringSubmatch(page, -1) {
		if _, has := named[m[1]]; !has {
			t.Errorf("the page names %s: add it to named", m[1])
		}
	}
	for name := range named {
		if !strings.Contains(page, "`"+name) {
			t.Errorf("the page does not name %s any more: remove it from named", name)
		}
	}
}

// statements returns the statements of a file in their order, as gofmt prints them without comments.
func statements(f *ast.File) (out []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, is := n.(ast.Stmt); is {
			var b bytes.Buffer
			if err := printer.Fprint(&b, token.NewFileSet(), s); err == nil {
				out = append(out, b.String())
			}
		}
		return true
	})
	return out
}
