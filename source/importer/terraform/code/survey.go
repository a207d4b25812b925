package code

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/terms"
)

// survey finds the parts of a module, before any of them is converted.
func (m *module) survey() {
	m.vars, m.locals, m.inlined = map[string]*variable{}, map[string]*hclsyntax.Attribute{}, map[string]string{}
	m.resources, m.uses, m.regions = map[string]*res{}, map[string]*use{}, map[string]hclsyntax.Expression{}
	for _, b := range m.blocks {
		switch b.Type {
		case "variable":
			m.declare(b)
		case "locals":
			for _, a := range sortedAttributes(b.Body) {
				m.locals[a.Name] = a
			}
		case "provider":
			if len(b.Labels) == 1 && b.Labels[0] == m.in.Provider {
				alias := ""
				if a := b.Body.Attributes["alias"]; a != nil {
					alias, _ = constantText(a.Expr)
				}
				if a := b.Body.Attributes[m.in.Word]; a != nil {
					m.regions[alias] = a.Expr
				}
			}
		case "resource", "data":
			m.surveyResource(b)
		case "module":
			if len(b.Labels) == 1 {
				m.surveyUse(b)
			}
		}
	}
	for _, r := range m.order {
		if r.isData && m.resources[r.address()] != nil {
			r.group = "data-" + r.group // a resource has the name
		}
		label := r.group
		if m.nameOf(r); r.group != label || r.name != nil || r.known.Kind == "" {
			continue
		}
		// The name is the label: it changes to one that the kind allows.
		name := allowed(&r.kind, r.group)
		if !slices.ContainsFunc(m.order, func(x *res) bool { return x.known.Kind == r.known.Kind && x.group == name }) {
			r.group = name
		}
	}
	for _, u := range m.useOrder { // the names of the resources in a module begin with the name of its block
		name := hyphenated(u.group)
		taken := slices.ContainsFunc(m.useOrder, func(x *use) bool { return x.group == name })
		if !taken && refused(u.child.module, name+"-") < refused(u.child.module, u.group+"-") {
			u.group = name
		}
	}
	m.joinParts()
	m.findInlined()
	m.findSecrets()
	m.findSkipped()
}

// refused is the number of resources of a component whose kinds do not allow their names behind a prefix.
func refused(m *module, prefix string) int {
	n := 0
	for _, r := range m.order {
		if r.known.Kind != "" && !accepts(&r.kind, prefix+r.group) {
			n++
		}
	}
	for _, u := range m.useOrder {
		n += refused(u.child.module, prefix+u.group+"-")
	}
	return n
}

// findSkipped lists the resources whose count, for_each or condition is not converted. Their blocks are omitted, and so
// is every reference to them.
func (m *module) findSkipped() {
	for _, r := range m.order {
		name := "count"
		if r.mode == forEach {
			name = "for_each"
		}
		a := r.block.Body.Attributes[name]
		if r.mode == whole || r.skipped || a == nil {
			continue
		}
		e := a.Expr
		if of, is := condition(e); is {
			e = of.Condition
		}
		if _, err := (&scope{m: m}).node(e, resource.Attribute{}); err != nil {
			r.skipped = true
			m.notes.failed(r.address()+"."+name, a.SrcRange, err)
		}
	}
}

// surveyResource adds a resource of a type that the provider has.
func (m *module) surveyResource(b *hclsyntax.Block) {
	if len(b.Labels) != 2 {
		return
	}
	known, ok := m.in.Types[b.Labels[0]]
	r := &res{block: b, typ: b.Labels[0], tag: b.Labels[1], known: known, isData: b.Type == "data"}
	r.repeat = m.repeatOf(b, r.tag)
	name := known.Kind
	if name == "" {
		name = known.PartOf
	}
	if ok {
		r.kind, ok = m.in.Kind(name)
	}
	key := r.address()
	if r.isData {
		key, ok = "data."+key, ok && known.Kind != ""
	}
	if !ok {
		return
	}
	m.resources[key] = r
	m.order = append(m.order, r)
}

// repeatOf reads count and for_each.
func (m *module) repeatOf(b *hclsyntax.Block, name string) repeat {
	r := repeat{group: strings.ReplaceAll(name, " ", "-")}
	if a := b.Body.Attributes["for_each"]; a != nil {
		r.mode = forEach
	}
	if a := b.Body.Attributes["count"]; a != nil {
		r.mode = count
		if _, is := condition(a.Expr); is {
			r.mode = when
		}
	}
	return r
}

