package ovi_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/ovi-project/ovi/"

// layers says how high each folder stands; the longest prefix counts. A package imports only
// what stands lower, and its own parents and children.
var layers = map[string]int{
	"resource": 0, "internal/vfs": 0, "internal/boottime": 0,
	"comparator": 10, "replace": 10, "wal": 10, "storage": 10, "provider": 10, "source": 10,
	"internal/awsfake": 10, "internal/etcdtest": 10,
	"decider": 20, "coordinator": 20, "observer": 20, "storage/": 20, "provider/": 20, "source/": 20,
	"event": 30, "ledger": 31, "history": 32, "replay": 33,
	"engine": 40, "render": 41, "metrics": 41, "explain": 41,
	"cli": 45, "serve": 46,
	"cmd/ovi": 50, "bench": 50, "faultrun": 50,
}

// goroutines is where `go` statements and the synonyms of errgroup and sync may stand: how
// many in which file. Benchmarks may do as they like. Who adds one adds a line here, and one in ARCHITECTURE.md.
var goroutines = map[string]int{
	"cli/ask.go":                    1, // waits for a line to be typed
	"cli/signals.go":                1, // waits for Ctrl-C
	"cmd/ovi/run.go":                1, // waits for SIGHUP
	"coordinator/session.go":        1, // the heartbeat of all claims
	"engine/async.go":               1, // a look of a loop at a scope, one at a time each
	"engine/run.go":                 3, // one a stack that a loop keeps; two while it stands by, one while it helps
	"engine/walk.go":                1, // one an action, bounded
	"observer/observer.go":          1, // one a scope, bounded
	"provider/aws/observe.go":       1, // one a service of a region
	"provider/aws/s3.go":            1, // one a bucket, bounded
	"render/progress.go":            1, // redraws the elapsed times
	"serve/listen.go":               1, // serves /metrics and its like
	"serve/notify.go":               1, // sends what waits for the webhook
	"storage/storagetest/watch.go":  1, // the conformance suite's watchers
	"storage/storagetest/writes.go": 2, // the conformance suite's writers
}

// clocks is where time may be asked for or waited on. The core is not among them.
var clocks = []string{
	"wal", "storage", "coordinator", "ledger", "engine", "provider", "observer", "render",
	"internal/awsfake", "internal/boottime", "internal/etcdtest", "cli", "serve", "cmd/ovi", "bench",
}

// source is one parsed file that is not a test.
type source struct {
	path, pkg string // relative to the root, with slashes
	file      *ast.File
	fset      *token.FileSet
}

func sources(t *testing.T) []source {
	t.Helper()
	out, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("only %d files found: is this the root of the repository?", len(out))
	}
	return out
}

// parsed reads the tree once for all tests.
var parsed = sync.OnceValues(func() (out []source, err error) {
	err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "tools" || strings.HasPrefix(d.Name(), ".") && name != "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		p := filepath.ToSlash(name)
		out = append(out, source{p, path.Dir(p), f, fset})
		return err
	})
	return out, err
})

func layerOf(pkg string) (int, bool) {
	best, layer := "", 0
	for prefix, n := range layers {
		whole := pkg == prefix || strings.HasPrefix(pkg, strings.TrimSuffix(prefix, "/")+"/")
		if whole && len(prefix) > len(best) {
			best, layer = prefix, n
		}
	}
	return layer, best != ""
}

// within says that one folder is the other, or stands inside it.
func within(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

func (s source) imports() (ours, others []string) {
	for _, spec := range s.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		if rest, ok := strings.CutPrefix(p, module); ok {
			ours = append(ours, rest)
		} else {
			others = append(others, p)
		}
	}
	return ours, others
}

func TestImportsPointDown(t *testing.T) {
	for _, s := range sources(t) {
		from, known := layerOf(s.pkg)
		if !known {
			t.Errorf("%s: the folder %s has no layer: give it one in arch_test.go", s.path, s.pkg)
		}
		ours, _ := s.imports()
		for _, p := range ours {
			to, _ := layerOf(p)
			if to >= from && !within(p, s.pkg) && !within(s.pkg, p) {
				t.Errorf("%s (layer %d) imports %s (layer %d): imports point down", s.path, from, p, to)
			}
		}
	}
}

func TestEdgesKeepToThemselves(t *testing.T) {
	for _, s := range sources(t) {
		ours, others := s.imports()
		for _, p := range others {
			if strings.HasPrefix(p, "github.com/aws/") && !within(s.pkg, "provider/aws") {
				t.Errorf("%s imports %s: only provider/aws speaks to AWS", s.path, p)
			}
		}
		for _, p := range ours {
			if (within(s.pkg, "provider") || within(s.pkg, "source")) && within(p, "internal/awsfake") {
				t.Errorf("%s imports %s: a provider does not know the practice cloud", s.path, p)
			}
		}
	}
}

