// Command callsgen writes provider/aws/api/calls.go from the values of api.Calls in provider/aws and in the packages of
// its areas. Run it with `go generate ./provider/aws`, in the folder of that package.
//
// Each call is a value of its own. A *ec2.Client in a field of anything that becomes an interface makes the linker keep
// all of its 800 operations, because text/template may call methods by name. When this was measured, the binary had
// 87 MB with the clients in the fields and 39 MB with these values.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// service is a part of the SDK whose calls are one field of api.Region.
type service struct {
	iam     string // the Service of its calls; another part of the SDK may have the same
	pkg     string // the package of the SDK
	of      string // the prefix of its type and function
	about   string
	only    []string // its calls, if another service has the prefix too
	foreign []string // calls of the prefix that another part has
}

// services returns the parts of the SDK that have a field in api.Region. generate fails for a
// service with calls and no entry here, so that no call is missing from the clients.
func services() []service {
	tagging := []string{"TagResource", "UntagResource"}
	return []service{
		{iam: "acm", pkg: "acm", of: "acm", about: "certificates"},
		{iam: "autoscaling", pkg: "autoscaling", of: "scaling", about: "autoscaling groups"},
		{iam: "ec2", pkg: "ec2", of: "ec2", about: "networks, instances and volumes"},
		{iam: "elasticloadbalancing", pkg: "elasticloadbalancingv2", of: "elb", about: "load balancers"},
		{iam: "iam", pkg: "iam", of: "iam", about: "roles and instance profiles"},
		{iam: "kms", pkg: "kms", of: "kms", about: "keys and their aliases"},
		{iam: "logs", pkg: "cloudwatchlogs", of: "logGroup", about: "log groups"},
		{iam: "rds", pkg: "rds", of: "rds", about: "databases"},
		{iam: "route53", pkg: "route53", of: "dns", about: "hosted zones and their records"},
		{iam: "s3", pkg: "s3", of: "s3", about: "buckets", foreign: tagging},
		{
			iam: "s3", pkg: "s3control", of: "control", only: tagging,
			about: "S3 Control, the only ones that tag a bucket whose access depends on its tags",
		},
		{iam: "secretsmanager", pkg: "secretsmanager", of: "secret", about: "secrets"},
		{iam: "ssm", pkg: "ssm", of: "parameter", about: "parameters, of which AWS publishes its images"},
	}
}

func main() {
	if err := run(".", "api/calls.go"); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run reads the kinds in a folder and replaces the generated file. It writes the file only if all
// calls could be read and generated.
func run(from, to string) error {
	calls, err := readAll(from)
	if err != nil {
		return err
	}
	text, err := generate(calls)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644) //nolint:gosec // source code
}

// listed are the calls of a service; the value reports whether a call can carry a secret.
type listed map[string]bool

// readAll reads the calls of the provider in a folder and of its areas, by their service. It reads
// the source and does not import the packages: they compile only with the calls that it generates.
func readAll(folder string) (map[string]listed, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	areas, err := filepath.Glob(filepath.Join(folder, "*", "*.go"))
	if err != nil {
		return nil, err
	}
	calls := map[string]listed{}
	for _, name := range slices.Concat(files, areas) {
		text, err := os.ReadFile(name) //nolint:gosec // source code
		if err != nil {
			return nil, err
		}
		if err := read(calls, name, text); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// read adds the calls of a file. Their type is written as api.Calls, or left away in a slice of them.
func read(calls map[string]listed, name string, text []byte) error {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, text, 0)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		value, is := n.(*ast.CompositeLit)
		if !is || err != nil {
			return err == nil
		}
		switch typ := value.Type.(type) {
		case *ast.SelectorExpr:
			if fmt.Sprint(typ.X, ".", typ.Sel) == "api.Calls" {
				err = add(calls, files, value)
			}
		case *ast.ArrayType:
			if of, is := typ.Elt.(*ast.SelectorExpr); is && fmt.Sprint(of.X, ".", of.Sel) == "api.Calls" {
				for _, e := range value.Elts {
					if one, is := e.(*ast.CompositeLit); is && one.Type == nil && err == nil {
						err = add(calls, files, one)
					}
				}
			}
		}
		return err == nil
	})
	return err
}

