package code

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
)

// writeResources writes the blocks of resources and of modules.
func (m *module) writeResources() *yaml.Node {
	out := &yaml.Node{Kind: yaml.SequenceNode}
	for _, r := range m.order {
		if r.skipped || r.known.Kind == "" {
			continue
		}
		n := &yaml.Node{Kind: yaml.MappingNode}
		m.marks[n] = r.block.Range()
		ok := false
		if r.isData {
			ok = m.lookup(n, r)
		} else {
			ok = m.resource(n, r)
		}
		if ok {
			out.Content = append(out.Content, n)
			m.count++
		}
	}
	for _, u := range m.useOrder {
		if n, ok := m.writeUse(u); ok {
			out.Content = append(out.Content, n)
			m.count++
		}
	}
	return out
}

// head writes the keys that each block has: its type, its name, and how often it exists.
func (m *module) head(n *yaml.Node, kind string, r *repeat, b *hclsyntax.Block) bool {
	s := m.scope(r.mode)
	name := scalar(r.group)
	if r.name != nil {
		text, err := s.node(r.name, resource.Attribute{})
		if err != nil {
			m.notes.failed(label(b), b.Range(), err)
			return false
		}
		name = text
	}
	kindKey := "type"
	if b.Type == "module" {
		kindKey = "use"
	}
	set(n, kindKey, scalar(kind))
	set(n, "name", name)
	if r.name != nil {
		set(n, "group", scalar(r.group))
	}
	outer := &scope{m: m}
	switch a := b.Body.Attributes; r.mode {
	case when:
		c, _ := condition(a["count"].Expr)
		text, err := outer.cel(c.Condition)
		if err != nil {
			m.notes.failed(label(b)+".count", a["count"].SrcRange, err)
			return false
		}
		if constantNumber(c.TrueResult) == "0" {
			text = "!(" + text + ")"
		}
		set(n, "when", scalar(text))
	case count, forEach:
		key := "count"
		if r.mode == forEach {
			key = "for_each"
		}
		v, err := outer.node(a[key].Expr, resource.Attribute{})
		if err != nil {
			m.notes.failed(label(b)+"."+key, a[key].SrcRange, err)
			return false
		}
		set(n, key, v)
	case whole:
	}
	return true
}

// label is the address of a block.
func label(b *hclsyntax.Block) string {
	switch b.Type {
	case "resource":
		return strings.Join(b.Labels, ".")
	case "locals", "terraform":
		return b.Type
	}
	return strings.Join(append([]string{b.Type}, b.Labels...), ".")
}

// resource writes one block.
func (m *module) resource(n *yaml.Node, r *res) bool {
	if !m.head(n, r.kind.Name, &r.repeat, r.block) {
		return false
	}
	s := m.scope(r.mode)
	s.self = r
	if r.hasNameOfSystem() && !m.root {
		m.notes.at(r.block.Range(), r.address()+": in a component, its name in "+m.in.Provider+
			" has the name of the use block before it",
			"move the block into "+Main+" to keep the name")
	}
	m.region(n, r.block)
	f := &filled{m: m, kind: r.kind}
	f.body(s, r, r.block.Body, "")
	for _, p := range r.parts {
		f.part(r, p)
	}
	for _, a := range r.kind.Attrs {
		v := f.attributeValue(a.Name)
		if other, differs := r.known.Sets[a.Name]; v == nil && differs {
			v = scalar(other)
		}
		if v != nil {
			set(n, a.Name, v)
		}
	}
	m.tags(n, s, r)
	m.lifecycle(n, r)
	m.dependsOn(n, s, r.block)
	return true
}

// region writes the location of a resource whose provider has an alias.
func (m *module) region(n *yaml.Node, b *hclsyntax.Block) {
	a := b.Body.Attributes["provider"]
	if a == nil {
		return
	}
	vars := a.Expr.Variables()
	alias := ""
	if len(vars) == 1 && len(vars[0]) == 2 {
		if x, is := vars[0][1].(hcl.TraverseAttr); is {
			alias = x.Name
		}
	}
	region := m.regions[alias]
	if region == nil {
		m.notes.at(a.SrcRange, label(b)+".provider: the "+m.in.Word+" of the alias is not known",
			"set "+m.in.Word+": in the block")
		return
	}
	if v, err := (&scope{m: m}).node(region, resource.Attribute{}); err == nil {
		set(n, m.in.Word, v)
	}
}

func (m *module) tags(n *yaml.Node, s *scope, r *res) {
	a := r.block.Body.Attributes["tags"]
	if a == nil || r.kind.NoTags {
		return
	}
	v, err := s.node(a.Expr, resource.Attribute{})
	if err != nil {
		m.notes.failed(r.address()+".tags", a.SrcRange, err)
		return
	}
	m.marks[v] = a.SrcRange
	set(n, "tags", v)
}

// lifecycle converts prevent_destroy, ignore_changes and create_before_destroy.
func (m *module) lifecycle(n *yaml.Node, r *res) {
	for _, b := range r.block.Body.Blocks {
		if b.Type != "lifecycle" {
			continue
		}
		for _, a := range sortedAttributes(b.Body) {
			switch {
			case a.Name == "prevent_destroy":
				if constantBool(a.Expr) {
					set(n, "blessed", scalar(true))
				}
			case a.Name == "create_before_destroy":
				if constantBool(a.Expr) {
					v := scalar("create-first")
					m.marks[v] = a.SrcRange
					set(n, "replace", v)
				}
			case a.Name == "ignore_changes":
				m.ignore(n, r, a)
			default:
				m.notes.at(a.SrcRange, r.address()+".lifecycle."+a.Name+" has no counterpart", "remove it")
			}
		}
		for _, c := range b.Body.Blocks {
			m.notes.at(c.Range(), r.address()+".lifecycle."+c.Type+" has no counterpart",
				"write a rule in CEL: see docs/policies.md")
		}
	}
}