// TestLaw3_OneWayToRecord: only ledger appends to the log and commits to the store. The exceptions are
// the coordinator's leased claims and notes, and replay, which fills empty stores.
func TestLaw3_OneWayToRecord(t *testing.T) {
	may := []string{"ledger", "replay", "coordinator", "storage", "wal", "bench"}
	for _, s := range sources(t) {
		if slices.ContainsFunc(may, func(p string) bool { return within(s.pkg, p) }) {
			continue
		}
		ours, _ := s.imports()
		if !slices.Contains(ours, "wal") && !slices.Contains(ours, "storage") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, _ := call.X.(*ast.Ident)
			opens := call.Sel.Name == "Open" && x != nil && x.Name == "wal"
			if opens || call.Sel.Name == "Append" || call.Sel.Name == "Commit" {
				t.Errorf("%s: .%s: only the ledger records", s.fset.Position(n.Pos()), call.Sel.Name)
			}
			return true
		})
	}
}

// TestLaw4_TheCoreIsPure: no clock, no I/O, no goroutine, no randomness.
func TestLaw4_TheCoreIsPure(t *testing.T) {
	refused := []string{"os", "io/fs", "net", "net/http", "math/rand", "math/rand/v2", "crypto/rand", "sync", "context", "log", "syscall", "runtime", "unsafe"}
	for _, s := range sources(t) {
		core := []string{"resource", "comparator", "replace"}
		if s.pkg != "decider" && !slices.ContainsFunc(core, func(p string) bool { return within(s.pkg, p) }) {
			continue
		}
		_, others := s.imports()
		for _, p := range others {
			if slices.Contains(refused, p) {
				t.Errorf("%s imports %s: the core is pure", s.path, p)
			}
		}
		for name, n := range counts(s) {
			if n > 0 {
				t.Errorf("%s has %d of %s: the core is pure", s.path, n, name)
			}
		}
	}
}

// counts says how often a file starts a goroutine, or asks the clock.
func counts(s source) map[string]int {
	out := map[string]int{}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			out["go"]++
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			clock := []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Sleep", "Tick"}
			if ok && x.Name == "time" && slices.Contains(clock, n.Sel.Name) {
				out["clock"]++
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" {
				out["go"]++
			}
		}
		return true
	})
	return out
}

func TestGoroutinesCanBeCounted(t *testing.T) {
	seen := map[string]int{}
	for _, s := range sources(t) {
		if n := counts(s)["go"]; n > 0 && !within(s.pkg, "bench") {
			seen[s.path] = n
		}
	}
	if diff := cmp.Diff(goroutines, seen); diff != "" {
		t.Errorf("goroutines start elsewhere than arch_test.go lists (-listed +found):\n%s", diff)
	}
}

func TestClocksStandWhereTheyMay(t *testing.T) {
	for _, s := range sources(t) {
		if counts(s)["clock"] > 0 && !slices.ContainsFunc(clocks, func(p string) bool { return within(s.pkg, p) }) {
			t.Errorf("%s asks for the time: time comes in as a value", s.path)
		}
	}
}

// TestNothingHidesInPackages: no init functions, and no package variable is assigned to.
func TestNothingHidesInPackages(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: init function", s.path)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			a, ok := n.(*ast.AssignStmt)
			if !ok || a.Tok == token.DEFINE {
				return true
			}
			for _, left := range a.Lhs {
				if id, ok := left.(*ast.Ident); ok && s.file.Scope.Lookup(id.Name) != nil && s.file.Scope.Lookup(id.Name) == id.Obj {
					t.Errorf("%s: assigns to the package variable %s", s.fset.Position(a.Pos()), id.Name)
				}
			}
			return true
		})
	}
}

// TestFilesStayShort: a file one can read at once.
func TestFilesStayShort(t *testing.T) {
	for _, s := range sources(t) {
		if b, err := os.ReadFile(s.path); err != nil || strings.Count(string(b), "\n") >= 400 {
			t.Error(fmt.Sprintf("%s: 400 lines or more", s.path), err)
		}
		if slices.Contains([]string{"util", "utils", "common", "helpers"}, s.file.Name.Name) {
			t.Errorf("%s: a package named %s says nothing", s.path, s.file.Name.Name)
		}
	}
}
