package component

import (
	"path"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/internal/gitlock"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
	"github.com/ovi-project/ovi/source/config/language"
	"github.com/ovi-project/ovi/source/config/read"
)

// folder is a component without the values of a unit. It is read once.
type folder struct {
	place place
	file  *input.File
	root  *source.Node // nil if it cannot be used
}

// Unit is one use of a component.
type Unit struct {
	Level    *Level
	Language *language.Language
	File     *input.File // of the component
	Root     *source.Node
	Name     string // whole
	// Names are its name and the names of the units around it, and their groups.
	Names []string
	// DependsOn are the whole names of the resources that its resources depend on.
	DependsOn []string
	// Was is its former name, whole; empty means none. WasIn is "STACK:" before the name, if it has a stack.
	Was, WasIn string
	// Member is the use block without expressions, in the file From.
	Member  *source.Node
	From    *input.File
	folder  *folder
	at      position.Position
	outputs map[string]*output
	broken  bool
	around  *Unit
}

// Prefix returns what is put before the names of its resources.
func (u *Unit) Prefix() string { return u.Name + "-" }

// evaluate evaluates the condition, the entries and the name of the block, and makes its units.
func (b *block) evaluate() {
	if b.state != unread {
		return
	}
	b.state = reading
	defer func() { b.state = done }()
	v, t := b.in, b.in.tree
	r := t.opts.Reader(b.file)
	failed := r.Draft.Failed()
	keys := UseKeys("")
	for _, word := range t.opts.Language.LocationWords {
		if word != "location" {
			keys = append(keys, key(word, "NAME", read.FormText, "Same as `location`."))
		}
	}
	read.Keys(r, r, keys, b.node, "the use block")
	if r.Draft.Failed() > failed {
		return
	}
	dir, ok := b.folderName()
	if x := b.node.Get("name"); x == nil || x.IsNull() {
		b.wrong(b.node, "the use block has no name", "add name: "+suggestedName(dir))
		ok = false
	}
	if !ok {
		return
	}
	depth := 0 // of the components around the level, with its own
	for u := v.unit; u != nil; u = u.around {
		depth++
	}
	if depth == mostLevels {
		b.wrong(b.node.Get("use"), "components use each other over more than eight levels", "use fewer levels")
		return
	}
	head := *b.node
	head.Kids = nil
	for i := 0; i+1 < len(b.node.Kids); i += 2 {
		if b.node.Kids[i].Text != "vars" {
			head.Kids = append(head.Kids, b.node.Kids[i], b.node.Kids[i+1])
		}
	}
	language.Note(v.lang, b.file, &head)
	v.lang.Block(b.file, &head, func(m *language.Member) bool {
		switch {
		case m.Absent:
			at := b.file.At(m.Node.Line, m.Node.Column)
			b.absent = &at
		case m.Failed || m.IsEmpty:
		default:
			b.unit(m, dir)
		}
		return !t.full
	})
}

func (b *block) wrong(n *source.Node, summary, suggestion string) {
	ref := "use"
	if b.literal != "" {
		ref += "/" + b.in.prefix + b.literal
	}
	language.Report(b.in.lang, b.file, n, ref, summary, suggestion)
}

// folderName returns the text of the key use.
func (b *block) folderName() (string, bool) {
	n := b.node.Get("use")
	switch {
	case n.Shape != source.Scalar:
		b.wrong(n, "use must be a folder, got "+n.Form(), "use a folder relative to this file, such as use: ./components/web")
		return "", false
	case source.HasParts(n.Text):
		b.wrong(n, "use takes no expressions: the components of a file are the same in each environment",
			"write the folder, and use when to choose between components")
		return "", false
	}
	return n.Text, true
}

// suggestedName returns a name for an example.
func suggestedName(dir string) string {
	if u, err := gitlock.ParseURL(dir); err == nil {
		return u.Name()
	}
	base := path.Base(path.Clean("/" + dir))
	if base == "/" || base == "." {
		return "NAME"
	}
	return base
}