// condition returns the expression COND ? 1 : 0, or COND ? 0 : 1. is is false for others.
func condition(e hclsyntax.Expression) (of *hclsyntax.ConditionalExpr, is bool) {
	if p, in := e.(*hclsyntax.ParenthesesExpr); in {
		return condition(p.Expression)
	}
	c, is := e.(*hclsyntax.ConditionalExpr)
	if !is {
		return nil, false
	}
	yes, no := constantNumber(c.TrueResult), constantNumber(c.FalseResult)
	return c, yes == "1" && no == "0" || yes == "0" && no == "1"
}

func constantNumber(e hclsyntax.Expression) string {
	l, is := e.(*hclsyntax.LiteralValueExpr)
	if !is {
		return ""
	}
	text, err := literal(l.Val, l.SrcRange)
	if err != nil {
		return ""
	}
	return text
}

// nameOf decides the name of a resource whose system knows it by its name.
func (m *module) nameOf(r *res) {
	a := r.block.Body.Attributes[r.known.Name]
	if !r.hasNameOfSystem() || a == nil {
		return
	}
	s := m.scope(r.mode)
	n, err := s.node(a.Expr, resource.Attribute{})
	if err != nil || n.Kind != yaml.ScalarNode {
		if err == nil {
			err = s.cannot(a.Expr, "write one name")
		}
		m.notes.failed(r.address()+"."+a.Name, a.SrcRange, err)
		return
	}
	switch {
	case r.mode == count && strings.HasSuffix(n.Value, "-${index}"):
		r.group = strings.TrimSuffix(n.Value, "-${index}")
	case r.mode == forEach && strings.HasSuffix(n.Value, "-${each.key}") && strings.Count(n.Value, "${each.") == 1:
		r.group = strings.TrimSuffix(n.Value, "-${each.key}")
	case r.mode == forEach && strings.Contains(n.Value, "${each.key}"):
		r.name = a.Expr
	case r.mode == count || r.mode == forEach:
		m.notes.at(a.SrcRange, r.address()+"."+a.Name+": each resource of a count or for_each has its own name here: "+
			r.group+"-KEY", "check the names")
	default:
		r.group = n.Value
	}
}

// findInlined finds locals that stand for references, also through other locals.
func (m *module) findInlined() {
	for changed := true; changed; {
		changed = false
		for name, a := range m.locals {
			if m.inlined[name] == "" && slices.ContainsFunc(a.Expr.Variables(), m.isLate) {
				m.inlined[name] = "write the expression where it is used"
				changed = true
			}
		}
	}
}

// isLate reports whether a path is a reference, or a local that stands for one.
func (m *module) isLate(t hcl.Traversal) bool {
	if t.RootName() == "local" && len(t) > 1 {
		a, is := t[1].(hcl.TraverseAttr)
		return is && m.inlined[a.Name] != ""
	}
	_, constant := m.constant(t)
	return !constant && (m.isReference(t) || t.RootName() == "data")
}

// surveyUse finds a block of a local module.
func (m *module) surveyUse(b *hclsyntax.Block) {
	dir, ok := localSource(m.dir, b)
	if !ok || m.children[dir] == nil {
		return
	}
	u := &use{block: b, child: m.children[dir]}
	u.repeat = m.repeatOf(b, b.Labels[0])
	m.uses[b.Labels[0]] = u
	m.useOrder = append(m.useOrder, u)
	for _, a := range sortedAttributes(b.Body) {
		if v, inner := m.variableIn(a.Expr), u.child.vars[a.Name]; v != nil && inner != nil {
			v.secret = v.secret || inner.secret
			if v.refers == "" {
				v.refers, v.many = inner.refers, inner.many
			}
		}
	}
}

// joinParts adds each part to the resource that has its attributes, and lists those that have none.
func (m *module) joinParts() {
	for _, r := range m.order {
		if r.known.PartOf == "" || r.isData {
			continue
		}
		if of := m.wholeOf(r); of != nil {
			of.parts, r.of = append(of.parts, r), of
			continue
		}
		r.skipped = true
		m.notes.at(r.block.Range(), r.address()+" is not converted: it is a part of a block of type "+r.known.PartOf,
			"write it into the block, because an apply removes what the block does not have: see `ovi kinds "+
				r.known.PartOf+"`")
	}
}

