package code

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
)

func jsonString(s string) string {
	text, err := json.Marshal(s)
	if err != nil { // a string has no error
		return strconv.Quote(s)
	}
	return string(text)
}

// target is a path of a reference: TYPE.NAME[INDEX].PATH or module.NAME[INDEX].OUTPUT.
type target struct {
	root, name string
	index      hclsyntax.Expression // nil without an index
	constant   *cty.Value           // an index that is written
	path       []string
}

// parseTarget reads a path. ok is false for other expressions.
func parseTarget(e hclsyntax.Expression) (t target, ok bool) {
	var after hcl.Traversal
	switch x := e.(type) {
	case *hclsyntax.RelativeTraversalExpr:
		index, is := x.Source.(*hclsyntax.IndexExpr)
		if !is {
			return t, false
		}
		t.index, after, e = index.Key, x.Traversal, index.Collection
	case *hclsyntax.IndexExpr:
		t.index, e = x.Key, x.Collection
	}
	path, is := e.(*hclsyntax.ScopeTraversalExpr)
	if !is {
		return t, false
	}
	return t.traverse(append(append(hcl.Traversal{}, path.Traversal...), after...))
}

func (t target) traverse(path hcl.Traversal) (target, bool) {
	t.root = path.RootName()
	for i, p := range path[1:] {
		switch p := p.(type) {
		case hcl.TraverseAttr:
			if i == 0 {
				t.name = p.Name
			} else {
				t.path = append(t.path, p.Name)
			}
		case hcl.TraverseIndex:
			if len(t.path) == 0 && t.index == nil && t.constant == nil && i == 1 {
				t.constant = &p.Key
				continue
			}
			text, err := literal(p.Key, p.SrcRange)
			if err != nil {
				return t, false
			}
			t.path = append(t.path, "["+text+"]")
		}
	}
	if t.root == "data" && len(t.path) > 0 {
		t.root, t.name, t.path = "data."+t.name, t.path[0], t.path[1:]
	}
	return t, t.name != ""
}

// isReference reports whether a path refers to a resource, a module or data.
func (m *module) isReference(path hcl.Traversal) bool {
	t, ok := target{}.traverse(path)
	return ok && (m.resources[t.root+"."+t.name] != nil || t.root == "module" && m.uses[t.name] != nil)
}

// reference is a path as a reference: the name in an attribute that takes names of its kind, and else
// ${KIND/NAME.PATH}. It returns an empty text for other paths.
func (s *scope) reference(e hclsyntax.Expression, kind string) (string, error) {
	t, ok := parseTarget(e)
	if !ok || s.locals[t.root] != "" {
		return "", nil
	}
	if use := s.m.uses[t.name]; t.root == "module" && use != nil {
		name, err := s.member(&use.repeat, t, e)
		if err != nil || len(t.path) == 0 {
			return "", err
		}
		return "${use/" + name + "." + strings.Join(t.path, ".") + "}", nil
	}
	r := s.m.resources[t.root+"."+t.name]
	if r == nil {
		if _, known := s.m.in.Types[t.root]; known {
			return "", &unsupported{e.Range(), t.root + "." + t.name + " is not converted", "write its ID"}
		}
		return "", nil
	}
	if r.skipped {
		return "", &unsupported{
			e.Range(), "it refers to " + t.root + "." + t.name + ", which is not converted", "write the value or the ID",
		}
	}
	if r.known.PartOf != "" {
		if r.of == nil || len(t.path) != 1 || !isIdentifying(t.path[0]) {
			return "", &unsupported{
				e.Range(), t.root + "." + t.name + " is a part of another resource", "refer to that resource",
			}
		}
		r = r.of
	}
	name, err := s.member(&r.repeat, t, e)
	if err != nil {
		return "", err
	}
	path, err := r.pathOf(t, e, kind)
	if err != nil {
		return "", err
	}
	if kind == r.kind.Name && path == "" {
		return name, nil
	}
	before, after := "", ""
	if of, rest, around := strings.Cut(path, idMark); around {
		before, after, path = of, rest, ""
	}
	if r == s.self {
		own, err := s.ownID(path, e)
		return before + own + after, err
	}
	if path != "" {
		path = "." + path
	}
	optional := ""
	if bare, is := strings.CutSuffix(name, "?"); is {
		name, optional = bare, "?"
	}
	return before + "${" + r.kind.Name + "/" + name + path + optional + "}" + after, nil
}

