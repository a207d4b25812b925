package ovi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/ovi-project/ovi/"

// layers gives each folder its layer; the longest prefix counts. A package imports only lower
// layers, its own parents and its own children.
var layers = map[string]int{
	"resource": 2, "resource/rules": 1, "resource/position": 0,
	"examples/fleet": 0, "internal/": 0, "internal/budget": -1, "internal/sshsig/sshsigtest": 1, "internal/gitclone/gittest": 1,
	"internal/gitlock": 1, "internal/shell": -1,
	"comparator": 10, "decider/replace": 10, "wal": 10, "storage": 10, "provider": 10, "source": 10,
	"provider/aws/api": 11, "provider/aws/network": 12, "provider/aws/identity": 12, "provider/aws/keys": 13,
	"provider/aws/bucket": 13, "provider/aws/dns": 13, "provider/aws/database": 13, "provider/aws/balance": 14,
	"provider/aws/compute":      15,
	"provider/aws/sandbox/wire": 10, "provider/aws/sandbox/core": 11, "provider/aws/sandbox/ec2": 12,
	"provider/aws/sandbox/network": 13, "provider/aws/sandbox/identity": 13, "provider/aws/sandbox/bucket": 13,
	"provider/aws/sandbox/dns": 14, "provider/aws/sandbox/keys": 15, "provider/aws/sandbox/balance": 16,
	"provider/aws/sandbox/compute": 17, "provider/aws/sandbox/database": 17,
	"internal/etcdtest": 10, "internal/mototest": 10, "internal/podmantest": 10,
	"internal/clustertest": 15, "provider/toys/shelf": 15, "provider/edge/link": 15,
	"source/versions": 9, "source/syntax": 15, "source/terms": 15, "source/jsonschema": 15,
	"provider/podman/libpod": 11, "provider/podman/failure": 11, "provider/podman/marks": 12, "provider/podman/schema": 13,
	"provider/podman/spec": 14, "provider/podman/facts": 15, "provider/podman/byhand": 15,
	"provider/podman/host": 16, "provider/podman/container": 17,
	"provider/cluster/kube/kubetest": 16, "provider/cluster/docker": 11, "provider/cluster/kube": 11, "provider/cluster/haproxy": 11,
	"provider/cluster/portainer": 11, "provider/cluster/program": 11, "provider/cluster/system": 11,
	"provider/cluster/command": 12, "provider/cluster/object": 12, "provider/cluster/kind": 12, "provider/cluster/k3d": 12,
	"provider/cluster/argocd": 13, "provider/cluster/git": 13, "provider/cluster/engine": 13,
	"provider/cluster/haproxy/route": 13, "provider/cluster/portainer/environment": 13,
	"decider": 20, "decider/rollout": 20, "coordinator": 20, "observer": 20,
	"storage/": 20, "provider/": 20, "source/": 20,
	"source/config/barepath": 16, "source/config/selection": 16, "source/config/input": 16, "source/config/read": 17, "source/config/language": 17,
	"source/config/settings": 18, "source/config/expansion": 16,
	"source/chart/page": 16, "source/chart/values": 17, "source/chart/templates": 18,
	"ledger": 31, "ledger/event": 26, "ledger/rows": 27, "ledger/query": 28, "ledger/project": 28,
	"ledger/trust": 29, "ledger/record": 30,
	"engine/parts": 34, "engine/recovery": 35, "engine/plan/locate": 36, "engine/plan/follow": 36, "engine/plan": 37,
	"engine/apply": 38, "engine/operate": 39, "render/term": 40, "render/planview": 41, "ledger/phrase": 31, "ledger/history": 32, "ledger/ledgertest": 33,
	"ledger/replay": 33, "ledger/proof": 33, "ledger/explain": 41, "ledger/report": 42,
	"engine": 40, "engine/backtest": 42, "render": 41, "render/metrics": 41,
	"provider/edge/node": 42, "provider/edge/central": 42,
	"cmd/edge/rehearse": 42, "cmd/edge/simulate": 42, "cmd/cli": 44, "cmd/serve": 45,
	"cmd/command": 46, "cmd/session": 47, "cmd/reconcile": 48, "cmd/record": 49, "cmd/manage": 49,
	"cmd/charts": 50, "cmd/clusters": 50, "cmd/edge": 50, "cmd/ovi": 51, "test": 50,
}

