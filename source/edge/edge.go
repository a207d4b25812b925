package edge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/syntax"
)

// siteFile lists the nodes of a site.
const siteFile = "site.yaml"

// attempts is how many attempts of one configuration may fail, where site.yaml does not say.
const attempts = 3

// Options is what the source needs from outside.
type Options struct {
	source.Options
	// Provider and Kind are what a deployment is.
	Provider, Kind string
	// Files is where the folder is read; nil is the operating system.
	Files fs.FS
}

// site is a source of one folder. It does not change.
type site struct {
	dir  string
	opts Options
}

// New returns a source of the folder of a site. Nothing is read before Load.
func New(dir string, o Options) source.Source { return &site{dir, o} }

// Reads reports whether a path is the folder of a site. Nil files are those of the operating system.
func Reads(dir string, files fs.FS) bool {
	_, err := read(files, path.Join(filepath.ToSlash(dir), siteFile))
	return err == nil
}

func read(files fs.FS, name string) ([]byte, error) {
	return source.ReadFile(files, filepath.FromSlash(name), source.MaxText)
}

func list(files fs.FS, dir string) ([]fs.DirEntry, error) {
	if files != nil {
		return fs.ReadDir(files, path.Clean(dir))
	}
	return os.ReadDir(filepath.FromSlash(dir))
}

// loader is one load.
type loader struct {
	opts    Options
	draft   *source.Draft
	site    string
	nodes   []node
	where   map[string][]string // the nodes of each deployment
	first   map[string]position.Position
	waits   []*declared
	dir     string
	repeats syntax.Repeats // of all files
	policy  policy
	moved   []source.Moved
	removed []source.Removed
	broken  bool // the nodes are not known
	empty   bool // no deployments are expected
}

// node is a node of the site.
type node struct {
	name   string
	labels map[string]string
}

// declared is one deployment as its file declares it.
type declared struct {
	*document
	id    string
	was   string // the former id
	nodes []string
	needs []source.Node
	attrs source.Node
	bad   bool
	policy
}

// document is one file.
type document struct {
	name string
	root source.Node
	at   func(*source.Node) position.Position
}

// Load implements source.Source. A folder without deployments is an error unless site.yaml says
// `deployments: none`: it may have been emptied by accident.
func (s *site) Load(ctx context.Context) ([]*source.Draft, error) {
	dir := filepath.ToSlash(s.dir)
	entries, err := list(s.opts.Files, dir)
	if err != nil {
		return nil, source.Problems{{
			At:      position.Position{File: dir},
			Summary: "cannot read the folder of the site: " + source.FileError(err), Suggestion: "check the path",
		}}
	}
	l := &loader{
		opts: s.opts, dir: dir, site: siteName(dir), draft: source.NewDraft(s.opts.Options),
		where: map[string][]string{}, first: map[string]position.Position{},
	}
	l.draft.Keys = names(deploymentTable())
	sum := sha256.New()
	var docs []*document
	for _, e := range entries {
		ext := path.Ext(e.Name())
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || ext != ".yaml" && ext != ".yml" {
			continue
		}
		name := path.Join(dir, e.Name())
		b, err := read(s.opts.Files, name)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("edge: reading %s: %w", name, ctx.Err())
		}
		if err != nil {
			l.draft.PartNames = append(l.draft.PartNames, e.Name())
			l.draft.Unreadable(position.Position{File: name})
			l.draft.Problem(source.Problem{
				At: position.Position{File: name}, Summary: "cannot read the file: " + source.FileError(err),
				Suggestion: source.FileAdvice(err, "check its permissions"),
			})
			l.broken = l.broken || e.Name() == siteFile
			continue
		}
		fmt.Fprintf(sum, "%s %d %s\n", e.Name(), len(b), b)
		doc := l.parse(name, string(b))
		if l.draft.PartNames = append(l.draft.PartNames, e.Name()); doc == nil {
			l.draft.Unreadable(position.Position{File: name, Line: 1, Column: 1})
		}
		switch {
		case doc == nil && e.Name() == siteFile:
			l.broken = true
		case doc == nil:
		case e.Name() == siteFile:
			l.readSite(doc)
		default:
			docs = append(docs, doc)
		}
	}
	l.add(docs)
	l.draft.Stack, l.draft.Source, l.draft.Version = l.site, dir, "sha256:"+hex.EncodeToString(sum.Sum(nil))
	l.draft.Rules.DestroyAuto, l.draft.Rules.UnreadMaxAge = true, rules.Unlimited
	l.draft.Part = func(at position.Position) string {
		if base := path.Base(at.File); base != siteFile && path.Dir(at.File) == path.Clean(dir) {
			return base
		}
		return ""
	}
	l.limit()
	return []*source.Draft{l.draft}, nil
}

// siteName is the name of a site that site.yaml does not name: that of its folder.
func siteName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil && (dir == "." || strings.HasSuffix(dir, "..")) {
		dir = filepath.ToSlash(abs)
	}
	return path.Base(dir)
}

