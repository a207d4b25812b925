package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/box"
)

// boxed runs ovi with boxes, which are replaced by a swap, instead of the providers of its table.
type boxed struct {
	t   *testing.T
	dir string
	box *box.Provider
}

func newBoxed(t *testing.T) *boxed {
	t.Helper()
	return &boxed{t, t.TempDir(), box.New()}
}

func (b *boxed) configure(image string) {
	b.t.Helper()
	// A host that does not answer is waited for; the timeout keeps that short.
	text := "version: v1\nstack: web\nprovider: box\nlocation: here\nresources:\n  - {type: box, name: web, image: " + image + "}\n" +
		"timeouts: {box: {update: 1s}}\n"
	if err := os.WriteFile(filepath.Join(b.dir, "ovi.yaml"), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// run runs a command and returns its exit code and what it writes, without times and ids that change.
func (b *boxed) run(args ...string) (code int, screen string) {
	b.t.Helper()
	env := map[string]string{"OVI_DATA_DIR": filepath.Join(b.dir, "data"), "HOME": b.dir, "USER": "ada", "NO_COLOR": "1"}
	var out bytes.Buffer
	answer := &cli.Answer{W: &out}
	entry := box.Entry()
	entry.Open = func(context.Context, provider.Config) (provider.Provider, error) { return b.box, nil }
	p := &command.Process{
		Table: func(*command.Process, hclog.Logger) []provider.Entry { return []provider.Entry{entry} },
		Process: cli.Process{
			Version: version, Hard: b.t.Context(), Env: func(k string) (string, bool) { v, ok := env[k]; return v, ok },
			Stdin: strings.NewReader(""), Stdout: answer, Answer: answer, Stderr: io.Discard, Now: time.Now,
		},
	}
	code = runLine(b.t.Context(), p, args)
	text := strings.ReplaceAll(out.String(), b.dir, "DIR")
	text = regexp.MustCompile(`\d+s ago|now`).ReplaceAllString(text, "1s ago")
	text = regexp.MustCompile(`\d\d\d\d-\d\d-\d\d \d\d:\d\d:\d\d`).ReplaceAllString(text, "2026-11-21 13:22:39")
	return code, regexp.MustCompile(`\d+\.\ds`).ReplaceAllString(text, "0.1s")
}

// TestASwapOnTheScreen: the plan shows its steps, and a replacement that was reverted or interrupted
// is shown in plain words.
func TestASwapOnTheScreen(t *testing.T) {
	t.Parallel()
	b := newBoxed(t)
	file := filepath.Join(b.dir, "ovi.yaml")
	b.configure("web:1")
	b.run("apply", "--auto-approve", file)
	var got strings.Builder
	show := func(args ...string) {
		code, screen := b.run(args...)
		fmt.Fprintf(&got, "$ ovi %s\n%s# exit code %d\n\n", strings.ReplaceAll(strings.Join(args, " "), b.dir+"/", ""), screen, code)
	}
	b.configure("crash")
	show("apply", "--auto-approve", file)
	show("status")
	show("why", "box/web")
	show("history", "box/web")
	b.configure("web:2")
	b.box.Fault = func(verb string) error {
		if verb == "switch" {
			return &provider.Error{Cause: provider.Unreachable, Err: errors.New("the host does not answer")}
		}
		return nil
	}
	show("apply", "--auto-approve", file)
	b.box.Fault = nil
	show("status")
	show("why", "box/web")
	show("plan", file)
	b.configure("web:1")
	show("plan", file)
	show("apply", "--auto-approve", file)
	show("plan", file)
	golden(t, "testdata/swap.txt", got.String())
}
