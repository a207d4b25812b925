package chart

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart/page"
)

// chartSource is a source of one chart, or of plain manifests. It does not change.
type chartSource struct {
	paths []string
	opts  Options
}

// New returns a source of a chart, which is a folder with a Chart.yaml, or of files and folders
// of plain manifests, which together are one stack. Nothing is read before Load, which may be
// called again, also from several goroutines, and then reads everything again.
func New(paths []string, opts Options) source.Source {
	return &chartSource{paths: append([]string(nil), paths...), opts: opts}
}

// Load implements source.Source. A chart whose name or files cannot be read is source.Problems.
func (c *chartSource) Load(ctx context.Context) ([]*source.Draft, error) {
	if c.opts.Namespace != "" && !label.MatchString(c.opts.Namespace) {
		return nil, source.Problems{{
			Summary:    "invalid namespace " + source.Quote(c.opts.Namespace),
			Suggestion: "use " + labelDoc,
		}}
	}
	l := newLoader(c.opts)
	texts, problems := l.open(ctx, c.paths)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("chart: rendering templates: %w", err)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	for _, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("chart: reading %s: %w", t.Name(), err)
		}
		nodes := l.Nodes(t)
		for i := range nodes {
			if !nodes[i].IsNull() {
				l.manifest(t, &nodes[i])
			}
		}
	}
	l.finish()
	return []*source.Draft{l.Draft}, nil
}

// open reads what the paths name: the rendered templates of a chart, or plain files.
func (l *loader) open(ctx context.Context, paths []string) ([]*page.Text, source.Problems) {
	for _, p := range paths {
		if !IsChart(p, l.opts.Files) {
			continue
		}
		if len(paths) > 1 {
			return nil, source.Problems{{
				At:      position.Position{File: p},
				Summary: "a chart cannot be combined with other sources", Suggestion: "name the chart alone",
			}}
		}
		return l.openChart(ctx, p)
	}
	return l.openPlain(paths)
}

// IsChart reports whether a path is a chart: a folder with a Chart.yaml. Nil files are those of
// the operating system.
func IsChart(path string, files fs.FS) bool {
	info, err := page.Disk{Files: files}.Stat(filepath.Join(path, chartFile))
	return err == nil && !info.IsDir()
}

// IsManifest reports whether a text is a file of manifests, not of ovi's own configuration: a
// line at the start of a document has an apiVersion of charts.
func IsManifest(text string) bool {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, "apiVersion:"); ok && strings.HasPrefix(strings.Trim(v, " \t\"'"), apiGroup) {
			return true
		}
	}
	return false
}

// Reads reports whether a path is for this package: a chart, a file of manifests, or a folder with
// a file of manifests.
func Reads(path string, files fs.FS) bool {
	d := page.Disk{Files: files}
	info, err := d.Stat(path)
	switch {
	case err != nil:
		return false
	case !info.IsDir():
		if !page.IsYAML(path) {
			return false
		}
		text, err := d.Read(path, source.MaxFile)
		return err == nil && IsManifest(text)
	case IsChart(path, files):
		return true
	}
	entries, err := d.List(path)
	for _, e := range entries {
		if err == nil && !e.IsDir() && page.IsYAML(e.Name()) && Reads(filepath.Join(path, e.Name()), files) {
			return true
		}
	}
	return false
}

// About is the name and the version of the chart in a folder; "" if it has none that can be read.
func About(dir string, files fs.FS) (name, version string) {
	l := newLoader(Options{Files: files, Options: source.Options{Schemas: none{}}})
	if len(l.readAbout(filepath.Join(dir, chartFile))) > 0 && !label.MatchString(l.about.name) {
		return "", ""
	}
	return l.about.name, l.about.version
}

// FieldName is how a manifest writes the path of an attribute: hostPath.type for host_path.type.
func FieldName(path string) string {
	steps := strings.Split(path, ".")
	for i := range steps {
		steps[i] = camel(steps[i])
	}
	return strings.Join(steps, ".")
}

// none are no schemas.
type none struct{}

func (none) Kind(string, string) (resource.Kind, bool) { return resource.Kind{}, false }
func (none) Kinds(string) []resource.Kind              { return nil }
func (none) Providers() []string                       { return nil }
