package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman"
	"github.com/ovi-project/ovi/provider/toys/shelf"
	"github.com/ovi-project/ovi/resource"
)

// memoryHost is a host of containers in memory, with the kinds of the real one: each call takes its
// time by the site's clock.
type memoryHost struct {
	shelf shelf.Shelf
	pass  func(time.Duration)
	// refuse, if set, is why a call fails.
	refuse func(verb string, r provider.Request) error
}

func (h *memoryHost) Kinds() []resource.Kind { return podman.Kinds() }

func (h *memoryHost) Observe(ctx context.Context, r provider.ObserveRequest) (snap resource.Snapshot, err error) {
	snap = resource.Snapshot{Scope: r.Scope, At: time.Now(), Complete: slices.Sorted(slices.Values(r.Kinds))}
	err = h.shelf.Do(ctx, func() error {
		for _, o := range h.shelf.List(r.Scope) {
			if r.Kinds == nil || slices.Contains(r.Kinds, o.Ref.Kind) {
				snap.Resources = append(snap.Resources, o)
			}
		}
		return nil
	})
	return snap, err
}

func (h *memoryHost) Check(_ context.Context, r provider.Request) error { return h.refusal("check", r) }

func (h *memoryHost) refusal(verb string, r provider.Request) error {
	if h.refuse == nil {
		return nil
	}
	return h.refuse(verb, r)
}

func (h *memoryHost) Create(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	return out, h.shelf.Do(ctx, func() error {
		h.pass(1200 * time.Millisecond)
		if err := h.refusal("create", r); err != nil {
			return err
		}
		health := resource.Healthy
		if r.Beside != nil {
			health = resource.Stopped
		}
		n := h.shelf.Next()
		out = resource.Observed{Ref: r.Desired.Ref, ID: fmt.Sprintf("%s-%d", r.Desired.Ref.Kind, n), Marks: shelf.Marks(r), Attrs: r.Desired.Attrs, Health: health}
		if out.Ref.Kind == "volume" {
			out.ID, out.UID = out.Ref.Name, fmt.Sprintf("uid-%d", n)
		}
		h.shelf.Put(out)
		return nil
	})
}

func (h *memoryHost) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return h.change(ctx, r, func(o *resource.Observed) error { return shelf.Apply(o, r.Changes) })
}

func (h *memoryHost) SetAside(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return h.change(ctx, r, func(o *resource.Observed) error { o.Ref.Name += "-old"; return nil })
}

func (h *memoryHost) Switch(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return h.change(ctx, r, func(o *resource.Observed) error {
		o.Health = resource.Healthy
		return nil
	})
}

func (h *memoryHost) Restore(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return h.change(ctx, r, func(o *resource.Observed) error { o.Ref.Name = r.Desired.Ref.Name; return nil })
}

func (h *memoryHost) change(ctx context.Context, r provider.Request, do func(*resource.Observed) error) (out resource.Observed, err error) {
	return out, h.shelf.Do(ctx, func() error {
		h.pass(300 * time.Millisecond)
		x := h.shelf.ByID(r.Have.Ref, r.Have.ID)
		if x == nil {
			return shelf.Missing("%s does not exist", r.Have.ID)
		}
		err := do(x)
		out = *x
		return err
	})
}

func (h *memoryHost) Delete(ctx context.Context, r provider.Request) error {
	return h.shelf.Do(ctx, func() error {
		h.pass(200 * time.Millisecond)
		h.shelf.Remove(r.Have.Ref, r.Have.ID)
		return nil
	})
}

// installed runs ovi with charts on a host in memory, in a folder and at a time of its own.
type installed struct {
	t    *testing.T
	dir  string
	host *memoryHost
	mu   sync.Mutex
	now  time.Time
}

func newInstalled(t *testing.T) *installed {
	t.Helper()
	s := &installed{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 22, 12, 34, 56, 0, time.UTC)}
	s.host = &memoryHost{pass: func(d time.Duration) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.now = s.now.Add(d)
	}}
	if err := os.CopyFS(filepath.Join(s.dir, "my-app"), os.DirFS("testdata/cutepod/my-app")); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *installed) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// edit changes a file of the chart.