// wholeOf is the resource that has the attributes of a part: one that exists once, or as often as the part does.
func (m *module) wholeOf(r *res) *res {
	a := r.block.Body.Attributes[r.known.Of]
	if a == nil || len(r.known.Attrs)+len(r.known.Sets) == 0 && r.known.Into == "" {
		return nil
	}
	t, ok := parseTarget(a.Expr)
	of := m.resources[t.root+"."+t.name]
	if !ok || of == nil || of.known.Kind != r.known.PartOf {
		return nil
	}
	switch {
	case of.mode == whole && r.mode == whole:
		return of
	case of.mode == whole && r.mode != when && r.known.Into == "":
		return of // each of them names a member of a group
	case of.mode == r.mode && m.repeats(of) == m.repeats(r):
		return of
	}
	return nil
}

// repeats is the text of count or for_each.
func (m *module) repeats(r *res) string {
	for _, name := range []string{"count", "for_each"} {
		if a := r.block.Body.Attributes[name]; a != nil {
			return m.source(a.Expr.Range())
		}
	}
	return ""
}

func (m *module) declare(b *hclsyntax.Block) {
	if len(b.Labels) != 1 {
		return
	}
	v := &variable{block: b, name: b.Labels[0], secret: terms.SecretName(b.Labels[0])}
	if a := b.Body.Attributes["type"]; a != nil {
		v.typ = m.typeOf(a.Expr, v.name)
		v.secret = v.secret && v.typ == "string"
	}
	if a := b.Body.Attributes["default"]; a != nil {
		v.fallback = a.Expr
		v.nullable = isNull(a.Expr)
	}
	for _, name := range []string{"sensitive", "ephemeral"} {
		if a := b.Body.Attributes[name]; a != nil && constantBool(a.Expr) {
			v.secret = true
		}
	}
	m.vars[v.name] = v
}

func isNull(e hclsyntax.Expression) bool {
	l, is := e.(*hclsyntax.LiteralValueExpr)
	return is && l.Val.IsNull()
}

func constantBool(e hclsyntax.Expression) bool {
	l, is := e.(*hclsyntax.LiteralValueExpr)
	return is && !l.Val.IsNull() && l.Val.Type() == cty.Bool && l.Val.True()
}

// typeOf is a type of Terraform as a type of ovi. A number is a whole one until a value says otherwise.
func (m *module) typeOf(e hclsyntax.Expression, name string) string {
	if word := hcl.ExprAsKeyword(e); word != "" {
		return map[string]string{
			"string": "string", "number": "int", "bool": "bool", "list": "list(string)",
			"map": "map(string)",
		}[word]
	}
	call, is := e.(*hclsyntax.FunctionCallExpr)
	if !is || len(call.Args) == 0 {
		return ""
	}
	switch call.Name {
	case "list", "set":
		if of := m.typeOf(call.Args[0], name); of != "" {
			return "list(" + of + ")"
		}
	case "map":
		if of := m.typeOf(call.Args[0], name); of != "" {
			return "map(" + of + ")"
		}
	case "object":
		if strings.Contains(m.source(call.Range()), "optional(") {
			m.notes.at(call.Range(), "var."+name+": optional() keys of an object have no defaults here",
				"write all keys, or test them with has(vars."+name+".KEY)")
		}
		return "object"
	case "optional":
		return m.typeOf(call.Args[0], name)
	}
	return ""
}

// findSecrets marks the variables that secret attributes take, and those that name resources in a component.
func (m *module) findSecrets() {
	for _, r := range m.order {
		if r.isData {
			continue
		}
		for _, a := range r.block.Body.Attributes {
			to := r.destination(a.Name)
			attr, ok := schema(r.kind.Attrs, strings.TrimRight(to, "!*+"))
			v := m.variableIn(a.Expr)
			if !ok || v == nil {
				continue
			}
			v.secret = v.secret || attr.Secret && !attr.SecretInFile
			if attr.RefKind != "" {
				v.refers = attr.RefKind
			}
			if attr.Elem != nil && attr.Elem.RefKind != "" {
				v.refers, v.many = attr.Elem.RefKind, true
			}
		}
	}
}

// localSource is the folder of a local module.
func localSource(from string, b *hclsyntax.Block) (string, bool) {
	a := b.Body.Attributes["source"]
	if a == nil {
		return "", false
	}
	text, ok := constantText(a.Expr)
	if !ok || !strings.HasPrefix(text, "./") && !strings.HasPrefix(text, "../") {
		return "", false
	}
	dir := path.Join(from, text)
	return dir, fs.ValidPath(dir)
}
