package code

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// maxDepth is the maximum number of modules inside each other.
const maxDepth = 8

// converter is the conversion of one root module.
type converter struct {
	in         *Input
	notes      *notes
	marks      map[*yaml.Node]hcl.Range
	components map[string]*component // by folder
	order      []*component
	names      map[string]bool // of the components
}

// Convert converts a root module. The files that it returns are a valid configuration: a part that is not valid is
// listed and omitted.
func Convert(in Input) (*Result, error) {
	c := &converter{
		in: &in, notes: &notes{}, marks: map[*yaml.Node]hcl.Range{}, components: map[string]*component{},
		names: map[string]bool{},
	}
	f, err := readFolder(in.Files, in.Dir, c.notes)
	if err != nil {
		return nil, err
	}
	if len(f.texts) == 0 {
		return nil, &FileError{position.Position{File: in.Dir}, "the folder has no *.tf files (*.tf.json is not read)"}
	}
	if in.values, err = readValues(in.Files, in.Dir); err != nil {
		return nil, err
	}
	out := &Result{Files: map[string]string{}}
	for _, v := range in.values {
		if v.env != "" && !slices.Contains(out.Environments, v.env) {
			out.Environments = append(out.Environments, v.env)
		}
	}
	m := &module{folder: f, in: &in, notes: c.notes, root: true, envs: len(out.Environments) > 0, marks: c.marks}
	if err := c.survey(m, nil); err != nil {
		return nil, err
	}
	out.root = m
	docs := map[string]*yaml.Node{}
	for _, x := range c.order {
		docs["components/"+x.name+"/component.yaml"] = x.document(nil)
	}
	docs[Main] = m.document(out)
	if err := c.prune(docs, out); err != nil {
		return nil, err
	}
	for _, x := range c.order {
		out.Converted += x.count
	}
	out.Converted += m.count
	out.Notes = c.notes.all
	slices.SortStableFunc(out.Notes, func(a, b Note) int { return a.At.Compare(b.At) })
	out.Files[Main] += comments(out.Notes)
	return out, nil
}

// comments are the parts that are not converted, at the end of the configuration.
func comments(all []Note) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n# Not converted from Terraform:\n")
	for _, n := range all {
		b.WriteString("#   " + printable(n.At.String()+": "+n.What) + "\n")
	}
	return b.String()
}

// printable is a text in one line, without control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, oneLine(s))
}

// survey finds the parts of a module, and reads the local modules that it uses.
func (c *converter) survey(m *module, through []string) error {
	if slices.Contains(through, m.dir) || len(through) >= maxDepth {
		return &FileError{
			position.Position{File: m.dir}, "modules use each other in a cycle, or over more than eight levels",
		}
	}
	through = append(through, m.dir)
	for _, b := range m.blocks {
		if b.Type != "module" || len(b.Labels) != 1 {
			continue
		}
		dir, ok := localSource(m.dir, b)
		if !ok || c.components[dir] != nil {
			continue
		}
		f, err := readFolder(c.in.Files, dir, c.notes)
		if err != nil {
			return err
		}
		child := &module{folder: f, in: c.in, notes: c.notes, marks: c.marks}
		if err := c.survey(child, through); err != nil {
			return err
		}
		c.components[dir] = &component{child, c.nameOf(dir)}
		c.order = append(c.order, c.components[dir])
	}
	m.children = c.components
	m.survey()
	return nil
}

