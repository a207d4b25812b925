package cluster

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/command"
	"github.com/ovi-project/ovi/provider/cluster/haproxy"
	"github.com/ovi-project/ovi/provider/cluster/portainer"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// Entry is the provider in a table of providers.
func Entry() provider.Entry {
	return provider.Entry{
		Name: system.Name, Doc: "local Kubernetes clusters, with kind and k3d",
		Locations: provider.Locations{
			Word: "engine", Example: system.Local,
			Pattern: `(local|(unix|tcp)://[^#]+)(#[a-z0-9-]+)?|management|context:.+|` +
				`haproxy(:/.+)?|portainer(:https?://.+)?|git(:(https|ssh|file)://.+)?`,
			Default: func(func(string) string) string { return system.Local },
		},
		Options: []provider.Option{
			{
				Key: "kind-image",
				Doc: "create the kind clusters of a table with `IMAGE` as their nodes, such as kindest/node:v1.31.12",
			},
			{
				Key: "k3d-image",
				Doc: "create the k3d clusters of a table with `IMAGE` as their nodes, such as rancher/k3s:v1.31.5-k3s1",
			},
			{
				Key: "rows",
				Doc: "let each row of a table declare these `KINDS` besides its cluster: haproxy_route, argocd_secret, " +
					"portainer_endpoint, edge_agent, git_branch, applicationset (one for all rows)",
			},
			{Key: "apps-repo", Doc: "the Git repository of the applicationset of a table, at `URL`"},
			{Key: "apps-name", Default: "whoami", Doc: "call the applicationset of a table `NAME`"},
			{Key: "git-repo", Doc: "keep the branches of clusters in the Git repository at `URL`; by default apps-repo"},
			{Key: "engine", Doc: "create clusters on the Docker or Podman at `URL`, such as unix:///run/podman/podman.sock"},
			{Key: "management", Doc: "the `CONTEXT` of the management cluster, which Argo CD runs in, in a kubeconfig"},
			{Key: "kubeconfig", Doc: "read that context from `FILE`, instead of KUBECONFIG"},
			{Key: "haproxy", Doc: "keep the routes of clusters in `FOLDER`, which HAProxy loads"},
			{
				Key: "haproxy-socket", Default: "/run/haproxy/admin.sock",
				Doc: "the `SOCKET` of HAProxy's runtime API, with the level admin",
			},
			{Key: "haproxy-master", Default: "/run/haproxy-master.sock", Doc: "the `SOCKET` of HAProxy's master process"},
			{
				Key: "create-command", Operator: true,
				Doc: "run `COMMAND` to create a cluster, instead of kind and k3d; what it did is observed",
			},
			{
				Key: "delete-command", Operator: true,
				Doc: "run `COMMAND` to delete a cluster, instead of kind and k3d; what it did is observed",
			},
			{
				Key: "verify-command", Operator: true,
				Doc: "run `COMMAND` to verify a cluster that was created or started, besides ovi's own checks",
			},
			{Key: "portainer", Doc: "the Portainer at `URL`"},
			{
				Key: "portainer-token", Secret: true,
				Doc: "the access `TOKEN` of a user of Portainer; the variable keeps it out of the list of processes",
			},
			{
				Key: "portainer-token-for", Operator: true,
				Doc: "send the token of Portainer to `HOST`, even if only a configuration names the host",
			},
		},
		Kinds: Kinds,
		Open: func(_ context.Context, c provider.Config) (provider.Provider, error) {
			o, err := optionsOf(c)
			if err != nil {
				return nil, err
			}
			return New(o), nil
		},
	}
}

// optionsOf reads the options of the provider.
func optionsOf(c provider.Config) (Options, error) {
	o := Options{
		Engine: c.Options("engine"), Management: c.Options("management"), Kubeconfig: c.Options("kubeconfig"),
		Getenv: os.Getenv, Environ: environ, Clock: c.Clock,
	}
	o.HAProxy = haproxy.Folder{
		Path: c.Options("haproxy"), Socket: c.Options("haproxy-socket"), Master: c.Options("haproxy-master"),
	}
	var err error
	if o.Hooks, err = command.HooksOf(c.Options); err != nil {
		return o, err
	}
	given := c.Given
	if given == nil {
		given = func(string) string { return "" }
	}
	o.Portainer = portainer.Client{ // The tokens are for the hosts that are given here.
		URL: c.Options("portainer"), Token: c.Options("portainer-token"), For: c.Options("portainer-token-for"),
	}
	if u, err := url.Parse(given("portainer")); err == nil && o.Portainer.For == "" {
		o.Portainer.For = u.Host
	}
	o.OperatorGit = cmp.Or(given("git-repo"), given("apps-repo"))
	if o.Git = c.Options("git-repo"); o.Git == "" {
		o.Git = c.Options("apps-repo")
	}
	if dir, err := os.UserCacheDir(); err == nil { // else there are no branches
		o.Clones = filepath.Join(dir, "ovi", "git")
	}
	if c.Digest != nil {
		o.Digest = func(ref resource.Ref, path, plain string) resource.Digest { return c.Digest(ref, path, plain) }
	}
	return o, nil
}

// environ is the environment of the programs of a cluster. OVI_CLUSTER_ENV has the names of further variables that the
// operator gives to them.
func environ() []string {
	more := strings.FieldsFunc(os.Getenv("OVI_CLUSTER_ENV"), func(r rune) bool { return r == ',' || r == ' ' })
	return command.Chosen(os.Environ(), more...)
}
