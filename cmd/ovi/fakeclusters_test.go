package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/provider/toys/shelf"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// fakeClusters is a fake of the provider of clusters, in place of all providers: a cluster is a file in
// a folder, NAME.json. a file .missing is an engine that cannot be reached, .refuse-NAME a cluster that
// cannot be created or deleted, .refuse-once-NAME one that cannot the first time, .vanish-NAME one that is gone as soon as it was created, .hold-NAME one whose creation
// takes until that file is gone, .starting-NAME one that starts until then, .broken-NAME and .unfinished-NAME one with that condition until it is deleted.
type fakeClusters struct{ dir string }

// oviOfTests is ovi, as a process. With OVI_TEST_STAYS it runs one command after the other: see stay.
func oviOfTests() {
	if os.Getenv(staysEnv) != "" {
		stay()
		return
	}
	soft, hard, stop := cli.Interrupts(context.Background())
	code := runOfTests(soft, hard, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// runOfTests is run or, with OVI_FAKE_CLUSTERS=DIR, run with the fake alone. With OVI_TEST_CLOCK=FILE its clock is as
// many hours, minutes and seconds off as the file says.
func runOfTests(soft, hard context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	dir, clock := os.Getenv("OVI_FAKE_CLUSTERS"), os.Getenv("OVI_TEST_CLOCK")
	if dir == "" && clock == "" {
		return run(soft, hard, args, os.LookupEnv, stdin, stdout, stderr)
	}
	out := &cli.Answer{W: stdout}
	p := &command.Process{Table: table, Process: cli.Process{
		Version: version, Hard: hard, Env: os.LookupEnv, Stdin: stdin, Stdout: out, Answer: out, Stderr: &cli.Screen{W: stderr}, Now: time.Now,
	}}
	if dir != "" {
		p.Table = func(*command.Process, hclog.Logger) []provider.Entry { return []provider.Entry{fakeEntry(dir)} }
	}
	if clock != "" {
		p.Now = func() time.Time { return time.Now().Add(stepIn(clock)) }
	}
	return runLine(soft, p, args)
}

// stepIn is the step of a clock in a file; 0 where there is none.
func stepIn(file string) time.Duration {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	step, err := time.ParseDuration(string(b))
	if err != nil {
		panic(err)
	}
	return step
}

func fakeEntry(dir string) provider.Entry {
	return provider.Entry{
		Name: command.ClusterProvider, Doc: "a fake", Kinds: fakeKinds,
		Locations: provider.Locations{Word: "engine", Example: "local", Default: func(func(string) string) string { return "local" }},
		Options: []provider.Option{
			{Key: "kind-image", Doc: "use `IMAGE`"}, {Key: "k3d-image", Doc: "use `IMAGE`"}, {Key: "create-command", Operator: true, Doc: "run `COMMAND`"},
		},
		Open: func(context.Context, provider.Config) (provider.Provider, error) { return fakeClusters{dir}, nil },
	}
}

func fakeKinds() []resource.Kind {
	replaced := func(name string, t resource.Type) resource.Attribute {
		return resource.Attribute{Name: name, Type: t, Effect: resource.Replace, Doc: "As configured."}
	}
	var holds func(resource.Ref, resource.Attrs, resource.State) []resource.Hold
	for _, k := range cluster.Kinds() {
		if k.Name == "cluster" {
			holds = k.Holds
		}
	}
	return []resource.Kind{{Provider: command.ClusterProvider, Name: "cluster", Doc: "A cluster.", NoTags: true, Carrier: resource.AtCreate, NamedReplace: true, DataLoss: fakeLoss, Holds: holds, Attrs: []resource.Attribute{
		{Name: "provider", Type: resource.TString, Required: true, Enum: []string{"kind", "k3d"}, Effect: resource.Replace, Doc: "The program.", Example: "kind"},
		replaced("image", resource.TString), replaced("http_port", resource.TInt), replaced("https_port", resource.TInt),
		replaced("node_port", resource.TInt), replaced("pf_port", resource.TInt), replaced("subnet", resource.TString),
		{Name: "server_ip", Type: resource.TString, Computed: true, Doc: "Its address."},
	}}}
}

func fakeLoss(resource.Observed, resource.Attrs) string { return "everything in the cluster" }

func (f fakeClusters) Kinds() []resource.Kind { return fakeKinds() }

func (f fakeClusters) is(what string) bool {
	_, err := os.Stat(filepath.Join(f.dir, what))
	return err == nil
}

func (f fakeClusters) Observe(_ context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	snap := resource.Snapshot{Scope: r.Scope, At: time.Now()}
	if f.is(".missing") {
		return snap, shelf.Fail(provider.Unreachable, "the engine cannot be reached")
	}
	files, err := filepath.Glob(filepath.Join(f.dir, "*.json"))
	for _, file := range files {
		var o resource.Observed
		b, bad := os.ReadFile(file)
		if errors.Is(bad, os.ErrNotExist) {
			continue
		}
		if err = errors.Join(err, bad, json.Unmarshal(b, &o)); err == nil {
			o.Ref.Location = r.Scope.Location
			if f.is(".starting-" + o.Ref.Name) {
				o.Health, o.Message = resource.Pending, "its API server starts"
			}
			for _, c := range []resource.Condition{resource.Broken, resource.Unfinished} {
				if f.is("." + string(c) + "-" + o.Ref.Name) {
					o.Condition, o.Health, o.Message = c, resource.Failing, "its load balancer is missing"
				}
			}
			snap.Resources = append(snap.Resources, o)
		}
	}
	slices.SortFunc(snap.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return snap, err
}

// refuses reports whether a cluster cannot be created or deleted this time.
func (f fakeClusters) refuses(name string) bool {
	once := os.Remove(filepath.Join(f.dir, ".refuse-once-"+name))
	return f.is(".refuse-"+name) || once == nil
}

func (f fakeClusters) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	ref := r.Desired.Ref
	if f.refuses(ref.Name) {
		return resource.Observed{}, &provider.Error{Cause: provider.Configuration, Err: errors.New("port 80 is in use"), Hint: "use another port"}
	}
	for f.is(".hold-" + ref.Name) {
		select {
		case <-ctx.Done():
			return resource.Observed{}, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
	o := resource.Observed{
		Ref: ref.Bare(), ID: ref.Name, UID: fmt.Sprint("uid-", time.Now().UnixNano()), Health: resource.Healthy, Marks: shelf.Marks(r), Attested: true,
		Attrs: r.Desired.Attrs.With("server_ip", resource.String("10.89.0.3")),
	}
	if f.is(".vanish-" + ref.Name) {
		return o, nil
	}
	b, err := json.Marshal(o)
	if err == nil {
		err = os.WriteFile(filepath.Join(f.dir, ref.Name+".json"), b, 0o600)
	}
	return o, err
}

func (f fakeClusters) Update(_ context.Context, r provider.Request) (resource.Observed, error) {
	return r.Have, provider.ErrReplace
}

func (f fakeClusters) Delete(_ context.Context, r provider.Request) error {
	if f.refuses(r.Have.Ref.Name) {
		return shelf.Fail(provider.Configuration, "it is in use")
	}
	for _, c := range []resource.Condition{resource.Broken, resource.Unfinished} {
		_ = os.Remove(filepath.Join(f.dir, "."+string(c)+"-"+r.Have.ID))
	}
	err := os.Remove(filepath.Join(f.dir, r.Have.ID+".json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// sqlDo runs statements on a database: sql FILE STATEMENT...; Kindler's table and its rows are SCHEMA, OLD
// and SHIPPED.
func sqlDo(ts *testscript.TestScript, _ bool, args []string) {
	known := map[string]string{"SCHEMA": sqlitetest.Schema(), "OLD": sqlitetest.Old(), "SHIPPED": sqlitetest.Shipped()}
	for i, s := range args[1:] {
		if text := known[s]; text != "" {
			args[i+1] = text
		}
	}
	ts.Check(sqlitetest.Do(ts.MkAbs(args[0]), args[1:]...))
}

// sqlRows compares what a query gives, line by line: rows FILE QUERY WANT...
func sqlRows(ts *testscript.TestScript, _ bool, args []string) {
	got, err := sqlitetest.Query(ts.MkAbs(args[0]), args[1])
	ts.Check(err)
	if !slices.Equal(got, args[2:]) {
		ts.Fatalf("got:\n%s", strings.Join(got, "\n"))
	}
}
