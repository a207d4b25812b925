package code

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// module is a folder that is converted: the root module, or a component.
type module struct {
	*folder
	in        *Input
	notes     *notes
	root      bool
	vars      map[string]*variable
	locals    map[string]*hclsyntax.Attribute
	inlined   map[string]string // locals that stand for references, with advice
	resources map[string]*res   // by TYPE.NAME; data.TYPE.NAME for data
	order     []*res
	uses      map[string]*use
	children  map[string]*component // by folder
	useOrder  []*use
	regions   map[string]hclsyntax.Expression // of each provider, by its alias
	inlining  int                             // how often locals were written where they are used
	envs      bool                            // the configuration has environments
	marks     map[*yaml.Node]hcl.Range        // the origin of each attribute and block that is written
	count     int                             // the blocks that are converted
}

// repeat is the number and the names of the resources that a block makes.
type repeat struct {
	mode  mode
	group string // the name of all
	// name is the expression of the whole name; nil means GROUP, GROUP-NUMBER or GROUP-KEY.
	name hclsyntax.Expression
}

type mode int

// res is a resource, or data that a lookup finds.
type res struct {
	repeat
	block    *hclsyntax.Block
	typ, tag string // aws_subnet; app
	known    provider.Foreign
	kind     resource.Kind
	isData   bool
	skipped  bool
	parts    []*res // resources of Terraform whose attributes it has
	of       *res   // the resource that has its attributes, if it is a part
}

// use is a block of a local module.
type use struct {
	repeat
	block *hclsyntax.Block
	child *component
}

const (
	whole mode = iota // exactly once
	when              // once, or not at all
	count
	forEach
)

// variable is a declared variable.
type variable struct {
	block    *hclsyntax.Block
	name     string
	typ      string // "" without a type
	nullable bool
	secret   bool
	fallback hclsyntax.Expression
	valued   bool     // a file of values sets it in every environment
	given    []string // the environments whose files set it
	refers   string   // the kind whose name it is, in a component
	many     bool     // it is a list of names
}

// Input is a root module, with the types and kinds of the provider.
type Input struct {
	Files    fs.FS
	Dir      string // the folder of the root module in Files
	Provider string
	Word     string // the provider's word for a location
	Location string // of resources, where the module has none
	Stack    string
	Types    map[string]provider.Foreign
	Kind     func(name string) (resource.Kind, bool)
	// Load reads a configuration, with values of variables (NAME=VALUE), and returns what is wrong with it.
	Load func(files map[string]string, environment string, set []string) source.Problems

	values []valueFile
}

// component is a local module.
type component struct {
	*module
	name string
}

// valueFile is a file of values of variables.
type valueFile struct {
	name string
	env  string // "" sets the value in every environment
	body *hclsyntax.Body
}

// hasNameOfSystem reports whether its system knows a resource by the name that it has here.
func (r *res) hasNameOfSystem() bool {
	if r.isData || r.known.Kind == "" || r.known.Name == "" {
		return false
	}
	_, separate := schema(r.kind.Attrs, r.known.Attrs[r.known.Name])
	return !separate
}

func (r *res) address() string { return r.typ + "." + r.tag }

// named is the name of one member, in the scope of the one who refers to it. index is its key or number in CEL.
func (r *repeat) named(s *scope, index string) (string, error) {
	if r.name != nil {
		in := &scope{m: s.m, key: index, index: index}
		n, err := in.node(r.name, resource.Attribute{})
		if err != nil {
			return "", err
		}
		return n.Value, nil
	}
	if index == "" {
		return r.group, nil
	}
	if text, ok := unquoted(index); ok {
		return r.group + "-" + text, nil
	}
	return r.group + "-${" + index + "}", nil
}

// unquoted is the text of a constant in CEL.
func unquoted(index string) (string, bool) {
	if len(index) > 1 && index[0] == '\'' &&
		strings.HasSuffix(index, "'") && !strings.ContainsAny(index[1:len(index)-1], `'\`) {
		return index[1 : len(index)-1], true
	}
	return index, index != "" && strings.Trim(index, "0123456789") == ""
}

func (m *module) isSecret(name string) bool { return m.vars[name] != nil && m.vars[name].secret }

// workspace is terraform.workspace.
func (m *module) workspace(e hclsyntax.Expression) (string, error) {
	switch {
	case !m.root:
		return "", &unsupported{e.Range(), "a component has no environment", "pass the name as a variable"}
	case !m.envs:
		return "", &unsupported{
			e.Range(), "terraform.workspace needs environments", "declare environments, then use ${environment}",
		}
	}
	return "environment", nil
}

// constant is the region of the provider, where Terraform reads it from data.
func (m *module) constant(path hcl.Traversal) (string, bool) {
	t, ok := target{}.traverse(path)
	if !ok || t.root != "data.aws_region" || len(t.path) != 1 || !m.root || m.regions[""] == nil ||
		!slices.Contains([]string{"name", "region", "id"}, t.path[0]) {
		return "", false
	}
	text, err := (&scope{m: m}).cel(m.regions[""])
	return text, err == nil
}

// scope is the scope of a repeated block.
func (m *module) scope(mode mode) *scope {
	s := &scope{m: m}
	switch mode {
	case count:
		s.index = "index"
	case when:
		s.index = "0"
	case forEach:
		s.key, s.value = "each.key", "each.value"
	case whole:
	}
	return s
}

// source is the text of an expression.
func (m *module) source(r hcl.Range) string { return m.folder.source(r) }

// schema is the attribute at a dotted path.
func schema(all []resource.Attribute, path string) (resource.Attribute, bool) {
	first, rest, more := strings.Cut(path, ".")
	i := slices.IndexFunc(all, func(a resource.Attribute) bool { return a.Name == first })
	switch {
	case i < 0:
		return resource.Attribute{}, false
	case more:
		return schema(all[i].Fields, rest)
	}
	return all[i], true
}

// variableIn is the variable that an expression consists of; nil for others.
func (m *module) variableIn(e hclsyntax.Expression) *variable {
	t, is := e.(*hclsyntax.ScopeTraversalExpr)
	if !is || len(t.Traversal) != 2 || t.Traversal.RootName() != "var" {
		return nil
	}
	a, is := t.Traversal[1].(hcl.TraverseAttr)
	if !is {
		return nil
	}
	return m.vars[a.Name]
}

// isMeta reports whether every resource of Terraform has an argument of this name.
func isMeta(name string) bool {
	return slices.Contains([]string{"count", "for_each", "provider", "depends_on", "tags", "tags_all", "lifecycle"}, name)
}

// destination is the path of the attribute for an attribute of Terraform: the table's, or the one with the same name.
func (r *res) destination(name string) string {
	if to, ok := r.known.Attrs[name]; ok {
		return to
	}
	a, ok := schema(r.kind.Attrs, name)
	if !ok || a.Computed || r.known.PartOf != "" || strings.Contains(name, ".") ||
		name == r.known.Name && name == r.kind.Identifier { // the block has that name
		return ""
	}
	return name
}

// Result is a configuration.
type Result struct {
	Files        map[string]string // by path: ovi.yaml, components/NAME/component.yaml
	Notes        []Note            // parts that are not converted
	Converted    int               // blocks of Terraform
	Environments []string
	Missing      []string // variables that have no value yet
	root         *module
}

// Main is the file of the stack in a Result.
const Main = "ovi.yaml"