// ownID is the ID of the resource that is written, which cannot refer to itself: a bucket in its own policy. The ID is
// known where the system knows the resource by its name.
func (s *scope) ownID(path string, e hclsyntax.Expression) (string, error) {
	r := s.self
	a := r.block.Body.Attributes[r.known.Name]
	refused := &unsupported{e.Range(), r.address() + " refers to itself", "write the value"}
	switch {
	case path != "" || r.known.Name == "" || r.hasNameOfSystem() && !s.m.root:
		return "", refused
	case a == nil && s.m.root && r.mode == whole:
		return r.group, nil
	case a == nil:
		return "", refused
	}
	n, err := s.node(a.Expr, resource.Attribute{})
	if err != nil || n.Kind != yaml.ScalarNode {
		return "", refused
	}
	return n.Value, nil
}

// idMark is the ID in the text that an attribute of Terraform is.
const idMark = "{id}"

// isIdentifying reports whether an attribute of Terraform is the ID, or the name by which others refer to a resource.
func isIdentifying(name string) bool {
	return slices.Contains([]string{"id", "arn", "name", "key_id", "zone_id", "identifier"}, name)
}

// pathOf is the path of an attribute of Terraform in the kind. An empty path is the ID, or the name of the resource
// where a name of the kind is expected. With idMark it is a text around the ID.
func (r *res) pathOf(t target, e hclsyntax.Expression, kind string) (string, error) {
	if len(t.path) == 0 {
		return "", &unsupported{e.Range(), "it needs an attribute of " + t.root + "." + t.name, "write the value"}
	}
	name := strings.Join(t.path, ".")
	own := false
	for _, a := range r.kind.Attrs {
		own = own || a.Name == "arn"
	}
	to, mapped := r.known.Attrs[name]
	switch {
	case name == "arn" && own:
		return "arn", nil
	case name == "id", name == r.known.ID, name == r.known.Name:
		return "", nil
	case r.known.Attrs["."+name] != "": // it is read under another name than it is set
		return r.known.Attrs["."+name], nil
	case mapped && to != "" && !strings.ContainsAny(to, "!*+="):
		return to, nil
	case isIdentifying(name) && !mapped && kind == r.kind.Name:
		return "", nil
	}
	if _, has := schema(r.kind.Attrs, name); has && !mapped && len(t.path) == 1 {
		return name, nil
	}
	return "", &unsupported{
		e.Range(), r.kind.Name + " has no attribute for " + name,
		"use an attribute that `ovi kinds " + r.kind.Name + "` lists",
	}
}

// member is the name of a resource that a path means, with its key or number.
func (s *scope) member(r *repeat, t target, e hclsyntax.Expression) (string, error) {
	index := ""
	switch {
	case t.constant != nil:
		text, err := literal(*t.constant, e.Range())
		if err != nil {
			return "", err
		}
		index = text
	case t.index != nil:
		text, err := s.cel(t.index)
		if err != nil {
			return "", err
		}
		index = text
	}
	switch {
	case r.mode == whole || r.mode == when && (index == "" || index == "0"):
		name, err := r.named(s, "")
		if r.mode == when && err == nil {
			name += "?"
		}
		return name, err
	case index == "":
		return "", &unsupported{
			e.Range(), "it needs one of several: " + clip(s.m.source(e.Range())),
			"name one, or all of them",
		}
	}
	return r.named(s, index)
}

// groupOf is the name of all members of a resource, for TYPE.NAME[*].id and [for x in TYPE.NAME : x.id].
func (m *module) groupOf(e hclsyntax.Expression) (string, bool) {
	var of hclsyntax.Expression
	switch x := e.(type) {
	case *hclsyntax.SplatExpr:
		of = x.Source
		if each, is := x.Each.(*hclsyntax.RelativeTraversalExpr); !is || !isID(each.Traversal) {
			return "", false
		}
	case *hclsyntax.ForExpr:
		each, is := x.ValExpr.(*hclsyntax.ScopeTraversalExpr)
		if !is || x.KeyExpr != nil || x.CondExpr != nil || each.Traversal.RootName() != x.ValVar ||
			!isID(each.Traversal[1:]) {
			return "", false
		}
		of = x.CollExpr
	}
	if call, is := of.(*hclsyntax.FunctionCallExpr); is && call.Name == "values" && len(call.Args) == 1 {
		of = call.Args[0]
	}
	t, ok := parseTarget(of)
	if !ok || len(t.path) > 0 || t.index != nil || t.constant != nil {
		return "", false
	}
	r := m.resources[t.root+"."+t.name]
	if r == nil || r.skipped || r.known.PartOf != "" {
		return "", false
	}
	if r.mode == when {
		return r.group + "?", true
	}
	return r.group, true
}

func isID(path hcl.Traversal) bool {
	if len(path) != 1 {
		return false
	}
	a, is := path[0].(hcl.TraverseAttr)
	return is && isIdentifying(a.Name)
}
