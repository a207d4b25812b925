package cutepod

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/term"
)

func res(kind, name string) render.ChartResource { return render.ChartResource{Type: kind, Name: name} }

func all(kind string, names ...string) (out []render.ChartResource) {
	for _, n := range names {
		out = append(out, res(kind, n))
	}
	return out
}

func join(parts ...[]render.ChartResource) (out []render.ChartResource) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func acts(of ...render.ChartResource) (out []render.ChartAction) {
	for _, r := range of {
		out = append(out, render.ChartAction{Resource: r})
	}
	return out
}

// screen checks what a table prints against a golden file, whose text is that of the design.
func screen(t *testing.T, file string, do func(*Table)) {
	t.Helper()
	var b bytes.Buffer
	do(&Table{W: &b})
	want, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s: -want +got:\n%s", file, diff)
	}
}

func summary(t *testing.T, f Formatter, r render.ChartResult) {
	t.Helper()
	if err := f.Summary(r); err != nil {
		t.Error(err)
	}
}

// TestTheInstallationOfTheDesign: lines are printed in the order of the chart, whatever ends first.
func TestTheInstallationOfTheDesign(t *testing.T) {
	t.Parallel()
	made := join(all("network", "web-network", "db-network"), all("volume", "web-content", "db-data"),
		all("secret", "db-credentials", "api-keys"), all("container", "web-server", "database"))
	screen(t, "install.txt", func(f *Table) {
		f.Start(Head{Operation: "install", Path: "./my-app", Chart: "my-app", Planned: append(made, res("container", "cache"))})
		for _, i := range []int{3, 0, 1, 2, 7, 5, 4, 6} {
			f.Running(made[i], "creating", time.Time{})
			f.Action(Done{ChartAction: render.ChartAction{Resource: made[i]}, Verb: "created"})
		}
		f.Action(Done{ChartAction: render.ChartAction{Resource: res("container", "cache")}, Verb: "updated"})
		summary(t, f, render.ChartResult{Summary: render.ChartSummary{Created: 8, Updated: 1, Seconds: 12.3}, Created: acts(made...)})
	})
}

func TestTheDryRunOfTheDesign(t *testing.T) {
	t.Parallel()
	made := join(all("network", "web-network", "db-network"), all("container", "web-server"))
	screen(t, "dry-run.txt", func(f *Table) {
		f.Start(Head{Operation: "install", Path: "./my-app", Chart: "chart-name", DryRun: true, Planned: append(made, res("container", "database"))})
		r := render.ChartResult{DryRun: true, Created: acts(made...), Updated: acts(res("container", "database"))}
		r.Updated[0].Differences = []render.FieldChange{{Path: "image", From: "postgres:13", To: "postgres:14"}, {Path: "memory", From: "512Mi", To: "1Gi"}}
		f.DryRun(r)
		summary(t, f, r)
	})
}

func notFound() render.ChartError {
	of := res("container", "web-server")
	return render.ChartError{Type: render.ChartAPI, Resource: &of, Message: "image 'nginx:invalid' not found", Cause: "manifest unknown", Suggestion: "check image name and tag"}
}

func TestTheErrorOfTheDesign(t *testing.T) {
	t.Parallel()
	screen(t, "error.txt", func(f *Table) {
		f.Start(Head{Operation: "install", Path: "./my-app", Chart: "development", Troubled: true, Planned: []render.ChartResource{res("network", "web-network"), res("container", "web-server")}})
		f.Action(Done{ChartAction: render.ChartAction{Resource: res("network", "web-network")}, Verb: "created"})
		f.Error(Failed{ChartError: notFound()})
		summary(t, f, render.ChartResult{Summary: render.ChartSummary{Created: 1, Failed: 1, Seconds: 3}, Created: acts(res("network", "web-network")), Errors: []render.ChartError{notFound()}})
	})
}

func TestTheVerboseScreenOfTheDesign(t *testing.T) {
	t.Parallel()
	networks, volumes := all("network", "web-network", "db-network"), all("volume", "web-content", "db-data")
	secrets, containers := all("secret", "db-credentials", "api-keys"), all("container", "web-server", "database")
	at := func(second int) time.Time { return time.Date(2026, 11, 22, 12, 34, second, 0, time.UTC) }
	screen(t, "verbose.txt", func(f *Table) {
		f.Verbose = true
		f.Start(Head{
			Operation: "install", Path: "./my-app", Chart: "test", Version: "1.2.3",
			Resources: join(networks, volumes, secrets, containers), Levels: [][]render.ChartResource{join(networks, volumes, secrets), containers},
		})
		f.Action(Done{
			ChartAction: render.ChartAction{Resource: networks[0], Seconds: 1.2}, Verb: "created", Started: at(56), Finished: at(57),
			Commands: []Command{{at(56), "podman network create web-network --driver bridge"}},
		})
		f.Action(Done{
			ChartAction: render.ChartAction{Resource: containers[0], Seconds: 2.1}, Verb: "created", Started: at(57), Finished: at(59),
			Commands: []Command{{at(57), "podman run -d --name web-server nginx:latest"}},
		})
		summary(t, f, render.ChartResult{Summary: render.ChartSummary{Created: 2, Seconds: 8.7}, Created: acts(networks[0], containers[0])})
	})
}