// unit makes the unit of one member of the block.
func (b *block) unit(m *language.Member, dir string) {
	v, t := b.in, b.in.tree
	x := m.Node.Get("name")
	name := ""
	if x != nil && x.Shape == source.Scalar && !x.Bad && x.Parts == nil {
		name = x.Text
	}
	if !nameForm.MatchString(name) {
		b.wrong(b.node.Get("name"), "the name of a use block must be letters, digits, '.', '_' and '-' that are known when "+
			"the configuration is read", "for example, name: "+suggestedName(dir))
		return
	}
	whole := v.prefix + name
	if first := t.units[whole]; first != nil {
		b.wrong(b.node.Get("name"), "duplicate name "+source.Quote("use/"+whole), "rename one of them; the other is at "+
			first.at.String())
		return
	}
	if len(t.units) == mostUnits {
		b.wrong(b.node, "the configuration uses components more than 10000 times", "use fewer or larger components")
		t.full = true
		return
	}
	u := &Unit{
		Name: whole, Names: []string{whole}, Member: &m.Node, From: b.file, around: v.unit,
		at: b.file.At(b.node.Line, b.node.Column), outputs: map[string]*output{},
	}
	if m.Group != "" && b.node.Get("for_each") != nil {
		u.Names = append(u.Names, v.prefix+m.Group)
	}
	if v.unit != nil {
		u.Names = append(u.Names, v.unit.Names...)
		u.DependsOn = slices.Clone(v.unit.DependsOn)
	}
	v.units[name], t.units[whole] = u, u
	b.units = append(b.units, u)
	u.dependsOn(b)
	u.formerName(b, m)
	if u.broken = !b.load(u, dir); u.broken {
		return
	}
	u.Level = &Level{tree: t, prefix: u.Prefix(), unit: u, units: map[string]*Unit{}}
	u.Language = language.New(t.inside(u))
	u.Level.lang = u.Language
	u.Language.Declare(language.Document{File: u.File, Root: declared(u.Root)})
	if vars := b.node.Get("vars"); vars != nil {
		language.BarePaths(v.lang, b.file, vars, "use/"+u.Name, false)
		language.Give(u.Language, v.lang, language.Document{File: b.file, Root: vars}, m.Scope, dir, "use/"+u.Name)
	}
	u.Level.declare(u.File, u.Root.Get("resources"), u.folder.place)
}

// declared returns the keys of a component that declare its variables. It has no environments.
func declared(root *source.Node) *source.Node {
	out := &source.Node{Shape: source.Object}
	for _, key := range []string{"vars", "locals"} {
		if n := root.Get(key); n != nil {
			out.Kids = append(out.Kids, source.Node{Text: key}, *n)
		}
	}
	return out
}

// dependsOn reads the key depends_on of the block.
func (u *Unit) dependsOn(b *block) {
	n := u.Member.Get("depends_on")
	switch {
	case n == nil:
		return
	case n.Shape != source.List:
		b.wrong(n, "depends_on must be a list, got "+n.Form(), "use depends_on: [db]")
		return
	}
	for i := range n.Kids {
		name, ok := Named(&n.Kids[i], b.in.prefix)
		if !ok {
			b.wrong(&n.Kids[i], "an element of depends_on must be a name, got "+n.Kids[i].Form(), "use depends_on: [db]")
			continue
		}
		u.DependsOn = append(u.DependsOn, name)
	}
}

// formerName reads the key was of the block. Without an expression it means all entries of a for_each.
func (u *Unit) formerName(b *block, m *language.Member) {
	n := u.Member.Get("was")
	if n == nil {
		return
	}
	stack, name, elsewhere := resource.CutStack(n.Text)
	prefix, rest := b.in.prefix, ""
	if elsewhere {
		prefix, u.WasIn = "", stack+":" // of a component in another stack it is the whole name
	}
	if b.node.Get("for_each") != nil && !source.HasParts(b.node.Get("was").Text) {
		rest, _ = strings.CutPrefix(u.Member.Get("name").Text, m.Group)
	}
	switch {
	case n.Shape != source.Scalar || n.Parts != nil || !nameForm.MatchString(name) || elsewhere && stack == "":
		b.wrong(n, "the former name of a use block must be letters, digits, '.', '_' and '-', or STACK:NAME",
			"for example, was: network")
	default:
		u.Was = prefix + name + rest
	}
	if u.Was == u.Name && !elsewhere {
		b.wrong(n, "was is the name of the use block itself", "use its former name, or remove was")
		u.Was = ""
	}
}

// Named returns the whole name of a resource that an element of a list names: a text that is meant inside the
// component with this prefix, or a reference, which is a whole name.
func Named(n *source.Node, prefix string) (string, bool) {
	switch {
	case n.Shape != source.Scalar || n.IsNull() || n.Bad:
		return "", false
	case n.Parts == nil:
		return source.Inside(prefix, n.Text), n.Text != ""
	case len(*n.Parts) == 1 && (*n.Parts)[0].Reference:
		return (*n.Parts)[0].Text, true
	}
	return "", false
}

