package compose

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/syntax"
)

// Input is a Compose file and what belongs to it.
type Input struct {
	Name string // of the file, for users
	Text string
	Env  string // the text of the .env file beside it; "" if there is none
	Dir  string // the file's folder, absolute: where its relative paths start
	Into string // the chart's folder, absolute: where those of the chart start
	// IsFile reports whether a path of this host is a file. Nil means that none is.
	IsFile func(path string) bool
}

// Chart is what a file was turned into.
type Chart struct {
	Name  string
	Files map[string]string // by path in the chart's folder
	Notes []Note            // what it lacks, sorted by position
}

// Note is a part of the file that the chart lacks.
type Note struct {
	At         position.Position
	What       string // "services.web.build"
	Suggestion string
}

func (n Note) String() string {
	s := fmt.Sprintf("%s\n  at %s:%d:%d", n.What, n.At.File, n.At.Line, n.At.Column)
	if n.Suggestion != "" {
		s += "\n  Suggestion: " + n.Suggestion
	}
	return s
}

// importer is one import.
type importer struct {
	Input
	name      string
	root      *source.Node
	problems  source.Problems
	notes     []Note
	variables variables
	manifests map[string][]manifest // by the file that they are written to
	volumes   map[string]bool       // declared for services
	external  map[string]bool       // "networks.back": what is not part of the file
	isDefault bool                  // a service is in the network that Compose makes by itself
}

// manifest is one document of the chart.
type manifest struct {
	kind, name string
	metadata   object
	spec       object
}

// Import turns a Compose file into a chart. The error is source.Problems: a file that cannot be
// read, or a part of it that has no meaning in Compose.
func Import(in Input) (Chart, error) {
	i := &importer{
		Input: in, manifests: map[string][]manifest{}, volumes: map[string]bool{}, external: map[string]bool{},
		variables: newVariables(in.Env),
	}
	if i.IsFile == nil {
		i.IsFile = func(string) bool { return false }
	}
	if i.root = i.parse(); i.root == nil {
		return Chart{}, i.problems
	}
	i.readTop()
	files := i.files()
	if len(i.problems) > 0 {
		i.problems.Sort()
		return Chart{}, i.problems
	}
	slices.SortStableFunc(i.notes, func(a, b Note) int {
		return cmp.Or(cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Column, b.At.Column))
	})
	return Chart{Name: i.name, Files: files, Notes: i.notes}, nil
}

// parse reads the one document of the file.
func (i *importer) parse() *source.Node {
	if len(i.Text) > source.MaxText {
		i.problem(&source.Node{Line: 1, Column: 1}, fmt.Sprintf("the file is larger than %d MiB", source.MaxText>>20),
			"name a Compose file")
		return nil
	}
	if line, col, what := syntax.BadByte(i.Text); what != "" {
		i.problem(&source.Node{Line: line, Column: col}, what, "save the file as UTF-8 text")
		return nil
	}
	docs, err := syntax.Parse(strings.NewReader(i.Text))
	if err != nil {
		e := syntax.FromYAML(i.Text, 0, err)
		i.problem(&source.Node{Line: e.Line, Column: e.Col}, e.Msg, e.Suggestion)
		return nil
	}
	if len(docs) != 1 {
		i.problem(&source.Node{Line: 1, Column: 1}, "the file has no document, or more than one",
			"a Compose file has one, with services")
		return nil
	}
	n := syntax.NewConverter(nil, 0, func(line, col int32, summary, suggestion string) {
		i.problem(&source.Node{Line: line, Column: col}, summary, suggestion)
	}).Node(docs[0], 0)
	if n.Shape != source.Object || n.Get("services") == nil {
		i.problem(&n, "the file has no services", "name a Compose file")
		return nil
	}
	return &n
}

func (i *importer) at(n *source.Node) position.Position {
	return position.Position{File: i.Name, Line: int(n.Line), Column: int(n.Column)}
}

func (i *importer) problem(n *source.Node, summary, suggestion string) {
	i.problems = append(i.problems, source.Problem{At: i.at(n), Summary: summary, Suggestion: suggestion})
}

// note notes a part that the chart lacks.
func (i *importer) note(n *source.Node, what, suggestion string) {
	i.notes = append(i.notes, Note{i.at(n), what, suggestion})
}

// Name is the name of the chart that a file is imported as; that of its folder if the file cannot
// be read.
func Name(in Input) string {
	i := &importer{Input: in}
	if root := i.parse(); root != nil {
		i.root = root
	}
	return i.project()
}

// project is the name of the project.
func (i *importer) project() string {
	if n := i.root.Get("name"); n != nil && n.Shape == source.Scalar && n.Text != "" {
		return chartName(n.Text)
	}
	return chartName(i.Dir)
}

// readTop reads the sections of the file.
func (i *importer) readTop() {
	i.name = i.project()
	for key := range pairs(i.root) {
		read := slices.Contains([]string{"name", "version", "services", "networks", "volumes", "secrets"}, key.Text)
		if !read && !strings.HasPrefix(key.Text, "x-") {
			i.note(key, key.Text, advice("", key.Text))
		}
	}
	for _, section := range []string{"networks", "volumes", "secrets"} {
		for key, v := range pairs(i.root.Get(section)) {
			if x := v.Get("external"); x != nil && x.Text != "false" { // a chart refers to its own resources only
				i.external[section+"."+key.Text] = true
				i.note(key, section+"."+key.Text+".external",
					"declare it in the chart, and adopt the existing one with `ovi adopt`")
			}
		}
	}
	for key, v := range pairs(i.root.Get("services")) {
		i.service(key, v)
	}
	i.readNetworks()
	i.readVolumes()
	i.readSecrets()
}

// pairs yields the keys and values of an object.
func pairs(n *source.Node) func(yield func(key, v *source.Node) bool) {
	return func(yield func(key, v *source.Node) bool) {
		if n == nil || n.Shape != source.Object {
			return
		}
		for i := 0; i+1 < len(n.Kids); i += 2 {
			if !yield(&n.Kids[i], &n.Kids[i+1]) {
				return
			}
		}
	}
}

// items are the elements of a list, or a value alone.
func items(n *source.Node) []source.Node {
	switch {
	case n == nil || n.IsNull():
		return nil
	case n.Shape == source.List:
		return n.Kids
	}
	return []source.Node{*n}
}

// maxName bounds the name of a resource on a host.
const maxName = 63

// fit matches the names that Compose and Podman accept. Nothing else becomes the name of a file.
var fit = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}$`)

// fits reports whether a name of the file can name a resource, and reports a problem if not.
func (i *importer) fits(key *source.Node, what string) bool {
	ok := fit.MatchString(key.Text)
	if !ok {
		i.problem(key, "invalid name of a "+what+": "+source.Quote(key.Text),
			"use letters, digits, '.', '_' and '-', at most 63 characters, starting with a letter or digit")
	}
	return ok
}

var unfit = regexp.MustCompile(`[^a-z0-9-]+`)

// chartName makes a chart's name of a project's name or folder.
func chartName(s string) string {
	name := strings.Trim(unfit.ReplaceAllString(strings.ToLower(filepath.Base(s)), "-"), "-")
	if len(name) > 53 {
		name = strings.Trim(name[:53], "-")
	}
	if name == "" {
		return "compose"
	}
	return name
}
