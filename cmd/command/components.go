package command

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/internal/gitlock"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/component"
)

// ComponentFetcher returns the fetcher of components from Git. Its cache is shared by all checkouts of a user. Commands
// that read a configuration use the cache alone.
func ComponentFetcher(c *Call) *gitlock.Fetcher {
	return &gitlock.Fetcher{Cache: gitlock.Cache{Dir: c.CacheDir()}, Env: c.Env}
}

// CommitComponents returns the reader of the components that the lock in a commit of a repository names. A source in
// Git uses the network, so a component that is missing in its data directory is fetched: the commit in the lock.
func CommitComponents(c *Call, remote, dir string) func(gitlock.Line) (fs.FS, error) {
	f := &gitlock.Fetcher{Cache: gitlock.Cache{Dir: filepath.Join(dir, "git")}, Env: c.Env, Operator: remote}
	return func(l gitlock.Line) (fs.FS, error) {
		if strings.HasPrefix(l.URL.Remote, "file:") && !strings.HasPrefix(remote, "file:") {
			return nil, &gitlock.Error{
				Summary: "a repository of another host cannot use a repository of this host: " + l.URL.String(),
				Next:    "use " + gitlock.Example,
			}
		}
		return f.Open(c, l)
	}
}

// ComponentText returns the text of the component that a use block of a file names.
func ComponentText(c *Call, file, folder string) (string, error) {
	u, err := gitlock.ParseURL(folder)
	if err != nil {
		b, err := source.ReadFile(nil, filepath.Join(filepath.Dir(file), folder, component.FileName), source.MaxFile)
		return string(b), err
	}
	lock, problems, err := gitlock.Read(filepath.Dir(file))
	switch {
	case err != nil:
		return "", err
	case len(problems) > 0:
		return "", &gitlock.Error{Summary: gitlock.FileName + ": " + problems[0].Summary, Next: problems[0].Suggestion}
	}
	line, locked := lock.Find(u)
	if !locked {
		return "", &gitlock.Error{Summary: folder + " is not in " + gitlock.FileName, Next: "run `ovi fetch`"}
	}
	files, err := ComponentFetcher(c).Cache.Open(line)
	if err != nil {
		return "", err
	}
	text, err := source.ReadFile(files, path.Join(u.Path, component.FileName), source.MaxFile)
	return string(text), err
}
