package reconcile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/internal/gitlock"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/config/component"
)

// FetchCommand returns the command `ovi fetch`.
func FetchCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "fetch", Category: command.GroupReconcile, ArgsUsage: "[SOURCE]",
		Usage: "Lock and fetch components from Git",
		Description: "Adds each component from Git that a configuration uses to ovi.lock next to the file, and\n" +
			"fetches its files into a cache. A branch or a tag that moved is shown; --upgrade locks the new commit.\n" +
			"--prune removes all other files from the cache; another checkout that needs them fetches them again.\n" +
			"Other commands that read files of this host use no network for components.",
		Flags: []urfave.Flag{
			command.SourceFlag(),
			&urfave.BoolFlag{Name: "upgrade", Usage: "lock the newest commits of branches and tags"},
			&urfave.BoolFlag{Name: "prune", Usage: "remove files and clones that the locks do not use from the cache"},
		},
		Action: p.Action(fetch),
	}
}

// fetched is the result of `ovi fetch` for one lock, for programs.
type fetched struct {
	Lock       string          `json:"lock"`
	Components int             `json:"components"`
	Changes    []fetchedChange `json:"changes"`
}

type fetchedChange struct {
	Component string        `json:"component"`
	Ref       string        `json:"ref,omitempty"`
	From      string        `json:"from,omitempty"` // the locked commit
	To        string        `json:"to,omitempty"`   // the newest commit
	Taken     bool          `json:"taken"`
	Unused    bool          `json:"unused,omitempty"`
	Files     []fetchedFile `json:"files,omitempty"`
	UsedBy    []string      `json:"used_by,omitempty"`
	Problem   string        `json:"problem,omitempty"`
}

type fetchedFile struct {
	Name   string `json:"name"`
	Change string `json:"change"`
}

// fetchOptions are the options of `ovi fetch`.
type fetchOptions struct{ upgrade, prune bool }

func fetchOptionsOf(c *command.Call) fetchOptions {
	return fetchOptions{upgrade: c.Cmd.Bool("upgrade"), prune: c.Cmd.Bool("prune")}
}

func fetch(c *command.Call) error {
	o := fetchOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	paths, err := session.Sources(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	for _, p := range paths {
		switch {
		case session.IsKind(p, session.Repository):
			return cli.Usage("run `ovi fetch` in a checkout, and commit "+gitlock.FileName,
				"%s is in Git, and its lock is part of the commit", p)
		case !session.IsKind(p, session.Files):
			return cli.Usage("name a configuration file, or a folder of them", "%s has no components from Git", p)
		}
	}
	locks, problems := config.Locks(paths)
	if len(problems) > 0 {
		return problems
	}
	var used []*gitlock.Lock
	for _, l := range locks {
		now, err := fetchLock(c, l, o.upgrade)
		if err != nil {
			return err
		}
		used = append(used, now)
	}
	if o.prune {
		if err := prune(c, used); err != nil {
			return err
		}
	}
	return cli.Exit()
}

// prune removes everything from the cache that the locks do not use.
func prune(c *command.Call, used []*gitlock.Lock) error {
	p, err := command.ComponentFetcher(c).Cache.Prune(c, used)
	if err != nil {
		return &cli.Problem{
			Summary: "cannot prune the cache", Err: cli.Plain(err), Suggestion: "check the permissions of the folder",
		}
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "pruned", Data: p})
	}
	c.Out.Say("Removed %d unused folders and %d unused clones from the cache (%.1f MiB).", p.Folders, p.Clones,
		float64(p.Bytes)/(1<<20))
	return nil
}