func (s *installed) edit(file, old, text string) {
	s.t.Helper()
	name := filepath.Join(s.dir, "my-app", file)
	b, err := os.ReadFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	changed := strings.Replace(string(b), old, text, 1)
	if changed == string(b) {
		s.t.Fatalf("%s does not hold %q", file, old)
	}
	if err := os.WriteFile(name, []byte(changed), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// run runs a command on the chart ./my-app, and returns its exit code and what it writes.
func (s *installed) run(args ...string) (code int, stdout, stderr string) {
	s.t.Helper()
	env := map[string]string{"HOME": s.dir, "USER": "ada", "NO_COLOR": "1"}
	var out, errs bytes.Buffer
	answer := &cli.Answer{W: &out}
	entry := podman.Entry()
	entry.Open = func(context.Context, provider.Config) (provider.Provider, error) { return s.host, nil }
	p := &command.Process{
		Table: func(*command.Process, hclog.Logger) []provider.Entry { return []provider.Entry{entry} },
		Process: cli.Process{
			Version: version, Hard: s.t.Context(), Env: func(k string) (string, bool) { v, ok := env[k]; return v, ok },
			Stdin: strings.NewReader(""), Stdout: answer, Answer: answer, Stderr: &errs, Now: s.clock,
		},
	}
	for i := range args {
		if args[i] == "./my-app" {
			args[i] = filepath.Join(s.dir, "my-app")
		}
	}
	if slices.Contains([]string{"install", "upgrade"}, args[0]) {
		args = append(args, "--parallelism", "1")
	}
	code = runLine(s.t.Context(), p, args)
	here := strings.NewReplacer(filepath.Join(s.dir, "my-app"), "./my-app", s.dir+"/", "")
	return code, here.Replace(out.String()), here.Replace(errs.String())
}

// shows checks a screen and its exit code against a golden file.
func (s *installed) shows(file string, want int, args ...string) string {
	s.t.Helper()
	code, out, errs := s.run(args...)
	if code != want {
		s.t.Errorf("ovi %s: exit code %d, not %d\n%s%s", strings.Join(args, " "), code, want, out, errs)
	}
	if errs != "" {
		s.t.Errorf("ovi %s writes to standard error:\n%s", strings.Join(args, " "), errs)
	}
	golden(s.t, filepath.Join("testdata/cutepod", file), out)
	return out
}

// ulid is the id of a plan.
var ulid = regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`)

// TestTheScreensOfInstall: each sample of the containers design, as the commands print it.
func TestTheScreensOfInstall(t *testing.T) {
	t.Parallel()
	s := newInstalled(t)
	s.shows("dry-run.txt", 0, "install", "./my-app", "--dry-run")
	s.shows("install.txt", 0, "install", "./my-app")
	s.shows("again.txt", 0, "upgrade", "./my-app")

	s.edit("values.yaml", `postgres: "13"`, `postgres: "14"`)
	s.edit("values.yaml", "memory: 512Mi", "memory: 1Gi")
	s.edit("templates/cache.yaml", "name: cache\n", "name: store\n")
	s.shows("upgrade-dry-run.txt", 0, "upgrade", "./my-app", "--dry-run")
	s.shows("upgrade.txt", 0, "upgrade", "./my-app")

	// Another release needs another port of the host.
	s.edit("templates/web.yaml", "hostPort: 8080", "hostPort: 8081")
	s.shows("verbose.txt", 0, "install", "development", "./my-app", "--verbose")
	s.edit("templates/web.yaml", "hostPort: 8081", "hostPort: 8080")
	s.shows("verbose-dry-run.txt", 0, "upgrade", "./my-app", "--dry-run", "-v", "--set", "postgres=15")
	s.shows("verbose-swap.txt", 0, "upgrade", "./my-app", "-v", "--set", "postgres=15")

	// A volume that the chart no longer has is kept, which is no error.
	s.edit("templates/web.yaml", "  volumes:\n    - name: web-content\n      mountPath: /usr/share/nginx/html\n", "")
	s.edit("templates/volumes.yaml", "name: web-content\n---\napiVersion: cutepod/v1alpha0\nkind: CuteVolume\nmetadata:\n  ", "")
	s.shows("kept-dry-run.txt", 0, "upgrade", "./my-app", "--dry-run", "--set", "postgres=15")
	s.shows("kept.txt", 0, "upgrade", "./my-app", "--set", "postgres=15")
	s.shows("kept-verbose.txt", 0, "upgrade", "./my-app", "--set", "postgres=15", "-v")
	s.shows("pruned.txt", 0, "upgrade", "./my-app", "--set", "postgres=15", "--prune-data")
}

// TestTheErrorsOfInstall: what the host refuses, what a manifest has wrong, and what makes a chart
// unreadable, in the form of the design.
func TestTheErrorsOfInstall(t *testing.T) {
	t.Parallel()
	s := newInstalled(t)
	s.host.refuse = func(verb string, r provider.Request) error {
		if image := shelf.Text(r.Desired.Attrs, "image"); image == "nginx:invalid" {
			return &provider.Error{Cause: provider.Configuration, Op: verb, Code: "manifest unknown", Err: errors.New("image '" + image + "' not found"), Hint: "check image name and tag"}
		}
		return nil
	}
	s.edit("values.yaml", "nginx: latest", "nginx: invalid")
	s.shows("error-dry-run.txt", 3, "install", "./my-app", "--dry-run")
	s.shows("error.txt", 3, "install", "./my-app")
	s.shows("error-verbose.txt", 3, "install", "./my-app", "-v")
	s.edit("values.yaml", "nginx: invalid", "nginx: latest")
	s.shows("repaired.txt", 0, "install", "./my-app")

	// An invalid field costs its resource and what depends on it; nothing is deleted.
	s.edit("templates/database.yaml", "memory:", "memry:")
	s.edit("templates/cache.yaml", "name: cache\n", "name: store\n")
	s.shows("invalid.txt", 3, "upgrade", "./my-app")
	s.edit("templates/database.yaml", "memry:", "memory:")
	s.shows("valid-again.txt", 0, "upgrade", "./my-app")

	// A reference that leads nowhere costs the one that refers.
	s.edit("templates/web.yaml", "- web-network", "- web-netwrk")
	s.shows("reference.txt", 3, "upgrade", "./my-app")
	s.edit("templates/web.yaml", "- web-netwrk", "- web-network")

	// A cycle, a template and YAML cost the chart.
	s.edit("templates/networks.yaml", "name: web-network\n", "name: web-network\n  dependsOn: [container/web-server]\n")
	s.shows("cycle.txt", 1, "upgrade", "./my-app")
	s.shows("cycle-dry-run.txt", 1, "upgrade", "./my-app", "--dry-run")
	s.edit("templates/networks.yaml", "  dependsOn: [container/web-server]\n", "")
	s.edit("templates/networks.yaml", "name: web-network\n", "name: {{ .Values.nme }}\n")
	s.shows("template.txt", 1, "upgrade", "./my-app")
	if err := os.Remove(filepath.Join(s.dir, "my-app", "Chart.yaml")); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := s.run("install", "./my-app"); code != 1 || !strings.Contains(errs, "needs a chart") {
		t.Errorf("without a Chart.yaml: exit code %d, %s", code, errs)
	}
}

// TestTheResultAsData: what is done, what fails and how long it takes, as JSON and as YAML.
func TestTheResultAsData(t *testing.T) {
	t.Parallel()
	s := newInstalled(t)
	data := func(file string, want int, args ...string) {
		t.Helper()
		code, out, errs := s.run(args...)
		if code != want || errs != "" {
			t.Errorf("ovi %s: exit code %d, not %d\n%s", strings.Join(args, " "), code, want, errs)
		}
		golden(t, filepath.Join("testdata/cutepod", file), ulid.ReplaceAllString(out, "PLAN"))
	}
	data("dry-run.yaml", 0, "install", "./my-app", "--dry-run", "-o", "yaml")
	s.edit("templates/database.yaml", "memory:", "memry:")
	data("install.json", 3, "install", "./my-app", "-o", "json")
	s.edit("values.yaml", "nginx: latest", "nginx: {")
	data("unreadable.yaml", 1, "install", "./my-app", "--output", "yaml")
}

// TestATimeoutOfInstall starts nothing more once it is over; the next run goes on.
func TestATimeoutOfInstall(t *testing.T) {
	t.Parallel()
	s := newInstalled(t)
	s.host.pass = func(time.Duration) { time.Sleep(900 * time.Millisecond) }
	code, out, _ := s.run("install", "./my-app", "--timeout", "3s")
	if code != 3 || !strings.Contains(out, "created\n") || !strings.Contains(out, "Error: not started: the command was stopped first\n    Suggestion: Run the same command again to continue\n") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	s.host.pass = func(time.Duration) {}
	if code, out, _ = s.run("install", "./my-app"); code != 0 {
		t.Errorf("again: exit code %d:\n%s", code, out)
	}
	if code, out, _ = s.run("install", "./my-app"); code != 0 || !strings.Contains(out, "No changes. 9 unchanged.") {
		t.Errorf("nothing to do: exit code %d:\n%s", code, out)
	}
}

// TestStatusOfAChart: a chart that was installed has a status.
func TestStatusOfAChart(t *testing.T) {
	t.Parallel()
	s := newInstalled(t)
	s.run("install", "./my-app")
	code, out, _ := s.run("status", "./my-app")
	for _, want := range []string{"container/web-server", "volume/db-data", "healthy"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, without %s:\n%s", code, want, out)
		}
	}
}

// TestAHandover: what the exported units take over is no longer managed: it is a conflict for the
// chart, and nothing of it is changed.
func TestAHandover(t *testing.T) {
	t.Parallel()
	s := newInstalled(t)
	s.run("install", "./my-app")
	out := filepath.Join(s.dir, "units")
	code, screen, warned := s.run("export", "quadlet", "./my-app", "--handover", "--out", out)
	if code != 0 || !strings.Contains(screen, "Handed over 9 resources") || strings.Contains(warned, "still manages") {
		t.Errorf("exit code %d:\n%s%s", code, screen, warned)
	}
	if _, err := os.Stat(filepath.Join(out, "database.container")); err != nil {
		t.Error(err)
	}
	if code, screen, _ = s.run("upgrade", "./my-app"); code != 7 || !strings.Contains(screen, "Resources: 0 created, 0 updated, 0 deleted") {
		t.Errorf("upgrade: exit code %d:\n%s", code, screen)
	}
	if code, screen, _ = s.run("history", "container/database", "-f", filepath.Join(s.dir, "my-app")); code != 0 || !strings.Contains(screen, "forgotten") && !strings.Contains(screen, "no longer managed") {
		t.Errorf("history: exit code %d:\n%s", code, screen)
	}
}

// TestTheFormsOfInstall: what is wrong with the arguments is refused before anything is read.
func TestTheFormsOfInstall(t *testing.T) {
	t.Parallel()
	s := newInstalled(t)
	for want, args := range map[string][]string{
		"two namespaces: dev and prod":           {"install", "dev", "./my-app", "--namespace", "prod"},
		`unexpected argument "c"`:                {"install", "a", "b", "c"},
		"needs a chart, and testdata is not one": {"install", "testdata"},
		`invalid namespace \"Dev\"`:              {"install", "Dev", "./my-app", "-o", "json"},
		`invalid output format "xml"`:            {"install", "./my-app", "-o", "xml"},
	} {
		if code, out, errs := s.run(args...); code != 1 || !strings.Contains(out+errs, want) {
			t.Errorf("ovi %s: exit code %d, without %q:\n%s%s", strings.Join(args, " "), code, want, out, errs)
		}
	}
	if entries, err := os.ReadDir(s.dir); err != nil || len(entries) != 1 {
		t.Errorf("something was written: %v, %v", entries, err)
	}
}