// parse reads a file as one block of keys; nil if it is none, which is reported.
func (l *loader) parse(name, text string) *document {
	d := &document{name: name, at: func(n *source.Node) position.Position {
		return position.Position{File: name, Line: max(1, int(n.Line)), Column: max(1, int(n.Column))}
	}}
	fail := func(line, col int32, summary, suggestion string) {
		l.draft.Problem(source.Problem{
			At: d.at(&source.Node{Line: line, Column: col}), Summary: summary,
			Suggestion: suggestion,
		})
	}
	if line, col, what := syntax.BadByte(text); what != "" {
		fail(line, col, what, "save the file as UTF-8 text")
		return nil
	}
	docs, err := syntax.Parse(strings.NewReader(text))
	if err != nil {
		e := syntax.FromYAML(text, 0, err)
		fail(e.Line, e.Col, e.Msg, e.Suggestion)
		return nil
	}
	if len(docs) != 1 {
		fail(1, 1, fmt.Sprintf("the file has %d documents", len(docs)), "write one file for each deployment")
		return nil
	}
	failed := l.draft.Failed()
	d.root = syntax.NewConverter(&l.repeats, 0, fail).Node(docs[0], 0)
	if d.root.Shape != source.Object {
		fail(d.root.Line, d.root.Column, "expected a block of keys, got "+d.root.Form(),
			"use KEY: VALUE lines, for example id: web")
		return nil
	}
	for key := range source.Duplicates(&d.root) {
		fail(key.Line, key.Column, "duplicate key "+source.Quote(key.Text), "remove one")
	}
	if l.draft.Failed() > failed {
		return nil
	}
	return d
}

func (l *loader) wrong(d *document, n *source.Node, ref, summary, suggestion string) {
	l.draft.Problem(source.Problem{
		Cause: source.Validation, At: d.at(n), Ref: ref, Summary: summary,
		Suggestion: suggestion,
	})
}

// location is a node as a location.
func (l *loader) location(node string) string { return l.site + "/" + node }

// selected are the nodes that a deployment selects.
func (l *loader) selected(d *document, ref string, n *source.Node) ([]string, bool) {
	var all, out []string
	for _, x := range l.nodes {
		all = append(all, x.name)
	}
	switch {
	case l.broken:
		return nil, false
	case n == nil:
		l.wrong(d, &d.root, ref, "the deployment selects no nodes", "add nodes: all, nodes: [NAME] or nodes: {LABEL: VALUE}")
		return nil, false
	case n.Shape == source.Scalar && n.Text == "all":
		return all, true
	case n.Shape == source.List:
		for i := range n.Kids {
			if !slices.Contains(all, n.Kids[i].Text) {
				l.wrong(d, &n.Kids[i], ref, "unknown node "+source.Quote(n.Kids[i].Text), source.Suggest(n.Kids[i].Text, all))
				return nil, false
			}
			out = append(out, n.Kids[i].Text)
		}
		slices.Sort(out)
		return slices.Compact(out), true
	case n.Shape == source.Object:
		for _, x := range l.nodes {
			fits := true
			for i := 0; i+1 < len(n.Kids); i += 2 {
				fits = fits && x.labels[n.Kids[i].Text] == n.Kids[i+1].Text && n.Kids[i+1].Shape == source.Scalar
			}
			if fits {
				out = append(out, x.name)
			}
		}
		if len(out) == 0 {
			l.wrong(d, n, ref, "no node of the site has these labels", "nodes and their labels are in "+siteFile)
		}
		return out, len(out) > 0
	}
	l.wrong(d, n, ref, "nodes is "+n.Form(), "use all, a list of names, or labels: {zone: hall-2}")
	return nil, false
}

// resourceOf is a deployment on one node.
func (l *loader) resourceOf(d *declared, node string) *source.Resource {
	r := &source.Resource{
		Provider: l.opts.Provider, Kind: l.opts.Kind, Name: d.id, Location: l.location(node),
		Attrs: d.attrs.Clone(), At: d.at(&d.root), Broken: d.bad, Was: d.was,
	}
	if id := d.root.Get("id"); id != nil {
		r.At = d.at(id)
	}
	for i := range d.needs {
		ref := resource.Ref{Provider: l.opts.Provider, Location: r.Location, Kind: l.opts.Kind, Name: d.needs[i].Text}
		r.DependsOn = append(r.DependsOn, ref.String())
	}
	r.Where = func(p string) position.Position { // of an attribute's path, or of a key
		key := strings.FieldsFunc(p, func(r rune) bool { return r == '.' || r == '[' })
		if len(key) == 0 {
			return r.At
		}
		if key[0] == "name" {
			key[0] = "id"
		}
		if n := d.root.Get(key[0]); n != nil {
			return d.at(n)
		}
		return r.At
	}
	return r
}