// plainName matches the names that are safe in a path.
var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$`)

// nameOf is the name of the component of a folder.
func (c *converter) nameOf(dir string) string {
	name := path.Base(dir)
	if !plainName.MatchString(name) {
		name = "component"
	}
	first := name
	for n := 2; c.names[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s-%d", first, n)
	}
	c.names[strings.ToLower(name)] = true
	return name
}

// document is the file of a module. out is nil for a component.
func (m *module) document(out *Result) *yaml.Node {
	doc := &yaml.Node{Kind: yaml.MappingNode}
	set(doc, "version", scalar("v1"))
	if out != nil {
		set(doc, "stack", scalar(m.in.Stack))
		set(doc, "provider", scalar(m.in.Provider))
		m.place(doc)
	}
	add := func(key string, n *yaml.Node) {
		if len(n.Content) > 0 {
			set(doc, key, n)
		}
	}
	vars := m.writeVars()
	var envs *yaml.Node
	if out != nil {
		envs = m.writeEnvironments(vars, out)
	}
	add("vars", vars)
	if envs != nil {
		add("environments", envs)
	}
	add("locals", m.writeLocals())
	if out != nil {
		m.defaults(doc)
	}
	resources := m.writeResources()
	moved := m.writeMoved()
	add("moved", moved)
	set(doc, "resources", resources)
	add("outputs", m.writeOutputs())
	m.listRest()
	return doc
}

// place writes the location of the provider.
func (m *module) place(doc *yaml.Node) {
	if e := m.regions[""]; e != nil {
		n, err := (&scope{m: m}).node(e, resource.Attribute{})
		if err == nil {
			m.marks[n] = e.Range()
			set(doc, m.in.Word, n)
			return
		}
		m.notes.failed("provider."+m.in.Word, e.Range(), err)
	}
	if m.in.Location != "" {
		set(doc, m.in.Word, scalar(m.in.Location))
	}
}

const adviceForOptions = "set its options; see docs/configuration.md"

// defaults writes the tags of the provider.
func (m *module) defaults(doc *yaml.Node) {
	for _, b := range m.blocks {
		if b.Type != "provider" || len(b.Labels) != 1 || b.Labels[0] != m.in.Provider || b.Body.Attributes["alias"] != nil {
			continue
		}
		for _, x := range b.Body.Blocks {
			a := x.Body.Attributes["tags"]
			if x.Type != "default_tags" || a == nil {
				m.notes.at(x.Range(), label(b)+"."+x.Type+" has no counterpart", adviceForOptions)
				continue
			}
			n, err := (&scope{m: m}).node(a.Expr, resource.Attribute{})
			if err != nil {
				m.notes.failed(label(b)+".default_tags", a.SrcRange, err)
				continue
			}
			m.marks[n] = a.SrcRange
			all := &yaml.Node{Kind: yaml.MappingNode}
			set(all, "tags", n)
			set(doc, "defaults", all)
		}
		for _, a := range sortedAttributes(b.Body) {
			if a.Name != m.in.Word {
				m.notes.at(a.SrcRange, label(b)+"."+a.Name+" is not converted", adviceForOptions)
			}
		}
		m.count++
	}
}

// listRest lists the blocks that have no counterpart.
func (m *module) listRest() {
	for _, b := range m.blocks {
		switch b.Type {
		case "variable", "locals", "output", "moved":
		case "resource", "data":
			if len(b.Labels) == 2 && m.resources[strings.TrimPrefix(label(b), "resource.")] == nil {
				m.unknownType(b)
			}
		case "provider":
			if len(b.Labels) == 1 && b.Labels[0] != m.in.Provider {
				m.notes.at(b.Range(), "provider."+b.Labels[0]+" is not converted", "its resources stay with Terraform")
			}
		case "module":
			if len(b.Labels) == 1 && m.uses[b.Labels[0]] == nil {
				m.notes.at(b.Range(), label(b)+" is not a folder of this repository, and is not converted",
					"copy the module into the source and use it from there, or write a component")
			}
		case "terraform":
			for _, x := range b.Body.Blocks {
				if x.Type == "backend" || x.Type == "cloud" {
					m.notes.at(x.Range(), "terraform."+x.Type+" has no counterpart: ovi has no state",
						"see docs/operations.md for a shared store")
				}
			}
		case "removed":
			m.notes.at(b.Range(), "removed has no counterpart in a new configuration", "see removed: in docs/configuration.md")
		default:
			m.notes.at(b.Range(), "the block "+label(b)+" has no counterpart", "write it by hand")
		}
	}
}

func (m *module) unknownType(b *hclsyntax.Block) {
	if b.Type == "data" {
		if b.Labels[0] == m.in.Provider+"_region" || m.in.Types[b.Labels[0]].Document != nil {
			return // its value is the location of the provider, or is written where it is used
		}
		m.notes.at(b.Range(), label(b)+" has no counterpart", "write the value where it is used")
		return
	}
	m.notes.at(b.Range(), label(b)+": provider "+m.in.Provider+" has no kind for "+b.Labels[0],
		"the resource stays with Terraform")
}

// writeMoved writes the renames.
func (m *module) writeMoved() *yaml.Node {
	out := &yaml.Node{Kind: yaml.SequenceNode}
	for _, b := range m.blocks {
		if b.Type != "moved" {
			continue
		}
		n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		for _, key := range []string{"from", "to"} {
			if a := b.Body.Attributes[key]; a != nil {
				if text := m.movedName(a.Expr); text != "" {
					set(n, key, scalar(text))
				}
			}
		}
		if len(n.Content) != 4 {
			m.notes.at(b.Range(), "moved has no counterpart: a resource moved into or out of a module, or is not known here",
				"use `ovi move OLD NEW`")
			continue
		}
		m.marks[n] = b.Range()
		out.Content = append(out.Content, n)
		m.count++
	}
	return out
}

// movedName is the name of a resource or a module, which may exist no more.
func (m *module) movedName(e hclsyntax.Expression) string {
	t, ok := parseTarget(e)
	if !ok || len(t.path) > 0 || t.index != nil {
		return ""
	}
	index := ""
	if t.constant != nil {
		text, err := literal(*t.constant, e.Range())
		if err != nil {
			return ""
		}
		text, _ = unquoted(text)
		index = "-" + text
	}
	if u := m.uses[t.name]; t.root == "module" && u != nil {
		return "use/" + u.group + index
	} else if t.root == "module" {
		return "use/" + t.name + index
	}
	known, ok := m.in.Types[t.root]
	if !ok || known.Kind == "" {
		return ""
	}
	kind, ok := m.in.Kind(known.Kind)
	if !ok || (&res{known: known, kind: kind}).hasNameOfSystem() {
		return ""
	}
	name := t.name
	if r := m.resources[t.root+"."+t.name]; r != nil {
		if name = r.group; r.mode == when {
			index = ""
		}
	} else {
		name = allowed(&kind, name)
	}
	return known.Kind + "/" + name + index
}
