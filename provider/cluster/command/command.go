// Package command runs programs in a process group of their own, which ends with the context and with this process, and
// reads the commands that a user configures.
package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/system"
)

const (
	// endWait is how long a program that is asked to end may take.
	endWait = 5 * time.Second
	// shownLines is how much of what a failed program printed last is shown.
	shownLines = 20
)

// Job is a run of a program.
type Job struct {
	Op, Path  string
	Args, Env []string
	Wait      time.Duration // how long it may take
	Show      func(provider.Progress)
}

// Run runs the program with its children in a group, which end with the context. An error has what it printed last.
func (j Job) Run(ctx context.Context) error {
	ctx, stop := context.WithTimeoutCause(ctx, j.Wait, fmt.Errorf("it took longer than %s", j.Wait))
	defer stop()
	said := &lines{show: j.Show}
	cmd := exec.CommandContext(ctx, j.Path, j.Args...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = j.Env, said, said, endWait
	grouped(cmd)
	// The program ends with this process; what the kernel watches is the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return &provider.Error{
			Cause: provider.UnknownResult, Op: j.Op, Err: fmt.Errorf("%w: %w", context.Cause(ctx), ctx.Err()),
		}
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return system.Failed(j.Op, err, said.last(shownLines))
	}
	return nil
}

// Find finds a program in the PATH of its environment.
func Find(environ []string, program string) (string, error) {
	for _, kv := range slices.Backward(environ) {
		list, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			path := filepath.Join(dir, program)
			if i, err := os.Stat(path); err == nil && i.Mode().IsRegular() && i.Mode()&0o111 != 0 && filepath.IsAbs(path) {
				return path, nil
			}
		}
		break
	}
	return "", system.Mistake("", "install "+program, "%s is missing in PATH", program)
}

// longestLine bounds a line of a program, in bytes.
const longestLine = 4 << 10

// traceStart is the line before a stack trace: of kind, which follows its error, and of a panic of a program in Go.
var traceStart = regexp.MustCompile(`^(Stack Trace:|goroutine \d+ .*\[.*\]:)$`)

// lines keeps the last lines that a program prints, and shows each line. A stack trace is not kept.
type lines struct {
	show  func(provider.Progress)
	rest  []byte
	all   []string
	trace bool
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			l.rest = l.rest[:min(len(l.rest), longestLine)]
			return len(b), nil
		}
		line, l.rest = line[:min(len(line), longestLine)], rest
		text := strings.TrimSpace(string(line))
		if l.trace = l.trace || traceStart.MatchString(text); text != "" && !l.trace {
			l.all = append(l.all[max(0, len(l.all)-shownLines):], text)
			if l.show != nil {
				l.show(provider.Progress{Text: text})
			}
		}
	}
}

func (l *lines) last(n int) string {
	all := l.all
	if rest := strings.TrimSpace(string(l.rest)); rest != "" && !l.trace {
		all = append(all, rest)
	}
	return strings.Join(all[max(0, len(all)-n):], "\n")
}

// Hooks are commands of the user, each a list of words. Create and Delete run instead of kind and k3d; Verify
// after a cluster was created or started. None is trusted: what a command left is observed, whatever it ends with.
type Hooks struct{ Create, Delete, Verify []string }

// HooksOf reads the commands of the options.
func HooksOf(option func(string) string) (out Hooks, err error) {
	for key, into := range map[string]*[]string{
		"create-command": &out.Create, "delete-command": &out.Delete, "verify-command": &out.Verify,
	} {
		words, bad := Words(option(key))
		if bad != nil {
			err = errors.Join(err,
				system.Mistake("", `write words with spaces between them, or a JSON list such as ["create.sh", "two words"]`,
					"invalid --cluster-%s: %w", key, bad))
		}
		*into = words
	}
	return out, err
}

// Words reads a command: a JSON list of words, or words with spaces between them.
func Words(text string) ([]string, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return strings.Fields(text), nil
	}
	var words []string
	if err := json.Unmarshal([]byte(text), &words); err != nil {
		return nil, err
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("the first word is missing")
	}
	return words, nil
}