// goroutines lists the files that may start goroutines, with `go` or with the methods of errgroup
// and sync. A new file is added here and to ARCHITECTURE.md. Benchmarks are exempt.
var goroutines = []string{
	"cmd/cli/ask.go",                     // waits for a typed line
	"cmd/serve/listen.go",                // serves /metrics and the other endpoints
	"cmd/serve/notify.go",                // delivers to the webhook
	"cmd/reconcile/run.go",               // waits for SIGHUP
	"cmd/session/silent.go",              // a read of a repository, at the start of a loop
	"cmd/cli/signals.go",                 // waits for Ctrl-C
	"coordinator/session.go",             // the heartbeat of all claims
	"engine/loop/async.go",               // an observation of the loop, one at a time for each scope
	"engine/loop/loading.go",             // a read of the source, one at a time for each stack
	"engine/loop/run.go",                 // one for each stack of the loop, two while it stands by, one while it helps
	"engine/loop/work.go",                // one for each apply that a cycle started
	"engine/apply/walk.go",               // one for each action, bounded
	"engine/apply/check.go",              // one for each check of a plan, bounded
	"engine/apply/checks.go",             // one for each check before a create, bounded
	"engine/apply/turns.go",              // one for an action that takes its turn
	"observer/observer.go",               // one for each scope, bounded
	"provider/reading.go",                // one for each kind of an observation
	"provider/aws/bucket/s3.go",          // one for each bucket, bounded
	"provider/aws/api/each.go",           // one for each resource of a list without tags, bounded
	"provider/cluster/engine/observe.go", // one for each cluster, bounded
	"provider/providertest/marks.go",     // observes while a resource is created
	"provider/providertest/suite.go",     // a case that cannot go on ends its goroutine
	"render/cutepod/table.go",            // redraws elapsed times
	"render/progress.go",                 // redraws elapsed times
	"provider/edge/entry.go",             // serves the streams of nodes, and sends their events on
	"provider/edge/relay.go",             // hears the central orchestrator
	"provider/edge/central/central.go",   // gives each site its orders
	"cmd/edge/simulate/fleet.go",         // two for each virtual node
	"cmd/edge/simulate/probe.go",         // one for each request without an answer yet
	"cmd/edge/rehearse/rehearse.go",      // the stream of each virtual node
	"cmd/edge/simulate.go",               // runs the virtual nodes
	"provider/edge/node/node.go",         // reads the requests of a stream
	"provider/edge/node/tasks.go",        // does the tasks of each deployment, one after the other
	"ledger/report/writer.go",            // writes the status columns of a source
	"source/syntax/cut.go",               // one for each piece of a long list, a few ahead of the reader
	"storage/storagetest/watch.go",       // the conformance suite's watchers
	"storage/storagetest/writes.go",      // the conformance suite's writers

	"internal/clustertest/standin/api.go",      // the servers of a node
	"internal/clustertest/standin/balancer.go", // one for each connection
	"internal/clustertest/standin/node.go",     // the servers of a node
	"internal/etcdtest/cutter.go",              // a proxy's connections
}

// clocks lists the folders that may read the clock or wait. The core is not among them.
var clocks = []string{
	"wal", "storage", "coordinator", "ledger", "engine", "provider", "observer", "render",
	"internal/gitclone", "internal/boottime", "internal/etcdtest", "internal/mototest",
	"internal/podmantest", "internal/clustertest", "cmd", "test",
}

// source is a parsed file that is not a test.
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

// within reports whether a folder is another one or inside it.
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

func TestEdgesAreIndependent(t *testing.T) {
	for _, s := range sources(t) {
		ours, others := s.imports()
		for _, p := range others {
			if strings.HasPrefix(p, "github.com/aws/") && !within(s.pkg, "provider/aws") {
				t.Errorf("%s imports %s: only provider/aws speaks to AWS", s.path, p)
			}
		}
		for _, p := range ours {
			inside := within(s.pkg, "provider/aws/sandbox")
			if inside && within(p, "provider") && !within(p, "provider/aws/sandbox") {
				t.Errorf("%s imports %s: the sandbox knows no provider", s.path, p)
			}
			if (within(s.pkg, "provider") || within(s.pkg, "source")) && !inside && within(p, "provider/aws/sandbox") {
				t.Errorf("%s imports %s: a provider does not know the sandbox", s.path, p)
			}
		}
	}
}

