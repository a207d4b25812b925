package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
)

const (
	// endWait is how long a program that is asked to end may take.
	endWait = 5 * time.Second
	// shownLines is how much of what a failed program printed last is shown.
	shownLines = 20
)

// run runs kind or k3d with a deadline, in a process group of its own, and with a kubeconfig of its own:
// both otherwise change the user's. Its lines are shown as progress.
func (h *host) run(ctx context.Context, wait time.Duration, show func(provider.Progress), program string, args ...string) error {
	if err := h.installed(ctx, program); err != nil {
		return err
	}
	path, err := h.find(program)
	if err != nil {
		return err
	}
	environ, err := h.environ(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ovi-cluster-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	env := append(environ, "KUBECONFIG="+filepath.Join(dir, "kubeconfig"))
	return job{op: program + " " + strings.Join(args[:2], " "), path: path, args: args, env: env, wait: wait, show: show}.run(ctx)
}

// job is a run of a program.
type job struct {
	op, path  string
	args, env []string
	wait      time.Duration // how long it may take
	show      func(provider.Progress)
}

// run runs the program with its children in a group, which end with the context. An error has what it printed last.
func (j job) run(ctx context.Context) error {
	ctx, stop := context.WithTimeoutCause(ctx, j.wait, fmt.Errorf("it took longer than %s", j.wait))
	defer stop()
	said := &lines{show: j.show}
	cmd := exec.CommandContext(ctx, j.path, j.args...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = j.env, said, said, endWait
	grouped(cmd)
	// The program ends with this process; what the kernel watches is the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return &provider.Error{Class: provider.Uncertain, Op: j.op, Err: fmt.Errorf("%w: %w", context.Cause(ctx), ctx.Err())}
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return permanent(j.op, "", "%w:\n%s", err, said.last(shownLines))
	}
	return nil
}

// find finds a program in the PATH of its environment.
func (h *host) find(program string) (string, error) {
	for _, kv := range slices.Backward(h.opts.Environ()) {
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
	return "", permanent("", "install "+program, "%s is missing in PATH", program)
}

// environ is the environment in which kind and k3d use this engine.
func (h *host) environ(ctx context.Context) ([]string, error) {
	podman, err := h.Podman(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, kv := range h.opts.Environ() {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "KUBECONFIG", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_SOCK", "CONTAINER_HOST", "CONTAINER_CONNECTION", "KIND_EXPERIMENTAL_PROVIDER":
		default:
			out = append(out, kv)
		}
	}
	out = append(out, "DOCKER_HOST="+h.endpoint)
	if path, ok := strings.CutPrefix(h.endpoint, "unix://"); ok {
		out = append(out, "DOCKER_SOCK="+path)
	}
	if podman {
		return append(out, "CONTAINER_HOST="+h.endpoint, "KIND_EXPERIMENTAL_PROVIDER=podman"), nil
	}
	return append(out, "KIND_EXPERIMENTAL_PROVIDER=docker"), nil
}

// lines keeps what a program prints, and shows each line.
type lines struct {
	show func(provider.Progress)
	rest []byte
	all  []string
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		l.rest = rest
		if text := strings.TrimSpace(string(line)); text != "" {
			l.all = append(l.all, text)
			if l.show != nil {
				l.show(provider.Progress{Text: text})
			}
		}
	}
}

func (l *lines) last(n int) string {
	all := l.all
	if rest := strings.TrimSpace(string(l.rest)); rest != "" {
		all = append(all, rest)
	}
	return strings.Join(all[max(0, len(all)-n):], "\n")
}