// fetchLock brings one lock and the cache to the use blocks of its files, and returns the lock.
func fetchLock(c *command.Call, files config.Locked, upgrade bool) (*gitlock.Lock, error) {
	from := command.ComponentFetcher(c)
	name := filepath.Join(files.Dir, gitlock.FileName)
	done, err := from.Cache.Alone(c, files.Dir)
	if err != nil {
		return nil, err
	}
	defer done()
	was, wrong, err := gitlock.Read(files.Dir)
	if err != nil {
		return nil, &cli.Problem{
			Summary: "cannot read the lock", File: name, Err: cli.Plain(err), Suggestion: "restore the file from Git",
		}
	}
	if len(wrong) > 0 {
		var problems source.Problems
		for _, w := range wrong {
			problems = append(problems, source.Problem{
				At: position.Position{File: name, Line: w.Line, Column: 1}, Summary: w.Summary, Suggestion: w.Suggestion,
			})
		}
		return nil, problems
	}
	u := &gitlock.Update{From: from, Was: was, Upgrade: upgrade, Prune: isAlone(files)}
	users, problems := files.Users(func(url gitclone.URL) (fs.FS, error) { return u.Open(c, url) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, problems
	}
	now, changes, err := u.Finish(c)
	if err != nil {
		return nil, err
	}
	if string(now.Format()) != string(was.Format()) {
		if err := now.Write(files.Dir); err != nil {
			return nil, &cli.Problem{
				Summary: "cannot write the lock", File: name, Err: cli.Plain(err),
				Suggestion: "check the permissions of the folder",
			}
		}
	}
	return now, tellFetched(c, name, now, changes, users)
}

func tellFetched(
	c *command.Call, name string, now *gitlock.Lock, changes []gitlock.Change, users []component.User,
) error {
	out := fetched{Lock: name, Components: len(now.Lines), Changes: []fetchedChange{}}
	for i := range changes {
		out.Changes = append(out.Changes, describe(&changes[i], users))
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "fetched", Data: out})
	}
	moved := false
	failed := map[string]bool{} // all folders of a repository have one problem
	for _, x := range out.Changes {
		if x.To == "" && !x.Unused && failed[x.Problem] {
			continue
		}
		failed[x.Problem] = true
		moved = moved || x.To != "" && !x.Taken && !x.Unused
		if err := tellChange(c, name, x); err != nil {
			return err
		}
	}
	switch {
	case out.Components == 0:
		c.Out.Say("The configuration uses no components from Git.")
	case out.Components == 1:
		c.Out.Say("%s has 1 component from Git.", name)
	default:
		c.Out.Say("%s has %d components from Git.", name, out.Components)
	}
	if moved {
		c.Out.Say("Run `ovi fetch --upgrade` to lock the new commits.")
	}
	return nil
}

// usesComponents finds a use block in the text of a file.
var usesComponents = regexp.MustCompile(`\buse\b["']?\s*:`)

// isAlone reports whether no other configuration in the folder of the files may use the lock.
func isAlone(files config.Locked) bool {
	entries, err := os.ReadDir(files.Dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		own := func(name string) bool { return filepath.Base(name) == e.Name() }
		isFile := slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name()))
		if !isFile || slices.ContainsFunc(files.Names(), own) {
			continue
		}
		text, err := source.ReadFile(nil, filepath.Join(files.Dir, e.Name()), source.MaxFile)
		if err != nil || usesComponents.Match(text) {
			return false
		}
	}
	return true
}

// describe returns a change for programs, with the use blocks that it concerns.
func describe(x *gitlock.Change, users []component.User) fetchedChange {
	out := fetchedChange{
		Component: x.URL.String(), Ref: x.Full, From: x.Old, To: x.New, Taken: x.Taken, Unused: !x.Used,
	}
	for _, f := range x.Files {
		out.Files = append(out.Files, fetchedFile(f))
	}
	for _, u := range users {
		if slices.Contains(u.Uses, x.URL) {
			out.UsedBy = append(out.UsedBy, strings.TrimSpace(u.Name+" at "+u.At.String()))
		}
	}
	if err := errors.Join(x.Err, x.Unread); err != nil {
		out.Problem = err.Error()
	}
	return out
}

// tellChange prints a change.
func tellChange(c *command.Call, name string, x fetchedChange) error {
	switch {
	case x.Unused && x.To == "" && x.Problem == "":
		return c.Out.Print([]byte("- " + x.Component + "  removed from " + name + ": it is not used\n"))
	case x.Unused && x.To == "":
		c.Out.Warn("removed "+x.Component+" from "+name+": "+x.Problem, "run `ovi fetch` for each other file that uses it")
		return nil
	case x.Unused && x.From == x.To:
		c.Out.Warn(x.Component+" is in "+name+", and this configuration does not use it",
			"delete the line if no other file of the folder uses it")
		return nil
	case x.To == "":
		c.Out.Warn("ovi cannot check whether a component has newer commits: "+x.Problem, "check the network")
		return nil
	}
	var b strings.Builder
	switch {
	case x.From == "":
		fmt.Fprintf(&b, "+ %s  locked\n    commit  %.12s\n", x.Component, x.To)
	case x.Taken:
		fmt.Fprintf(&b, "~ %s  moved\n    commit  %.12s -> %.12s\n", x.Component, x.From, x.To)
	default:
		fmt.Fprintf(&b, "~ %s  moved, and the lock is not changed\n    commit  %.12s -> %.12s\n", x.Component, x.From, x.To)
	}
	if x.Ref != "" && x.Ref != "HEAD" && x.Ref != x.To {
		fmt.Fprintf(&b, "    ref     %s\n", x.Ref)
	}
	for _, f := range x.Files {
		fmt.Fprintf(&b, "    file    %s  %s\n", f.Name, f.Change)
	}
	if x.From != "" && len(x.Files) == 0 && x.Problem == "" {
		b.WriteString("    no file changed\n")
	}
	if x.Problem != "" {
		fmt.Fprintf(&b, "    the changed files are unknown: %s\n", x.Problem)
	}
	for _, u := range x.UsedBy {
		fmt.Fprintf(&b, "    used    %s\n", u)
	}
	return c.Out.Print([]byte(b.String()))
}
