package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/component"
	"github.com/ovi-project/ovi/source/config/input"
	"github.com/ovi-project/ovi/source/config/language"
	"github.com/ovi-project/ovi/source/config/read"
	"github.com/ovi-project/ovi/source/config/settings"
	"github.com/ovi-project/ovi/source/syntax"
)

// loader is one load: it reads document by document into a draft.
type loader struct {
	opts          Options
	files         []*input.File
	draft         *source.Draft
	settings      settings.Settings
	tagSets       map[string]resource.Tags
	locationWords map[string]string            // by provider
	nameless      map[string]position.Position // by file and kind
	scratch       []byte
	repeats       syntax.Repeats // of all files
	isDesired     bool           // some document has resources
	several       bool           // the stack may have more than one document
	current       location
	language      *language.Language             // nil if no file has expressions
	components    *component.Tree                // nil if no file has expressions
	moreRules     *rules.Rules                   // of the environment
	public        map[string][]string            // of the documents of a file, by its name
	written       map[position.Position]location // of every block, once a position is asked for
}

func newLoader(opts Options, files []*input.File) *loader {
	d := source.NewDraft(opts.Options)
	d.Sum.InTree = opts.Files != nil
	d.Keys, d.Publish, d.InQuotes = read.Spelling(blockKeys(opts.Options)), read.Publish, true
	return &loader{
		opts: opts, files: files, draft: d, settings: settings.Settings{Set: map[string]settings.Setting{}},
		tagSets: map[string]resource.Tags{}, locationWords: map[string]string{}, nameless: map[string]position.Position{},
	}
}

func (l *loader) problem(at position.Position, ref, summary, suggestion string) {
	l.draft.Problem(source.Problem{At: at, Ref: ref, Summary: summary, Suggestion: suggestion})
}

// file reads all documents of a file. False asks for a new load of whole documents.
func (l *loader) file(f *input.File, piece int) bool {
	if f.IsJSON() {
		root, err := syntax.ParseJSON([]byte(f.Text))
		if err != nil {
			l.syntax(f, err)
			return true
		}
		l.document(f, &root, items(&root))
		return true
	}
	if cut, ok := syntax.NewCut(f.Text, "resources"); ok && piece > 0 {
		if root, fine := cut.Around(); fine {
			l.draft.Grow(cut.Len())
			l.document(f, &root, cut.Items(piece, &ok))
			return ok
		}
	}
	docs, err := syntax.Parse(strings.NewReader(f.Text))
	if err != nil {
		l.syntax(f, err)
		return true
	}
	for _, d := range docs {
		l.wholeDocument(f, d)
	}
	return true
}

// unreadable reports a file that cannot be read.
func (l *loader) unreadable(f *input.File) {
	l.isDesired = true // what the file configures is not known
	l.draft.Unreadable(f.At(1, 1))
	for _, p := range f.Problems {
		l.draft.Problem(p)
	}
}

func (l *loader) syntax(f *input.File, err error) {
	l.isDesired = true // what a file configures that cannot be read is not known
	l.draft.Unreadable(f.At(1, 1))
	l.draft.Problem(unparsed(f, err))
}

// finish completes the draft.
func (l *loader) finish() {
	if !l.isDesired && !l.opts.NoResources && l.draft.Failed() == 0 {
		l.problem(l.files[0].At(1, 1), "", "the configuration has no resources",
			"add resources:, or resources: [] to delete everything in the stack")
	}
	d := l.draft
	parts(l.draft, l.files)
	d.Stack, d.ByFolder, d.Source = l.stack(), l.named() == "", l.files[0].Name
	if l.language != nil {
		d.Environment, d.Environments = l.language.EnvironmentName(), l.language.Stacks()
		d.Given = language.GivenValues(l.language, func(secret string) string {
			if l.opts.Secrets == nil {
				return ""
			}
			return string(l.opts.Secrets.Digest(resource.Ref{}, "", secret)) // it belongs to no resource
		})
		d.Decides = func(at position.Position) string { return language.Decides(l.language, at) }
	}
	d.Rules, d.Options, d.Identifier = l.settings.Rules, l.settings.Options, l.settings.Identifier
	d.Rules.More = l.moreRules
	if len(l.files) > 1 {
		d.Source = fmt.Sprintf("%s and %d more", l.files[0].Name, len(l.files)-1)
	}
	d.Version = version(l.files, l.components.Sums())
	if l.language != nil {
		l.language.Depends(d.Sum.Add)
	}
}

// stack names the stack: by the files, by the caller, or by the folder.
func (l *loader) stack() string {
	if s := l.named(); s != "" {
		return s
	}
	names := map[string]bool{}
	name := ""
	for _, f := range l.files {
		dir, err := filepath.Abs(f.Dir)
		if err != nil || l.opts.Files != nil {
			dir = f.Dir
		}
		name = strings.Trim(settings.Unfit.ReplaceAllString(filepath.Base(dir), "-"), "-.")
		names[name] = true
	}
	switch {
	case len(names) > 1:
		l.problem(l.files[0].At(1, 1), "", "the stack has no name, and its files are in several folders",
			"add stack: NAME to one of them")
	case name == "":
		l.problem(l.files[0].At(1, 1), "", "the stack has no name, and the folder has none that could be used",
			"add stack: NAME")
	}
	return name
}

// named is the name that the files or the caller give the stack; "" means none.
func (l *loader) named() string {
	if l.language != nil && l.language.Chosen() != nil && l.language.Stack() != "" {
		return l.language.Stack()
	}
	return cmp.Or(l.settings.Stack, l.opts.Stack)
}

func (l *loader) converter(f *input.File, shift int32) *syntax.Converter {
	return syntax.NewConverter(&l.repeats, shift, func(line, col int32, summary, suggestion string) {
		l.problem(f.At(line, col), "", summary, suggestion)
	})
}

// wholeDocument reads a document of the library. Its blocks become nodes one by one.
func (l *loader) wholeDocument(f *input.File, d *yaml.Node) {
	c := l.converter(f, 0)
	root := *d.Content[0]
	var blocks []*yaml.Node
	if root.Kind == yaml.MappingNode {
		root.Content = append([]*yaml.Node(nil), root.Content...)
		for i := 0; i+1 < len(root.Content); i += 2 {
			if v := root.Content[i+1]; root.Content[i].Value == "resources" && v.Kind == yaml.SequenceNode && blocks == nil {
				blocks = v.Content
				empty := *v
				empty.Content = nil
				root.Content[i+1] = &empty
			}
		}
	}
	n := c.Node(&root, 1)
	l.document(f, &n, func(yield func(*source.Node) bool) {
		if blocks == nil {
			items(&n)(yield)
			return
		}
		for _, b := range blocks {
			if k := c.Node(b, 2); !yield(&k) {
				return
			}
		}
	})
}
