package config

import (
	"context"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
	"github.com/ovi-project/ovi/source/config/read"
	"github.com/ovi-project/ovi/source/config/settings"
	"github.com/ovi-project/ovi/source/syntax"
)

// Rules reads rules from files of their own, beside any configuration: the keys of rules, at
// the top of each document, with the version. Paths are files or folders, as with New. It
// returns all the rules or source.Problems; it does not compile their conditions.
func Rules(ctx context.Context, paths []string, opts Options) (rules.Rules, error) {
	files, problems := input.Open(paths, opts.Files)
	for _, f := range files {
		problems = append(problems, f.Problems...)
	}
	if len(problems) > 0 {
		return rules.Rules{}, problems
	}
	l := newLoader(opts, files)
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return rules.Rules{}, fmt.Errorf("config: reading %s: %w", f.Name, err)
		}
		for _, root := range l.roots(f) {
			d := l.setter(f)
			version := read.Key[*settings.Setter]{
				Name: "version", Example: "v1", Form: read.FormVersion, Doc: "The version of this format.",
				Read: (*settings.Setter).ReadVersion,
			}
			read.Keys(d.Reader, d, append([]read.Key[*settings.Setter]{version, publicKey((*settings.Setter).ReadPublic)},
				settings.RulesKeys()...), &root, "the file")
			if root.Shape == source.Object && root.Get("version") == nil {
				d.Wrong(&root, "the file has no version", "add version: v1 as the first line")
			}
		}
	}
	if _, problems := source.Resolve([]*source.Draft{l.draft}); len(problems) > 0 {
		return rules.Rules{}, problems
	}
	return l.settings.Rules, nil
}

// roots reads all documents of a file.
func (l *loader) roots(f *input.File) []source.Node {
	if f.IsJSON() {
		root, err := syntax.ParseJSON([]byte(f.Text))
		if err != nil {
			l.syntax(f, err)
			return nil
		}
		return []source.Node{root}
	}
	docs, err := syntax.Parse(strings.NewReader(f.Text))
	if err != nil {
		l.syntax(f, err)
		return nil
	}
	out := make([]source.Node, len(docs))
	for i, d := range docs {
		out[i] = l.converter(f, 0).Node(d, 0)
	}
	return out
}
