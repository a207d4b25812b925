package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/command"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// verifyWait is how long a verification may take.
const verifyWait = time.Minute

// hook runs a command of the user, with what is configured of the cluster, or observed, in its environment.
func (h *Host) hook(ctx context.Context, wait time.Duration, show func(provider.Progress), name string, words []string,
	about resource.Ref, attrs resource.Attrs, more ...string,
) error {
	path := words[0]
	var err error
	if strings.Contains(path, "/") {
		path, err = filepath.Abs(path)
	} else {
		path, err = command.Find(h.Environ(), path)
	}
	if err != nil {
		return err
	}
	environ, err := h.environ(ctx)
	if err != nil {
		return err
	}
	// What is not set is omitted.
	environ = append(environ, "CLUSTER_NAME="+about.Name)
	for _, attr := range []string{"provider", "image", "subnet"} {
		if s, ok := attrs.Text(attr); ok {
			environ = append(environ, "CLUSTER_"+strings.ToUpper(attr)+"="+s)
		}
	}
	for _, attr := range []string{"node_port", "pf_port", "http_port", "https_port"} {
		if n, ok := attrs.Int(attr); ok {
			environ = append(environ, "CLUSTER_"+strings.ToUpper(attr)+"="+strconv.FormatInt(n, 10))
		}
	}
	if files := h.Getenv("KUBECONFIG"); files != "" { // of the user: their commands may change it
		environ = append(environ, "KUBECONFIG="+files)
	}
	return command.Job{
		Op: name, Path: path, Args: words[1:], Env: append(environ, more...), Wait: wait, Show: show,
	}.Run(ctx)
}

// hookCreate lets the user's command create a cluster, and looks whether it did. Of one that fails, no note stays.
func (h *Host) hookCreate(ctx context.Context, with string, r provider.Request) error {
	if err := h.note(ctx, with, r); err != nil {
		return err
	}
	err := h.tryCreate(ctx, with, r)
	if err != nil && provider.CauseOf(err) != provider.UnknownResult {
		err = errors.Join(err, h.RemoveVolume(context.WithoutCancel(ctx), noteOf(with, r.Desired.Ref.Name)))
	}
	return err
}

func (h *Host) tryCreate(ctx context.Context, with string, r provider.Request) error {
	const name = "create_command"
	said := h.hook(ctx, createWait, r.Progress, name, h.Hooks.Create, r.Desired.Ref, r.Desired.Attrs, creating(r.Key))
	have, err := h.named(context.WithoutCancel(ctx), with, r.Desired.Ref.Name)
	switch {
	case err != nil:
		return system.Uncertain("it is unknown what "+name+" left", errors.Join(said, err))
	case said != nil && have != nil && provider.CauseOf(said) != provider.UnknownResult:
		return system.Mistake("", "run `ovi adopt "+r.Desired.Ref.Short()+"`, or delete it by hand",
			"%w\nand a cluster %s of %s exists all the same", said, r.Desired.Ref.Name, with)
	case said == nil && (have == nil || have.id == ""):
		return system.Mistake(name, "check what the command does", "it ended with 0, and %s has no cluster %s", with,
			r.Desired.Ref.Name)
	}
	return said
}

// hookVerify lets the user's command verify a cluster that ovi has observed to be healthy.
func (h *Host) hookVerify(ctx context.Context, f *found, o *resource.Observed, show func(provider.Progress)) error {
	if len(h.Hooks.Verify) == 0 {
		return nil
	}
	text, err := h.kubeconfig(ctx, f)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ovi-cluster-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	if err := h.hook(ctx, verifyWait, show, "verify_command", h.Hooks.Verify, o.Ref, o.Attrs,
		"KUBECONFIG="+file); err != nil {
		return system.Uncertain("the cluster exists and was not verified", err)
	}
	return nil
}
