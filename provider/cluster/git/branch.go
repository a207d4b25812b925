// Package git has the branches of a repository as resources. The first commit of a branch holds its marks; no call
// rewrites a commit that was pushed by someone else.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

const (
	headsRef   = "refs/heads/"
	fetchedRef = "refs/ovi/heads/" // the branches of the repository, in the clone
	// marksTrailer is the trailer of the first commit of a branch.
	marksTrailer = "Ovi-Marks"
)

// branches are those of one repository.
type branches struct {
	gitclone.Clone
	scope resource.Scope
}

// Locate resolves the word git to the URL of the option.
func Locate(location, configured string) (string, error) {
	at := strings.TrimPrefix(strings.TrimPrefix(location, string(system.OnGit)), ":")
	if at == "" {
		at = configured
	}
	if at == "" {
		return "", system.Mistake("", "set options.cluster.git-repo to its URL", "no Git repository is configured")
	}
	u, err := gitclone.ParseRemote(at)
	if err == nil && u.RawQuery != "" {
		err = fmt.Errorf("the URL has parameters")
	}
	if err != nil {
		return "", system.Mistake("", "use https://HOST/REPOSITORY, ssh://USER@HOST/REPOSITORY or file:///PATH",
			"invalid Git repository: %w", err)
	}
	return string(system.OnGit) + ":" + u.String(), nil
}

// Open returns the branches of one repository, which is cloned below a folder.
// The token of the environment goes only to the host of the repository that an operator named.
func Open(location, configured, operators, clones string, getenv func(string) string) (system.Verbs, error) {
	at, err := Locate(location, configured)
	if err != nil {
		return nil, err
	}
	if clones == "" {
		return nil, system.Mistake("", "set HOME or XDG_CACHE_HOME", "there is no folder for a clone of the repository")
	}
	remote := strings.TrimPrefix(at, string(system.OnGit)+":")
	env := func(name string) (string, bool) { v := getenv(name); return v, v != "" }
	own := gitclone.SameHost(remote, operators)
	return &branches{
		gitclone.Clone{Dir: gitclone.Folder(clones, remote, system.KindBranch), Remote: remote, Env: env, Own: own},
		resource.Scope{Provider: system.Name, Location: at},
	}, nil
}

func (x *branches) List(ctx context.Context) ([]resource.Observed, error) {
	r, err := x.read(ctx)
	if err != nil {
		return nil, err
	}
	return r.all, nil
}

// reading is what a repository had when it was read.
type reading struct {
	all     []resource.Observed // sorted by ref
	initial string              // the default branch; "" if the repository does not say
}

func (r *reading) named(name string) (resource.Observed, bool) {
	for i := range r.all {
		if r.all[i].ID == name {
			return r.all[i], true
		}
	}
	return resource.Observed{}, false
}

// read brings the clone to what the repository has. One that did not change costs one question to its server.
func (x *branches) read(ctx context.Context) (*reading, error) {
	if err := x.Prepare(ctx); err != nil {
		return nil, err
	}
	unlock, err := x.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	text, err := x.Git(ctx, "ls-remote", "--symref", "--end-of-options", x.Remote, "HEAD", headsRef+"*")
	if err != nil {
		return nil, err
	}
	there, initial := remoteHeads(string(text))
	have, err := x.fetched(ctx)
	if err == nil && !maps.Equal(there, have) {
		if err = x.Fetch(ctx, []string{"+" + headsRef + "*:" + fetchedRef + "*"}, "--prune"); err == nil {
			have, err = x.fetched(ctx)
		}
	}
	if err != nil {
		return nil, err
	}
	log, err := x.Git(ctx, "log", "--topo-order",
		"--format=%H %P%x00%(trailers:key="+marksTrailer+",valueonly,separator=%x20)%x00", "--glob="+fetchedRef+"*")
	if err != nil {
		return nil, err
	}
	return &reading{graphOf(string(log), x.scope).observed(have, x.scope), initial}, nil
}

// remoteHeads reads the answer of a server: its branches with their commits, and the default branch.
func remoteHeads(text string) (all map[string]string, initial string) {
	all = map[string]string{}
	for line := range strings.Lines(text) {
		what, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if target, ok := strings.CutPrefix(what, "ref: "+headsRef); ok && name == "HEAD" {
			initial = target
		} else if branch, ok := strings.CutPrefix(name, headsRef); ok {
			all[branch] = what
		}
	}
	return all, initial
}

// fetched are the branches of the clone with their commits.
func (x *branches) fetched(ctx context.Context) (map[string]string, error) {
	text, err := x.Git(ctx, "for-each-ref", "--format=%(objectname) %(refname)", fetchedRef)
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		oid, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[strings.TrimPrefix(name, fetchedRef)] = oid
	}
	return all, err
}

// Check: the repository can be read, the name is free, and there is something to start from.
func (x *branches) Check(ctx context.Context, r provider.Request) error {
	now, err := x.read(ctx)
	if err != nil {
		return err
	}
	if have, exists := now.named(r.Desired.Ref.Name); exists && have.ID != r.Have.ID {
		return x.taken(r)
	}
	_, err = x.base(now, r)
	return err
}