// TestNoDurationIsNegative: the clock may be set back between the start and the end.
func TestNoDurationIsNegative(t *testing.T) {
	t.Parallel()
	for _, s := range []float64{-0.01, -1, -3600} {
		if got := seconds(s); got != "0.0s" {
			t.Errorf("%v is shown as %s", s, got)
		}
	}
}

// TestTheColorsOfTheMarks are those of the design.
func TestTheColorsOfTheMarks(t *testing.T) {
	t.Parallel()
	f := &Table{Style: term.Style{Color: true}}
	for mark, color := range map[string]string{succeeded: "32", failed: "31", updated: "33", created: "32", deleted: "31", arrow: "34"} {
		if got := f.mark(mark); got != "\x1b["+color+"m"+mark+"\x1b[0m" {
			t.Errorf("%s is %q", mark, got)
		}
	}
	if got := (&Table{}).mark(failed); got != failed {
		t.Errorf("without color: %q", got)
	}
}

// TestErrorsOfOneResourceShareItsLine, and an error of the chart has a section of its own.
func TestErrorsOfOneResourceShareItsLine(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	f := &Table{W: &b}
	f.Start(Head{Operation: "upgrade", Path: "shop", Chart: "shop", Unread: true})
	second := notFound()
	second.Message = "another"
	for _, e := range []render.ChartError{notFound(), second, {Type: render.ChartConfiguration, Message: "no templates"}} {
		f.Error(Failed{ChartError: e})
	}
	summary(t, f, render.ChartResult{Summary: render.ChartSummary{Failed: 2}, Errors: []render.ChartError{notFound()}})
	got := b.String()
	for _, want := range []string{"Upgrading chart: shop\nChart name: shop\n", "│ Parsing Manifests ", "\nChart:\n  ✗ shop               failed\n    Error: no templates\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "✗ web-server"); n != 1 {
		t.Errorf("web-server has %d lines:\n%s", n, got)
	}
}

// TestASectionHasOneHeading, whatever becomes of its resources.
func TestASectionHasOneHeading(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	f := &Table{W: &b}
	networks := all("network", "a", "b", "c")
	f.Start(Head{Operation: "install", Path: "shop", Chart: "shop", Planned: networks})
	f.Skipped(networks[0], "not created")
	f.Action(Done{ChartAction: render.ChartAction{Resource: networks[1]}, Verb: "created"})
	f.Skipped(networks[2], "not created")
	summary(t, f, render.ChartResult{Created: acts(networks[1])})
	want := "\nNetworks:\n    a                  not created\n  ✓ b                  created\n    c                  not created\n\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("not as\n%s\n%s", want, b.String())
	}
}

// TestAVerboseErrorSaysMore, and quiet screens print the failures and the counts alone.
func TestAVerboseErrorSaysMore(t *testing.T) {
	t.Parallel()
	for quiet, want := range map[bool]string{
		false: "✗ Container web-server failed\n    Error: image 'nginx:invalid' not found\n    Suggestion: Check image name and tag\n    Type: podman_api, recoverable: no\n    Cause: manifest unknown\n\n",
		true:  "Resources: 0 created, 0 updated, 0 deleted\nErrors: 1 failed\nStatus: Failed\n",
	} {
		var b bytes.Buffer
		f := &Table{W: &b, Verbose: true, Style: term.Style{Quiet: quiet}}
		f.Start(Head{Operation: "install", Path: "shop", Chart: "shop"})
		f.Error(Failed{ChartError: notFound()})
		summary(t, f, render.ChartResult{Summary: render.ChartSummary{Failed: 1}, Errors: []render.ChartError{notFound()}})
		if got := b.String(); !strings.Contains(got, want) || quiet && strings.Contains(got, "Reconciling") {
			t.Errorf("quiet %v:\n%s", quiet, got)
		}
	}
}

// TestATerminalShowsWhatIsRunning, with its time, below what has ended, and nothing of it is left.
func TestATerminalShowsWhatIsRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		f := &Table{W: &b, Style: term.Style{Live: true, Width: 80}}
		web := res("container", "web")
		f.Start(Head{Operation: "install", Path: "shop", Chart: "shop", Planned: []render.ChartResource{web}})
		f.Running(web, "creating", time.Now())
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		f.mu.Lock()
		if got := b.String(); !strings.Contains(got, "  → web                creating... 1s\n") {
			t.Errorf("nothing is running: %q", got)
		}
		f.mu.Unlock()
		f.Action(Done{ChartAction: render.ChartAction{Resource: web}, Verb: "created"})
		summary(t, f, render.ChartResult{Summary: render.ChartSummary{Created: 1}, Created: acts(web)})
		if got := b.String(); !strings.Contains(got, "\x1b[1A\r\x1b[J\nContainers:\n  ✓ web                created\n") {
			t.Errorf("it is not replaced: %q", got)
		}
	})
}
