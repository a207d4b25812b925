package ovi_test

import (
	"go/ast"
	"slices"
	"strconv"
	"testing"
)

// unbounded are calls that read an input to its end, however long it is.
var unbounded = []string{"io.ReadAll", "os.ReadFile", "fs.ReadFile", "tls.LoadX509KeyPair", "ioutil.ReadAll", "ioutil.ReadFile"}

// whole are the files that may read something in whole, and why.
var whole = map[string]string{
	"internal/budget/read.go":                             "it is the limit",
	"source/outside.go":                                   "behind a limit",
	"source/importer/terraform/code/parse.go":             "behind a limit",
	"provider/aws/sandbox/transport.go":                   "behind a limit",
	"provider/podman/host/host.go":                        "the identity of the machine",
	"provider/edge/node/events.go":                        "a file of the kernel",
	"provider/cluster/command/group_linux.go":             "a file of the kernel",
	"ledger/trust/directory.go":                           "the identity of the machine",
	"cmd/edge/usage.go":                                   "a file of the kernel",
	"internal/boottime/host_linux.go":                     "a file of the kernel",
	"cmd/record/replay.go":                                "a store that this process has just written",
	"provider/aws/callsgen/main.go":                       "a generator",
	"internal/heldby/heldby.go":                           "for tests",
	"internal/built/built.go":                             "for tests",
	"source/sourcetest/sourcetest.go":                     "for tests",
	"provider/cluster/kube/kubetest/kubetest.go":          "for tests",
	"internal/sshsig/sshsigtest/sshsigtest.go":            "for tests",
	"provider/cluster/haproxy/haproxytest/haproxytest.go": "for tests",
}

// TestEveryInputHasALimit: an input that others write, or that a name in a foreign file can replace, is read through
// internal/budget. What else is read in whole is in a list, with its reason.
func TestEveryInputHasALimit(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t) {
		if within(s.pkg, "test") || within(s.pkg, "internal/podmantest") || within(s.pkg, "internal/clustertest") || within(s.pkg, "internal/etcdtest") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			f, _ := n.(*ast.SelectorExpr)
			if f == nil {
				return true
			}
			if x, is := f.X.(*ast.Ident); is && slices.Contains(unbounded, x.Name+"."+f.Sel.Name) {
				used[s.path] = true
				if whole[s.path] == "" {
					t.Errorf("%s: %s.%s has no limit: use internal/budget", s.fset.Position(n.Pos()), x.Name, f.Sel.Name)
				}
			}
			return true
		})
	}
	for file := range whole {
		if !used[file] {
			t.Errorf("%s reads nothing in whole any more: remove it from the list", file)
		}
	}
}

// TestOnlyMainHasTheStreams: everything that is written to a terminal passes the cleaner that cmd/ovi puts before
// standard output and standard error.
func TestOnlyMainHasTheStreams(t *testing.T) {
	may := []string{"cmd/ovi/main.go", "provider/aws/callsgen/main.go", "cmd/cli/clitest/failing.go"}
	for _, s := range sources(t) {
		if within(s.pkg, "test") || within(s.pkg, "internal") || slices.Contains(may, s.path) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				x, is := n.X.(*ast.Ident)
				name := n.Sel.Name
				prints := is && x.Name == "fmt" && (name == "Print" || name == "Println" || name == "Printf")
				logs := is && x.Name == "log" && (name == "Print" || name == "Println" || name == "Printf" || name == "Fatal" || name == "Fatalf" || name == "Default")
				if is && x.Name == "os" && (name == "Stdout" || name == "Stderr" || name == "NewFile") || prints || logs {
					t.Errorf("%s: %s.%s goes around the cleaner of the terminal", s.fset.Position(n.Pos()), x.Name, name)
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && (text == "/dev/tty" || text == "/dev/stdout" || text == "/dev/stderr") {
					t.Errorf("%s: %s goes around the cleaner of the terminal", s.fset.Position(n.Pos()), text)
				}
			case *ast.CallExpr:
				if f, is := n.Fun.(*ast.Ident); is && (f.Name == "print" || f.Name == "println") {
					t.Errorf("%s: %s goes around the cleaner of the terminal", s.fset.Position(n.Pos()), f.Name)
				}
			}
			return true
		})
	}
}