// TestAProviderStandsInItsFolderAndTheTable: no other package names a provider in its strings, so
// that the next provider needs no change there.
func TestAProviderStandsInItsFolderAndTheTable(t *testing.T) {
	named := map[string]*regexp.Regexp{}
	for _, s := range sources(t) {
		if name, ok := strings.CutPrefix(s.pkg, "provider/"); ok && s.file.Scope.Lookup("Entry") != nil {
			named[name] = regexp.MustCompile(`(?i)\b` + name + `\b`)
			if name == "cluster" || name == "edge" { // words that more than these providers use: in a ref it is the name
				named[name] = regexp.MustCompile(`^["\x60]` + name + `/`)
			}
		}
	}
	if len(named) == 0 {
		t.Fatal("no folder of provider has an Entry")
	}
	for _, s := range sources(t) {
		if s.path == "cmd/ovi/table.go" || within(s.pkg, "test/bench") || within(s.pkg, "provider/aws/sandbox") || within(s.pkg, "internal/podmantest") {
			continue
		}
		if within(s.pkg, "provider/cluster") || within(s.pkg, "internal/clustertest") {
			continue // it runs on Docker and Podman, and names them
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			lit, ok := n.(*ast.BasicLit)
			for name, re := range named {
				if ok && lit.Kind == token.STRING && !within(s.pkg, "provider/"+name) && re.MatchString(lit.Value) {
					t.Errorf("%s: %s names the provider %s: ask its entry in the table", s.fset.Position(n.Pos()), lit.Value, name)
				}
			}
			return true
		})
	}
}

// TestLaw3_OneWriter: only ledger appends to the log and commits to the store. The exceptions are
// the coordinator's leased claims and notes, and replay, which fills empty stores.
func TestLaw3_OneWriter(t *testing.T) {
	may := []string{"ledger", "coordinator", "storage", "wal", "test", "source/sqlite"} // the last: a transaction of the user's database
	for _, s := range sources(t) {
		if slices.ContainsFunc(may, func(p string) bool { return within(s.pkg, p) }) {
			continue
		}
		ours, _ := s.imports()
		ast.Inspect(s.file, func(n ast.Node) bool {
			f, called := selected(n)
			if f == nil {
				return true
			}
			x, _ := f.X.(*ast.Ident)
			opens := f.Sel.Name == "Open" && x != nil && x.Name == "wal"
			records := slices.Contains([]string{"Append", "AppendBatch", "Commit"}, f.Sel.Name)
			if opens || records && (called || slices.Contains(ours, "wal") || slices.Contains(ours, "storage")) {
				t.Errorf("%s: .%s: only the ledger records", s.fset.Position(n.Pos()), f.Sel.Name)
			}
			return true
		})
	}
}

// selected gives the selector that a node is or calls, and whether it is called.
func selected(n ast.Node) (f *ast.SelectorExpr, called bool) {
	if call, ok := n.(*ast.CallExpr); ok {
		f, _ = call.Fun.(*ast.SelectorExpr)
		return f, true
	}
	f, _ = n.(*ast.SelectorExpr)
	return f, false
}

// TestLaw4_TheCoreIsPure: no clock, no I/O, no goroutine, no randomness.
func TestLaw4_TheCoreIsPure(t *testing.T) {
	refused := []string{"os", "io/fs", "net", "net/http", "math/rand", "math/rand/v2", "crypto/rand", "sync", "context", "log", "syscall", "runtime", "unsafe"}
	for _, s := range sources(t) {
		core := []string{"resource", "comparator", "decider/replace", "decider/rollout"}
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

// counts counts how often a file starts a goroutine or reads the clock.
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

// TestGoroutinesStartInListedFiles: a list that is read as a whole shows what runs side by side.
func TestGoroutinesStartInListedFiles(t *testing.T) {
	found := []string{}
	for _, s := range sources(t) {
		if counts(s)["go"] > 0 && !within(s.pkg, "test/bench") {
			found = append(found, s.path)
		}
	}
	slices.Sort(found)
	if diff := cmp.Diff(slices.Sorted(slices.Values(goroutines)), found); diff != "" {
		t.Errorf("files that start goroutines (-listed in arch_test.go +found):\n%s", diff)
	}
}

func TestClocksAreReadInListedFolders(t *testing.T) {
	for _, s := range sources(t) {
		if counts(s)["clock"] > 0 && !slices.ContainsFunc(clocks, func(p string) bool { return within(s.pkg, p) }) {
			t.Errorf("%s reads the clock: time comes in as a value", s.path)
		}
	}
}

// TestPackagesAreNamedForWhatTheyAre: a file may be long if it says one thing, but no name hides what is in it.
func TestPackagesAreNamedForWhatTheyAre(t *testing.T) {
	for _, s := range sources(t) {
		if slices.Contains([]string{"util", "utils", "common", "helpers"}, s.file.Name.Name) {
			t.Errorf("%s: a package named %s says nothing", s.path, s.file.Name.Name)
		}
	}
}
