package chart

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart/page"
	"github.com/ovi-project/ovi/source/chart/templates"
	"github.com/ovi-project/ovi/source/chart/values"
)

const (
	chartFile    = "Chart.yaml"
	templatesDir = "templates"
)

// label is the form of chart names and namespaces, which are parts of names on the host.
var label = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,51}[a-z0-9])?$`)

const labelDoc = "lower-case letters, digits and '-', at most 53"

// Options is what the source needs from outside.
type Options struct {
	source.Options
	// Provider is the provider of the kinds: CuteContainer is its kind container.
	Provider string
	// Namespace is given when a command runs, never in a manifest. Names on the host start with
	// it, so that a chart can run more than once on a host. "" is none.
	Namespace string
	// Values are files whose values win over those of values.yaml, the last most.
	Values []string
	// Set are values as KEY.KEY=VALUE, which win over those of all files.
	Set []string
	// Env answers ${env:NAME}; nil knows no variable. os.LookupEnv fits.
	Env func(name string) (value string, ok bool)
	// Files is where paths are read; nil is the operating system.
	Files fs.FS
}

// loader is one load.
type loader struct {
	*page.Reader
	opts      Options
	about     about
	dir       string // where ${file:…} and env files start
	kinds     map[string]resource.Kind
	fields    *names
	manifests []*manifest
	members   []member
	missing   bool // resources may exist that could not be read
}

// about is what a Chart.yaml tells.
type about struct{ name, version, description string }

func newLoader(opts Options) *loader {
	l := &loader{opts: opts, kinds: map[string]resource.Kind{}, fields: newNames()}
	l.Reader = page.NewReader(opts.Files, source.NewDraft(opts.Options), l.unknown)
	for _, k := range opts.Schemas.Kinds(opts.Provider) {
		l.kinds[manifestKind(k.Name)] = k
		l.fields.add(k.Attrs)
	}
	l.Draft.Spell, l.Draft.Publish = l.fields.spell, publish
	l.Draft.Sum.InTree = opts.Files != nil && len(opts.Values)+len(opts.Set) == 0
	if opts.Namespace != "" {
		l.Draft.Prefix = opts.Namespace + "-"
	}
	return l
}

// openChart reads a chart and renders its templates.
func (l *loader) openChart(ctx context.Context, dir string) ([]*page.Text, source.Problems) {
	l.dir = dir
	if problems := l.readAbout(filepath.Join(dir, chartFile)); len(problems) > 0 {
		return nil, problems
	}
	l.Draft.Stack, l.Draft.Source = l.about.name, dir
	given, known := values.Read(l.Reader, dir, l.opts.Values, l.opts.Set)
	files, problems := l.templateFiles(filepath.Join(dir, templatesDir))
	for _, p := range problems {
		l.Draft.Problem(p)
		l.unknown(p.At)
	}
	if !known {
		l.unknown(position.Position{File: dir})
		return nil, nil
	}
	return l.render(ctx, files, given), nil
}

// templateFiles reads the templates. A chart without any is an error: its folder may have been
// emptied by accident, and nothing is concluded from that.
func (l *loader) templateFiles(dir string) ([]*page.File, source.Problems) {
	names, err := l.Disk.Below(dir)
	if err != nil {
		return nil, source.Problems{page.Unlisted(dir, "a chart has its manifests in "+templatesDir+"/", err)}
	}
	var files []*page.File
	var problems source.Problems
	rendered := false
	for _, name := range names {
		if !page.IsYAML(name) && filepath.Ext(name) != ".tpl" {
			continue
		}
		s, problem := l.ReadText(name)
		if problem != nil {
			problems = append(problems, *problem)
			continue
		}
		files, rendered = append(files, &page.File{Name: filepath.ToSlash(name), Text: s}),
			rendered || templates.IsRendered(name)
	}
	// Each template is a part of the source. The values and Chart.yaml belong to the whole.
	inside := filepath.ToSlash(dir) + "/"
	l.Draft.Part = func(at position.Position) string {
		if name, is := strings.CutPrefix(filepath.ToSlash(at.File), inside); is {
			return templatesDir + "/" + name
		}
		return ""
	}
	for _, f := range files {
		l.Draft.PartNames = append(l.Draft.PartNames, l.Draft.Part(position.Position{File: f.Name}))
	}
	if !rendered && len(problems) == 0 {
		problems = source.Problems{{
			At: position.Position{File: dir}, Summary: "the chart has no templates",
			Suggestion: "add a manifest, for example " + filepath.Join(dir, "web.yaml"),
		}}
	}
	return files, problems
}

// render renders all templates. One that cannot be rendered is reported; what it would have
// declared is not known, and is missed nowhere.
func (l *loader) render(ctx context.Context, files []*page.File, given map[string]any) []*page.Text {
	t, done := templates.New(ctx)
	defer done()
	t.ParseAll(files, func(f *page.File, err error) { l.Draft.Problem(templates.Explain(t, f, err, given)) })
	var out []*page.Text
	for _, f := range files {
		parsed := t.Files[f.Name] != nil
		if !parsed {
			l.unknown(position.Position{File: f.Name})
		}
		if !parsed || !templates.IsRendered(f.Name) {
			continue
		}
		rendered, err := t.Render(f, l.data(given))
		if err == nil {
			out = append(out, rendered)
			continue
		}
		l.unknown(position.Position{File: f.Name})
		if t.Lacking && templates.IsUndefined(err) {
			continue // the file that may define it is reported
		}
		for _, p := range t.Problems(f, err, given, l.data) {
			l.Draft.Problem(p)
		}
	}
	return out
}

// data is what templates see. Each template gets values of its own, so that none changes those
// of another.
func (l *loader) data(given map[string]any) map[string]any {
	return map[string]any{
		"Values":  values.CopyOf(given),
		"Release": map[string]any{"Name": l.about.name, "Namespace": l.opts.Namespace},
		"Chart":   map[string]any{"Name": l.about.name, "Version": l.about.version, "Description": l.about.description},
	}
}

// unknown notes that resources may exist that could not be read: a reference to one is no error.
func (l *loader) unknown(at position.Position) {
	l.missing = true
	l.Draft.Unreadable(at)
}

// openPlain reads plain manifests.
func (l *loader) openPlain(paths []string) ([]*page.Text, source.Problems) {
	var out []*page.Text
	var problems source.Problems
	seen := map[string]bool{}
	for _, p := range paths {
		names, err := l.manifestFiles(p)
		if err != nil {
			problems = append(problems, source.Problem{
				At:         position.Position{File: p},
				Summary:    "cannot read the manifests: " + err.Error(),
				Suggestion: "check the path; it is relative to the current folder",
			})
		}
		for _, name := range names {
			if seen[filepath.Clean(name)] {
				continue
			}
			seen[filepath.Clean(name)] = true
			s, problem := l.ReadText(name)
			if problem != nil {
				problems = append(problems, *problem)
				continue
			}
			out = append(out, page.PlainText(&page.File{Name: filepath.ToSlash(name), Text: s}))
		}
	}
	if len(l.opts.Values)+len(l.opts.Set) > 0 {
		problems = append(problems, source.Problem{
			Summary:    "plain manifests have no values",
			Suggestion: "omit --values and --set, or make it a chart: a folder with a " + chartFile,
		})
	}
	if len(problems) > 0 {
		return nil, problems
	}
	l.about.name = l.folder(paths)
	l.Draft.Stack, l.Draft.Source = l.about.name, paths[0]
	return out, nil
}

// manifests lists the manifests of a path.
func (l *loader) manifestFiles(p string) ([]string, error) {
	info, err := l.Disk.Stat(p)
	if err != nil {
		return nil, fmt.Errorf("%s", source.FileError(err))
	}
	if !info.IsDir() {
		return []string{p}, nil
	}
	entries, err := l.Disk.List(p)
	if err != nil {
		return nil, fmt.Errorf("%s", source.FileError(err))
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && page.IsYAML(e.Name()) && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, filepath.Join(p, e.Name()))
		}
	}
	slices.Sort(out)
	if len(out) == 0 {
		return nil, fmt.Errorf("the folder has no *.yaml or *.yml")
	}
	return out, nil
}

var unfit = regexp.MustCompile(`[^a-z0-9-]+`)

// folder names the stack of plain manifests by their folder.
func (l *loader) folder(paths []string) string {
	p, err := filepath.Abs(paths[0])
	if err != nil || l.opts.Files != nil {
		p = paths[0]
	}
	l.dir = paths[0]
	if info, err := l.Disk.Stat(paths[0]); err != nil || !info.IsDir() {
		p, l.dir = filepath.Dir(p), filepath.Dir(l.dir)
	}
	name := strings.Trim(unfit.ReplaceAllString(strings.ToLower(filepath.Base(p)), "-"), "-")
	if len(name) > 53 {
		name = strings.Trim(name[:53], "-")
	}
	if name == "" {
		name = "manifests"
	}
	return name
}

// finish adds the resources and completes the draft.
func (l *loader) finish() {
	l.joinPods()
	for _, m := range l.manifests {
		m.addAliases()
		m.r.Files = l.Files
		l.Draft.Add(m.r)
	}
	d := l.Draft
	d.Release = l.about.version
	if l.opts.Namespace != "" {
		d.Stack = l.opts.Namespace + "." + d.Stack
	}
	d.Sum.Add("file:chart", d.Stack+" "+l.about.version, true)
}
