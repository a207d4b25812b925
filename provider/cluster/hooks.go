package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Hooks are commands of the user, each a list of words. Create and Delete run instead of kind and k3d; Verify
// after a cluster was created or started. None is trusted: what a command left is observed, whatever it ends with.
type Hooks struct{ Create, Delete, Verify []string }

// verifyWait is how long a verification may take.
const verifyWait = time.Minute

// hooksOf reads the commands of the options.
func hooksOf(option func(string) string) (out Hooks, err error) {
	for key, into := range map[string]*[]string{"create-command": &out.Create, "delete-command": &out.Delete, "verify-command": &out.Verify} {
		words, bad := command(option(key))
		if bad != nil {
			err = errors.Join(err, permanent("", `write words with spaces between them, or a JSON list such as ["create.sh", "two words"]`, "invalid --cluster-%s: %w", key, bad))
		}
		*into = words
	}
	return out, err
}

// command reads a command: a JSON list of words, or words with spaces between them.
func command(text string) ([]string, error) {
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

// hook runs a command of the user, with what is configured of the cluster, or observed, in its environment.
func (h *host) hook(ctx context.Context, wait time.Duration, show func(provider.Progress), name string, words []string, about resource.Ref, attrs resource.Attrs, more ...string) error {
	path := words[0]
	var err error
	if strings.Contains(path, "/") {
		path, err = filepath.Abs(path)
	} else {
		path, err = h.find(path)
	}
	if err != nil {
		return err
	}
	environ, err := h.environ(ctx)
	if err != nil {
		return err
	}
	environ = append(append(environ, described(about, attrs)...), h.kubeconfigs()...)
	return job{op: name, path: path, args: words[1:], env: append(environ, more...), wait: wait, show: show}.run(ctx)
}

// described is a cluster in an environment. What is not set is omitted.
func described(about resource.Ref, attrs resource.Attrs) []string {
	out := []string{"CLUSTER_NAME=" + about.Name}
	for _, name := range []string{"provider", "image", "subnet"} {
		if s, ok := attrs.Text(name); ok {
			out = append(out, "CLUSTER_"+strings.ToUpper(name)+"="+s)
		}
	}
	for _, name := range []string{"node_port", "pf_port", "http_port", "https_port"} {
		if n, ok := attrs.Int(name); ok {
			out = append(out, "CLUSTER_"+strings.ToUpper(name)+"="+strconv.FormatInt(n, 10))
		}
	}
	return out
}

// kubeconfigs is the KUBECONFIG of the user, which commands of the user may change.
func (h *host) kubeconfigs() []string {
	if files := h.opts.Getenv("KUBECONFIG"); files != "" {
		return []string{"KUBECONFIG=" + files}
	}
	return nil
}

// hookCreate lets the user's command create a cluster, and looks whether it did. Of one that fails, no note stays.
func (h *host) hookCreate(ctx context.Context, with string, r provider.Request) error {
	if err := h.note(ctx, with, r); err != nil {
		return err
	}
	err := h.tryCreate(ctx, with, r)
	if err != nil && provider.ClassOf(err) == provider.Permanent {
		err = errors.Join(err, h.RemoveVolume(context.WithoutCancel(ctx), noteOf(with, r.Desired.Ref.Name)))
	}
	return err
}

func (h *host) tryCreate(ctx context.Context, with string, r provider.Request) error {
	const name = "create_command"
	said := h.hook(ctx, createWait, r.Progress, name, h.opts.Hooks.Create, r.Desired.Ref, r.Desired.Attrs, creating(r.Key))
	have, err := h.named(context.WithoutCancel(ctx), with, r.Desired.Ref.Name)
	switch {
	case err != nil:
		return uncertain("it is unknown what "+name+" left", errors.Join(said, err))
	case said != nil && have != nil && provider.ClassOf(said) != provider.Uncertain:
		return permanent("", "run `ovi adopt "+r.Desired.Ref.Short()+"`, or delete it by hand", "%w\nand a cluster %s of %s exists all the same", said, r.Desired.Ref.Name, with)
	case said == nil && (have == nil || have.id == ""):
		return permanent(name, "check what the command does", "it ended with 0, and %s has no cluster %s", with, r.Desired.Ref.Name)
	}
	return said
}

// hookVerify lets the user's command verify a cluster that ovi has observed to be healthy.
func (h *host) hookVerify(ctx context.Context, f *found, o *resource.Observed, show func(provider.Progress)) error {
	if len(h.opts.Hooks.Verify) == 0 {
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
	if err := h.hook(ctx, verifyWait, show, "verify_command", h.opts.Hooks.Verify, o.Ref, o.Attrs, "KUBECONFIG="+file); err != nil {
		return uncertain("the cluster exists and was not verified", err)
	}
	return nil
}
