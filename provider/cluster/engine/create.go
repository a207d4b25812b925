package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/command"
	"github.com/ovi-project/ovi/provider/cluster/k3d"
	"github.com/ovi-project/ovi/provider/cluster/kind"
)

func (h *Host) createKind(ctx context.Context, r provider.Request) error {
	text, err := birthMarks(r)
	if err != nil {
		return err
	}
	b, err := kind.Config(r, marksPath(text))
	if err != nil {
		return err
	}
	f, err := os.CreateTemp("", "ovi-kind-*.yaml")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if _, err := f.Write(b); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err = h.run(ctx, createWait, r.Progress, kind.Name, "create", "cluster", "--name", r.Desired.Ref.Name, "--config",
			f.Name(), "--wait", "60s")
		lost, stays := kind.LostOutput(err)
		if !lost || try == kind.CreateTries {
			return err
		}
		if stays {
			remove := append(kind.Program().Deletion, r.Desired.Ref.Name)
			if bad := h.run(ctx, createWait, r.Progress, kind.Name, remove...); bad != nil {
				return errors.Join(err, bad)
			}
		}
	}
}

func (h *Host) createK3d(ctx context.Context, r provider.Request) error {
	text, err := birthMarks(r)
	if err != nil {
		return err
	}
	return h.run(ctx, createWait, r.Progress, k3d.Name, k3d.Args(r, createWait, marksLabel+"="+text)...)
}

// run runs kind or k3d with a deadline, in a process group of its own, and with a kubeconfig of its own:
// both otherwise change the user's. Its lines are shown as progress.
func (h *Host) run(ctx context.Context, wait time.Duration, show func(provider.Progress), program string,
	args ...string,
) error {
	if err := h.installed(ctx, program); err != nil {
		return err
	}
	path, err := command.Find(h.Environ(), program)
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
	return command.Job{
		Op: program + " " + strings.Join(args[:2], " "), Path: path, Args: args, Env: env, Wait: wait, Show: show,
	}.Run(ctx)
}

// environ is the environment in which kind and k3d use this engine.
func (h *Host) environ(ctx context.Context) ([]string, error) {
	podman, err := h.Podman(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, kv := range h.Environ() {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "KUBECONFIG", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_SOCK", "CONTAINER_HOST", "CONTAINER_CONNECTION",
			"KIND_EXPERIMENTAL_PROVIDER":
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