// ignore writes the attributes that are not compared.
func (m *module) ignore(n *yaml.Node, r *res, a *hclsyntax.Attribute) {
	list, is := a.Expr.(*hclsyntax.TupleConsExpr)
	if !is {
		m.notes.at(a.SrcRange, r.address()+".lifecycle.ignore_changes: all has no counterpart",
			"list the attributes under ignore:")
		return
	}
	v := sequence()
	for _, x := range list.Exprs {
		path, diags := hcl.AbsTraversalForExpr(x)
		if diags.HasErrors() {
			continue
		}
		full := steps(path.RootName(), path[1:])
		to := r.destination(path.RootName())
		switch {
		case path.RootName() == "tags" || path.RootName() == "tags_all":
			full = "tags" + strings.NewReplacer("['", ".", "']", "").Replace(strings.TrimPrefix(full, path.RootName()))
		case to == "" || strings.ContainsAny(to, "!*+=["):
			m.notes.at(x.Range(), r.address()+".lifecycle.ignore_changes: "+full+" has no counterpart",
				"list the attribute under ignore:")
			continue
		default:
			full = strings.TrimSuffix(to, "{}")
		}
		v.Content = append(v.Content, scalar(full))
	}
	if len(v.Content) > 0 {
		m.marks[v] = a.SrcRange
		set(n, "ignore", v)
	}
}

// dependsOn writes the dependencies as names.
func (m *module) dependsOn(n *yaml.Node, s *scope, b *hclsyntax.Block) {
	a := b.Body.Attributes["depends_on"]
	if a == nil {
		return
	}
	list, is := a.Expr.(*hclsyntax.TupleConsExpr)
	if !is {
		return
	}
	v := sequence()
	for _, x := range list.Exprs {
		t, ok := parseTarget(x)
		r := m.resources[t.root+"."+t.name]
		switch {
		case ok && t.root == "module" && m.uses[t.name] != nil:
			v.Content = append(v.Content, scalar("use/"+m.uses[t.name].group))
		case ok && r != nil && !r.skipped && r.name == nil && r.known.Kind != "":
			name := r.kind.Name + "/" + r.group
			if r.mode == when {
				name += "?"
			}
			if !slices.ContainsFunc(v.Content, func(c *yaml.Node) bool { return c.Value == name }) {
				v.Content = append(v.Content, scalar(name))
			}
		case ok && r != nil && r.known.PartOf != "": // it is a part of a resource that exists first anyway
		default:
			m.notes.failed(label(b)+".depends_on", x.Range(), s.cannot(x, "write the name of a resource"))
		}
	}
	if len(v.Content) > 0 {
		m.marks[v] = a.SrcRange
		set(n, "depends_on", v)
	}
}

// lookup writes a block that finds what data describes.
func (m *module) lookup(n *yaml.Node, r *res) bool {
	by := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	tags := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	s := &scope{m: m}
	add := func(to *yaml.Node, key string, e hclsyntax.Expression) {
		v, err := s.node(e, resource.Attribute{})
		if err != nil {
			m.notes.failed("data."+r.address(), e.Range(), err)
			return
		}
		m.marks[v] = e.Range()
		set(to, key, v)
	}
	for _, a := range sortedAttributes(r.block.Body) {
		switch {
		case a.Name == "id" || a.Name == r.known.ID && r.kind.NameTag != "":
			add(by, "id", a.Expr)
		case a.Name == "tags":
			if o, is := a.Expr.(*hclsyntax.ObjectConsExpr); is {
				for _, i := range o.Items {
					key, _ := constantText(i.KeyExpr)
					add(tags, key, i.ValueExpr)
				}
				continue
			}
			m.notes.at(a.SrcRange, "data."+r.address()+".tags: write the tags one by one",
				"list them under lookup: {tags: {…}}")
		case a.Name == r.known.Name && a.Name != "" || a.Name == r.known.ID:
			add(by, "name", a.Expr)
		case !isMeta(a.Name):
			m.notes.at(a.SrcRange, "data."+r.address()+"."+a.Name+" has no counterpart in a lookup",
				"use an ID, a name or tags")
		}
	}
	for _, b := range r.block.Body.Blocks {
		name, values := b.Body.Attributes["name"], b.Body.Attributes["values"]
		var list *hclsyntax.TupleConsExpr
		if values != nil {
			list, _ = values.Expr.(*hclsyntax.TupleConsExpr)
		}
		text := ""
		if name != nil {
			text, _ = constantText(name.Expr)
		}
		key, isTag := strings.CutPrefix(text, "tag:")
		if b.Type != "filter" || !isTag || list == nil || len(list.Exprs) != 1 {
			m.notes.at(b.Range(), "data."+r.address()+"."+b.Type+" has no counterpart in a lookup", "use an ID, a name or tags")
			continue
		}
		add(tags, key, list.Exprs[0])
	}
	if len(tags.Content) > 0 {
		set(by, "tags", tags)
	}
	if len(by.Content) == 0 || r.mode != whole {
		r.skipped = true
		m.notes.at(r.block.Range(), "data."+r.address()+" is not converted", "add a block with lookup: {id: ID}")
		return false
	}
	set(n, "type", scalar(r.kind.Name))
	set(n, "name", scalar(r.group))
	set(n, "lookup", by)
	m.region(n, r.block)
	return true
}