func (x *branches) taken(r provider.Request) error {
	return system.InUse("", "rename it, or run `ovi adopt "+r.Desired.Ref.Short()+"`",
		"the repository has a branch %s", r.Desired.Ref.Name)
}

// base is the commit that a new branch starts from.
func (x *branches) base(now *reading, r provider.Request) (string, error) {
	name, set := r.Desired.Attrs.Text("base")
	if !set {
		name = now.initial
	}
	have, exists := now.named(name)
	switch {
	case exists:
		commit, _ := have.Attrs.Text("commit")
		return commit, nil
	case name == "":
		return "", system.Mistake("", "push a first commit, or set base", "%s has no default branch", x.Remote)
	}
	return "", system.Mistake("", "push it, or set base to another branch", "%s has no branch %s", x.Remote, name)
}

// Create pushes a commit that changes no file and holds the marks, if there is no branch of the name.
func (x *branches) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	now, err := x.read(ctx)
	if err != nil {
		return resource.Observed{}, err
	}
	name := r.Desired.Ref.Name
	switch have, exists := now.named(name); {
	case exists && have.Marks.Key == r.Key:
		return have, nil
	case exists:
		return resource.Observed{}, x.taken(r)
	}
	base, err := x.base(now, r)
	if err != nil {
		return resource.Observed{}, err
	}
	text, err := system.MarksText(r, r.Key)
	if err != nil {
		return resource.Observed{}, err
	}
	var out bytes.Buffer
	err = x.Run(ctx, gitclone.Call{
		Op: "commit-tree", Args: []string{"-p", base, "-F", "-", base + "^{tree}"}, Config: []string{
			"user.name=ovi", "user.email=ovi@localhost", "commit.gpgSign=false",
		},
		Stdin: strings.NewReader(fmt.Sprintf("Create branch %s\n\n%s: %s\n", name, marksTrailer, text)), Out: &out,
	})
	if err != nil {
		return resource.Observed{}, err
	}
	commit := strings.TrimSpace(out.String())
	if err := x.push(ctx, r, name, "", commit); err != nil {
		return resource.Observed{}, err
	}
	return branch(x.scope, name, commit, system.ParseMarks(text, x.scope, system.KindBranch), "", 0), nil
}

// Update does nothing: what can be configured counts when a branch is created.
func (x *branches) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	now, err := x.read(ctx)
	if err != nil {
		return resource.Observed{}, err
	}
	have, exists := now.named(r.Have.ID)
	if !exists {
		return have, &provider.Error{
			Cause: provider.Configuration, Absent: true, Err: fmt.Errorf("the repository has no branch %s any more", r.Have.ID),
		}
	}
	return have, nil
}

// Remove deletes the branch as it was observed: not another one of its name, and not with commits that came since
// and that no other branch has.
func (x *branches) Remove(ctx context.Context, r provider.Request) error {
	now, err := x.read(ctx)
	if err != nil {
		return err
	}
	have, exists := now.named(r.Have.ID)
	if !exists || have.UID != r.Have.UID {
		return nil
	}
	known, _ := r.Have.Attrs.Int("unmerged")
	lost, _ := have.Attrs.Int("unmerged")
	switch {
	case have.ID == now.initial:
		return system.Mistake("", "make another branch the default first, or run `ovi forget`",
			"%s is the default branch of the repository", have.ID)
	case lost > known:
		return system.InUse("", "run the command again, which shows them",
			"commits were pushed to the branch %s since it was observed", have.ID)
	}
	commit, _ := have.Attrs.Text("commit")
	return x.push(ctx, r, have.ID, commit, "")
}

// push sets a branch of the repository, if it is still at a commit; "" is none.
func (x *branches) push(ctx context.Context, r provider.Request, name, from, to string) error {
	var out bytes.Buffer
	ref := headsRef + name
	err := x.Run(ctx, gitclone.Call{
		Op: "push", Out: &out,
		Args: []string{
			"--porcelain", "--quiet", "--no-verify", "--force-with-lease=" + ref + ":" + from, "--end-of-options", "origin",
			to + ":" + ref,
		},
	})
	answer := out.String()
	switch {
	case err == nil:
		return nil
	case strings.Contains(answer, "[rejected]") && from == "":
		return x.taken(r)
	case strings.Contains(answer, "[rejected]"):
		return system.InUse("", "run the command again", "the branch %s was changed since it was observed", name)
	case strings.Contains(answer, "[remote rejected]"):
		return &provider.Error{
			Cause: provider.Denied, Op: "push", Err: fmt.Errorf("the server refused it: %w", err),
			Hint: "check what the server allows",
		}
	}
	if said := new(gitclone.Error); errors.As(err, &said) {
		if known := system.Said(system.Git, "push", "", said.Text, err); known.Cause == provider.Denied ||
			known.Cause == provider.Expired {
			return known // the server refused the credentials
		}
	}
	return system.Uncertain("whether the push reached the server is not known", err)
}