// load reads the folder of a unit.
func (b *block) load(u *Unit, dir string) bool {
	n, t := b.node.Get("use"), b.in.tree
	to, url, summary, suggestion := b.place.at(dir)
	if summary != "" {
		b.wrong(n, summary, suggestion)
		return false
	}
	if url != nil {
		in, ok := b.inGit(to, *url)
		if !ok {
			return false
		}
		to = in
	}
	for x := b.in.unit; x != nil; x = x.around {
		if x.folder.place.id() == to.id() {
			b.wrong(n, "the component uses itself: "+cycle(b.in.unit, x, dir), "remove one of the uses")
			return false
		}
	}
	key := to.key()
	c := t.folders[key]
	if c == nil {
		if len(t.folders) == mostFolders {
			b.wrong(n, "the configuration uses more than 1000 components", "use fewer components")
			return false
		}
		c = &folder{place: to, file: to.read(to.shown(b.file.Name, dir))}
		t.folders[key] = c
		used := *c.file
		used.Used = b.file.At(n.Line, n.Column).String()
		c.read(t, &used, b)
	}
	u.folder = c
	file := *c.file
	file.Used = b.file.At(b.node.Line, b.node.Column).String()
	u.File, u.Root = &file, c.root
	return c.root != nil
}

// cycle returns the folders of a cycle.
func cycle(from, to *Unit, last string) string {
	names := []string{last}
	for x := from; x != nil; x = x.around {
		names = append(names, x.folder.place.called())
		if x == to {
			break
		}
	}
	slices.Reverse(names)
	names[len(names)-1] = names[0]
	return strings.Join(names, ", ")
}

// read reads the file of a component and reports its problems, once.
func (c *folder) read(t *Tree, f *input.File, b *block) {
	if len(f.Problems) > 0 {
		if f.Text == "" && f.Sum == "" {
			summary, suggestion := c.place.missing()
			if strings.HasPrefix(summary, "the folder has no "+FileName) && !missingFile(f) {
				summary, suggestion = FileName+" cannot be read: "+f.Problems[0].Summary, f.Problems[0].Suggestion
			}
			b.wrong(b.node.Get("use"), summary, suggestion)
			return
		}
		t.report(f, f.Problems)
		return
	}
	t.sums[f.Name] = f.Sum
	roots, problems := t.opts.Parse(f)
	if len(problems) > 0 {
		t.report(f, problems)
		return
	}
	r := t.opts.Reader(f)
	failed := r.Draft.Failed()
	switch {
	case len(roots) == 0:
		r.Wrong(&source.Node{Line: 1, Column: 1}, "the component is empty", "add version: v1, vars and resources")
		return
	case len(roots) > 1:
		r.Wrong(&source.Node{Line: 1, Column: 1}, "a component is one document", "remove the --- lines")
		return
	case roots[0].IsNull():
		r.Wrong(&roots[0], "the component is empty", "add version: v1, vars and resources")
		return
	}
	root := &roots[0]
	read.Keys(r, r, Keys(""), root, "the component")
	if root.Shape != source.Object {
		return
	}
	if root.Get("version") == nil {
		r.Wrong(root, "the component has no version", "add version: v1 as the first line")
	}
	if list := root.Get("resources"); list != nil && list.Shape != source.List {
		r.Wrong(list, "resources must be a list of blocks, got "+list.Form(),
			"start each block with a dash: - type: "+r.SomeKind())
	}
	if out := root.Get("outputs"); out != nil && out.Shape != source.Object {
		r.Wrong(out, "outputs must be a map of names, got "+out.Form(), "use NAME: VALUE lines")
	} else if out != nil {
		r.Duplicates(out)
		for i := 0; i+1 < len(out.Kids); i += 2 {
			if summary, suggestion := CheckOutput(out.Kids[i].Text, &out.Kids[i+1]); summary != "" {
				r.Wrong(&out.Kids[i], summary, suggestion)
			}
		}
	}
	if r.Draft.Failed() == failed {
		c.root = root
	}
}

// missingFile reports whether the file does not exist.
func missingFile(f *input.File) bool {
	return strings.Contains(f.Problems[0].Summary, "no such file") || strings.Contains(f.Problems[0].Summary, "not exist")
}

// report reports problems of a file of a component.
func (t *Tree) report(f *input.File, problems source.Problems) {
	for _, p := range problems {
		at := p.At
		at.File, at.Used = f.Name, f.Used
		t.opts.Language.Wrong(at, p.Ref, p.Summary, p.Suggestion)
	}
}