// add adds the calls of a value of api.Calls.
func add(calls map[string]listed, files *token.FileSet, value *ast.CompositeLit) error {
	fields := map[string]string{}
	for _, e := range value.Elts {
		pair, is := e.(*ast.KeyValueExpr)
		if !is {
			return fmt.Errorf("%s: a field without its name", files.Position(e.Pos()))
		}
		key := fmt.Sprint(pair.Key)
		// These are actions of other services, which the kind does not call.
		if key == "Others" {
			continue
		}
		text, err := literal(pair.Value)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", files.Position(pair.Pos()), key, err)
		}
		fields[key] = text
	}
	of := calls[fields["Service"]]
	if of == nil {
		of = listed{}
		calls[fields["Service"]] = of
	}
	for _, field := range []string{"Observes", "Creates", "Changes", "Deletes", "Untagged"} {
		for name := range strings.FieldsSeq(fields[field]) {
			if call, _, _ := strings.Cut(name, ":"); call != "" {
				// A call can carry a secret if one of the kinds that list it tells so.
				of[call] = of[call] || slices.Contains(strings.Fields(fields["Secrets"]), call)
			}
		}
	}
	return nil
}

// literal returns the text of a literal, or of a sum of literals. Any other expression is an error,
// because its value is not in the syntax tree.
func literal(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.Unquote(e.Value)
	case *ast.BinaryExpr:
		left, err := literal(e.X)
		if err != nil {
			return "", err
		}
		right, err := literal(e.Y)
		return left + right, err
	}
	return "", errors.New("write the text as a literal: the generator of the calls reads the source")
}

// generate returns the source of the calls, by their service. The result depends on the calls
// alone, and not on the order of files or of a map: a test compares it with the generated file.
func generate(calls map[string]listed) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprint(&out, "// Code generated by callsgen from the values of Calls. DO NOT EDIT.\n\npackage api\n\nimport (\n")
	all := services()
	slices.SortFunc(all, func(a, b service) int { return cmp.Compare(a.pkg, b.pkg) })
	for _, s := range all {
		fmt.Fprintf(&out, "%q\n", "github.com/aws/aws-sdk-go-v2/service/"+s.pkg)
	}
	fmt.Fprint(&out, ")\n")
	known := map[string]bool{"sts": true} // the SDK makes these itself
	for _, s := range all {
		known[s.iam] = true
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(calls[s.iam])), func(name string) bool {
			return slices.Contains(s.foreign, name) || s.only != nil && !slices.Contains(s.only, name)
		})
		// Without calls the entry is wrong or its kinds are gone, so it is an error and not an
		// empty type.
		if len(names) == 0 {
			return nil, fmt.Errorf("no call of %s is listed", s.iam)
		}
		s.write(&out, names, calls[s.iam])
	}
	// The calls of an unknown service would be in no field, and its kinds would not compile.
	for name := range calls {
		if !known[name] {
			return nil, fmt.Errorf("service %q has calls: add it to services in callsgen", name)
		}
	}
	return format.Source(out.Bytes())
}

// narrow is the length of a field that stays below the limit of a line in each alignment.
const narrow = 68

// write writes the type with the calls of a service, and the function that takes them from a
// client. A call with a secret is wrapped, so that its errors do not show the message of the
// service.
func (s service) write(out *bytes.Buffer, names []string, secret listed) {
	fmt.Fprintf(out, "\n// %sCalls are the API calls of %s.\ntype %sCalls struct {\n", s.of, s.about, s.of)
	for _, name := range names {
		before := ""
		if len(name)*3+len(s.pkg)*3 > narrow {
			before = "\n"
		}
		fmt.Fprintf(out, "%s call[%s.%sInput,%s %s.%sOutput, %s.Options]\n",
			name, s.pkg, name, before, s.pkg, name, s.pkg)
	}
	fmt.Fprintf(out, "}\n\nfunc %sCallsOf(c *%s.Client) %sCalls {\nreturn %sCalls{\n", s.of, s.pkg, s.of, s.of)
	for _, name := range names {
		do := "c." + name
		if secret[name] {
			do = fmt.Sprintf("withSecret(%s,\n%s%sHasSecret)", do, strings.ToLower(name[:1]), name[1:])
		}
		fmt.Fprintf(out, "%s: %s,\n", name, do)
	}
	fmt.Fprint(out, "}\n}\n")
}
