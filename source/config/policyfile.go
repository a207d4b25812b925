package config

import (
	"context"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Policy reads the limits that stand in files of their own, beside any config: the keys of
// policy, at the top of each document, with the version. Paths are files or folders, as with
// New. It gives all the rules or source.Problems; whether conditions are CEL it does not say.
func Policy(ctx context.Context, paths []string, opts Options) (resource.Rules, error) {
	c := &config{paths: paths, opts: opts}
	files, problems := c.open()
	if len(problems) > 0 {
		return resource.Rules{}, problems
	}
	l := newLoader(opts, nil)
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return resource.Rules{}, fmt.Errorf("config: reading %s: %w", f.name, err)
		}
		for _, root := range l.roots(f) {
			l.policyDocument(f, &root)
		}
	}
	if len(l.problems) > 0 {
		return resource.Rules{}, l.sorted()
	}
	return l.words.rules, nil
}

func (l *loader) policyDocument(f *file, root *node) {
	d := &document{loader: l, file: f, start: root}
	version := key[*document]{"version", "v1", formVersion, "The version of this format.", (*document).readVersion}
	readKeys(d, d, append([]key[*document]{version}, policyKeys()...), root, "a policy")
	if root.shape == object && root.get("version") == nil {
		d.wrong(root, "the policy does not say its version", "begin it with version: v1")
	}
}

// roots reads all documents of a file as they stand.
func (l *loader) roots(f *file) []node {
	if f.isJSON() {
		root, err := parseJSON([]byte(f.text))
		if err != nil {
			l.syntax(f, err)
			return nil
		}
		return []node{root}
	}
	docs, err := parseYAML(strings.NewReader(f.text))
	if err != nil {
		l.syntax(f, err)
		return nil
	}
	out := make([]node, len(docs))
	for i, d := range docs {
		out[i] = l.converter(f, 0).node(d, 0, false)
	}
	return out
}
