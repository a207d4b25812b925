package code

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
)

// filled are the attributes of a resource while its arguments are converted.
//
// The table of a type says where an argument goes. "size" is that attribute, and "root_volume.size" one in an object;
// "a!" is the opposite of a boolean; "a*" is one element for each of a list, "a+" one more element of the list, "a[]"
// an element of a list for each block, and "a{key}=value" an entry of a map; "a=X|Y" is X if a boolean is true, and Y
// if it is false; "a{x:y}" is the value with x replaced by y.
type filled struct {
	m      *module
	kind   resource.Kind
	single map[string]*yaml.Node
	lists  map[string][]*yaml.Node
	exprs  map[string][]string // lists in CEL
	at     map[string]hcl.Range
}

// attributeValue is an attribute of the kind; nil if nothing sets it.
func (f *filled) attributeValue(name string) *yaml.Node {
	if n := f.single[name]; n != nil && len(f.lists[name]) == 0 {
		f.m.marks[n] = f.at[name]
		return n
	}
	if list, exprs := f.lists[name], f.exprs[name]; len(list)+len(exprs) > 0 {
		n := sequence(list...)
		if first := f.single[name]; first != nil && first.Kind == yaml.SequenceNode {
			n.Content = append(slices.Clone(first.Content), n.Content...)
		}
		if slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return c.Kind != yaml.ScalarNode }) {
			n.Style = 0
		}
		if len(exprs) > 0 {
			n = scalar("${" + strings.Join(append(f.written(name, n.Content), exprs...), " + ") + "}")
		}
		f.m.marks[n] = f.at[name]
		return n
	}
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	a, _ := schema(f.kind.Attrs, name)
	for _, x := range a.Fields {
		if v := f.attributeValue(name + "." + x.Name); v != nil {
			set(n, x.Name, v)
		}
	}
	if len(n.Content) == 0 {
		return nil
	}
	return n
}

// written are the elements of a list that has expressions, too, as a list in CEL.
func (f *filled) written(name string, elements []*yaml.Node) []string {
	var all []string
	for _, n := range elements {
		object, err := celObject(n)
		if err != nil {
			f.m.notes.at(f.at[name], f.kind.Name+"."+name+": "+err.Error(), "write the list by hand")
			continue
		}
		all = append(all, "{"+strings.Join(object, ", ")+"}")
	}
	if len(all) == 0 {
		return nil
	}
	return []string{"[" + strings.Join(all, ", ") + "]"}
}

func (f *filled) put(path string, v *yaml.Node, at hcl.Range) {
	if f.single == nil {
		f.single, f.lists = map[string]*yaml.Node{}, map[string][]*yaml.Node{}
		f.exprs, f.at = map[string][]string{}, map[string]hcl.Range{}
	}
	if v != nil {
		f.single[path] = v
	}
	f.at[path] = at
}

func (f *filled) add(path string, at hcl.Range, all ...*yaml.Node) {
	f.put(path, nil, at)
	f.lists[path] = append(f.lists[path], all...)
}

// body converts the arguments of a block.
func (f *filled) body(s *scope, r *res, body *hclsyntax.Body, prefix string) {
	for _, a := range sortedAttributes(body) {
		key := prefix + a.Name
		unknown := r.destination(key) == ""
		text, isText := constantText(a.Expr)
		switch {
		case isNull(a.Expr), a.Name == r.known.Of, prefix == "" && isMeta(a.Name),
			key == r.known.Name && unknown, // it is the name of the block
			isText && key == "name" && unknown && text == r.group:
			if r.of != nil && key == r.known.Name && text != r.of.group {
				f.m.notes.at(a.SrcRange, r.address()+"."+key+": it has the name of its "+r.kind.Name+" here: "+r.of.group,
					"check where the name is used")
			}
			continue
		}
		f.argument(s, r, key, a)
	}
	for _, b := range body.Blocks {
		key := prefix + b.Type
		content, each := b.Body, hclsyntax.Expression(nil)
		if b.Type == "dynamic" && len(b.Labels) == 1 {
			key = prefix + b.Labels[0]
			if a := b.Body.Attributes["for_each"]; a != nil {
				each = a.Expr
			}
			for _, c := range b.Body.Blocks {
				if c.Type == "content" {
					content = c.Body
				}
			}
		}
		to, mapped := r.known.Attrs[key]
		path, isList := strings.CutSuffix(to, "[]")
		switch {
		case prefix == "" && b.Type == "lifecycle":
		case isKeyed(to):
			f.keyed(s, r, b, key+".", to, each != nil)
		case isList && each != nil:
			f.dynamic(s, r, b, content, key, path)
		case isList:
			f.add(path, b.Range(), f.element(s, r, content, key+".")...)
		case each != nil:
			f.m.notes.at(b.Range(), r.address()+"."+key+": a dynamic block that is not a list has no counterpart",
				"write it with a condition")
		case mapped || hasPrefix(r.known.Attrs, key+"."):
			f.body(s, r, content, key+".")
		default:
			f.m.notes.at(b.Range(), r.address()+"."+key+" has no counterpart", blockAdvice(b.Type, r.kind.Name))
		}
	}
}

func blockAdvice(name, kind string) string {
	switch name {
	case "provisioner", "connection":
		return "ovi runs no commands on resources: use user_data"
	case "timeouts":
		return "use timeouts: at the top of the file"
	}
	return "see `ovi kinds " + kind + "`"
}

func hasPrefix(all map[string]string, prefix string) bool {
	for k := range all {
		if strings.HasPrefix(k, prefix) {
			return true
		}
	}
	return false
}

// argument converts one argument.
func (f *filled) argument(s *scope, r *res, key string, a *hclsyntax.Attribute) {
	name := r.address() + "." + key
	to := r.destination(key)
	path := strings.TrimRight(to, "!*+")
	path, choice, chosen := strings.Cut(path, "=")
	path, words, renamed := strings.Cut(path, "{")
	attr, ok := schema(f.kind.Attrs, path)
	if !ok || attr.Computed {
		f.m.notes.at(a.SrcRange, name+" has no counterpart", "see `ovi kinds "+f.kind.Name+"`")
		return
	}
	if attr.Secret && !attr.SecretInFile && f.m.variableIn(a.Expr) == nil {
		f.m.notes.at(a.SrcRange, name+" is a secret: its value is not written", "set "+path+": ${env:NAME}")
		return
	}
	var v *yaml.Node
	var err error
	switch {
	case strings.HasSuffix(to, "!"), chosen:
		v, err = f.boolean(s, a.Expr, choice)
	case renamed:
		v, err = f.renamed(s, a.Expr, attr, strings.TrimSuffix(words, "}"))
	case strings.HasSuffix(to, "+"):
		if v, err = s.node(a.Expr, *elemOf(attr)); err == nil {
			f.add(path, a.SrcRange, v)
			return
		}
		f.m.notes.byHand(name, a.SrcRange, err, addByHand(r, path))
		return
	default:
		v, err = s.node(a.Expr, attr)
	}
	if err != nil {
		f.m.notes.failed(name, a.SrcRange, err)
		return
	}
	if old := f.single[path]; old != nil && old.Value != v.Value {
		f.m.notes.at(a.SrcRange, name+": another argument sets "+path+" to "+old.Value, "see `ovi kinds "+f.kind.Name+"`")
		return
	}
	f.put(path, v, a.SrcRange)
}

func elemOf(a resource.Attribute) *resource.Attribute {
	if a.Elem == nil {
		return &resource.Attribute{}
	}
	return a.Elem
}

// boolean is the opposite of a boolean, or one of two words.
func (f *filled) boolean(s *scope, e hclsyntax.Expression, choice string) (*yaml.Node, error) {
	yes, no, words := strings.Cut(choice, "|")
	if l, is := e.(*hclsyntax.LiteralValueExpr); is {
		switch {
		case !words:
			return scalar(!constantBool(l)), nil
		case constantBool(l):
			return scalar(yes), nil
		}
		return scalar(no), nil
	}
	text, err := s.cel(e)
	if err != nil {
		return nil, err
	}
	if words {
		return scalar("${" + text + " ? " + quote(yes) + " : " + quote(no) + "}"), nil
	}
	return scalar("${!(" + text + ")}"), nil
}

// renamed is a value with another word for some values: x:y,x:y.
func (f *filled) renamed(s *scope, e hclsyntax.Expression, a resource.Attribute, words string) (*yaml.Node, error) {
	if text, ok := constantText(e); ok {
		for pair := range strings.SplitSeq(words, ",") {
			switch from, to, _ := strings.Cut(pair, ":"); {
			case from == text && a.Type == resource.TBool:
				return scalar(to == "true"), nil
			case from == text:
				return scalar(to), nil
			}
		}
		return scalar(escape(text)), nil
	}
	n, err := s.node(e, a)
	if err != nil || n.Kind != yaml.ScalarNode || !strings.HasPrefix(n.Value, "${") {
		return n, err
	}
	text, err := s.cel(e)
	if err != nil {
		return n, err
	}
	for pair := range strings.SplitSeq(words, ",") {
		from, to, _ := strings.Cut(pair, ":")
		text = "(" + text + " == " + quote(from) + " ? " + quote(to) + " : " + text + ")"
	}
	return scalar("${" + text + "}"), nil
}

// entry is one field of an element of a list.
type entry struct {
	to   string
	expr hclsyntax.Expression
}

// entries are the fields of an element, and the field that makes an element for each of its values.
func (f *filled) entries(r *res, body *hclsyntax.Body, prefix string) (fixed, many []entry) {
	for _, a := range sortedAttributes(body) {
		to, ok := r.known.Attrs[prefix+a.Name]
		switch {
		case isNull(a.Expr) || a.Name == r.known.Of:
		case !ok && prefix == "" && isMeta(a.Name):
		case !ok:
			f.m.notes.at(a.SrcRange, r.address()+"."+prefix+a.Name+" has no counterpart", "see `ovi kinds "+f.kind.Name+"`")
		case to == "": // it decides the list
		case strings.HasSuffix(to, "*"):
			many = append(many, entry{strings.TrimSuffix(to, "*"), a.Expr})
		default:
			fixed = append(fixed, entry{to, a.Expr})
		}
	}
	for _, b := range body.Blocks {
		if b.Type != "lifecycle" {
			f.m.notes.at(b.Range(), r.address()+"."+prefix+b.Type+" has no counterpart", blockAdvice(b.Type, f.kind.Name))
		}
	}
	return fixed, many
}

// element is the elements of a list that one block makes.
func (f *filled) element(s *scope, r *res, body *hclsyntax.Body, prefix string) []*yaml.Node {
	fixed, many := f.entries(r, body, prefix)
	list := r.listOf(prefix, body)
	attr, _ := schema(f.kind.Attrs, list)
	fields := elemOf(attr).Fields
	base := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, e := range fixed {
		path, words, renamed := strings.Cut(e.to, "{")
		a, _ := schema(fields, path)
		var v *yaml.Node
		var err error
		if renamed {
			v, err = f.renamed(s, e.expr, a, strings.TrimSuffix(words, "}"))
		} else {
			v, err = s.node(e.expr, a)
		}
		if err != nil {
			f.m.notes.failed(r.address()+"."+prefix+path, e.expr.Range(), err)
			return nil
		}
		set(base, path, v)
	}
	base = ports(base)
	if len(many) == 0 {
		return []*yaml.Node{base}
	}
	var out []*yaml.Node
	for _, e := range many {
		a, _ := schema(fields, e.to)
		v, err := s.node(e.expr, resource.Attribute{Elem: &a})
		if err == nil && v.Kind != yaml.SequenceNode {
			out, err = f.spread(s, e, base, list, out)
			if err == nil {
				continue
			}
		}
		if err != nil {
			f.m.notes.failed(r.address()+"."+prefix+e.to, e.expr.Range(), err)
			continue
		}
		for _, x := range v.Content {
			n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle, Content: slices.Clone(base.Content)}
			set(n, e.to, x)
			out = append(out, n)
		}
	}
	return out
}

// listOf is the list that a block, or a resource that is a part, adds an element to.
func (r *res) listOf(prefix string, body *hclsyntax.Body) string {
	if prefix != "" {
		return strings.TrimSuffix(r.known.Attrs[strings.TrimSuffix(prefix, ".")], "[]")
	}
	if r.known.Into == "?" {
		if a := body.Attributes["type"]; a != nil {
			text, _ := constantText(a.Expr)
			return text
		}
	}
	return r.known.Into
}

// spread makes an element for each value of an expression, as a list in CEL.
func (f *filled) spread(s *scope, e entry, base *yaml.Node, list string, out []*yaml.Node) ([]*yaml.Node, error) {
	of, err := s.cel(e.expr)
	if err != nil {
		return out, err
	}
	object, err := celObject(base)
	if err != nil {
		return out, err
	}
	f.put(list, nil, e.expr.Range())
	f.exprs[list] = append(f.exprs[list], of+".map(c_, {"+strings.Join(append(object, quote(e.to)+": c_"), ", ")+"})")
	return out, nil
}

// celObject is the fields of an element in CEL.
func celObject(n *yaml.Node) ([]string, error) {
	var out []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		v := n.Content[i+1]
		text := v.Value
		switch {
		case v.Kind != yaml.ScalarNode:
			return nil, &unsupported{what: "an element has a list", suggestion: "write the list by hand"}
		case isExpression(text):
			text = text[2 : len(text)-1]
		case strings.Contains(text, "${"):
			return nil, &unsupported{
				what:       "a reference or a text with expressions is part of a list",
				suggestion: "write the list by hand",
			}
		case v.Tag == "!!str":
			text = quote(text)
		}
		out = append(out, quote(n.Content[i].Value)+": "+text)
	}
	return out, nil
}

// ports writes one port as port, and no ports where all protocols are allowed.
func ports(n *yaml.Node) *yaml.Node {
	values := map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		values[n.Content[i].Value] = n.Content[i+1].Value
	}
	from, to := values["from_port"], values["to_port"]
	out := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i].Value, n.Content[i+1]
		isPort := key == "from_port" || key == "to_port"
		switch {
		case isPort && values["protocol"] == "all":
		case isPort && from == to && key == "from_port":
			set(out, "port", v)
		case isPort && from == to:
		default:
			set(out, key, v)
		}
	}
	return out
}

// dynamic converts a dynamic block to a list in CEL.
func (f *filled) dynamic(s *scope, r *res, b *hclsyntax.Block, content *hclsyntax.Body, key, list string) {
	iterator := b.Labels[0]
	if a := b.Body.Attributes["iterator"]; a != nil {
		iterator = hcl.ExprAsKeyword(a.Expr)
	}
	of, err := s.cel(b.Body.Attributes["for_each"].Expr)
	if err != nil {
		f.m.notes.failed(r.address()+"."+key, b.Range(), err)
		return
	}
	inner := s.with(iterator, "k_ v_")
	fixed, many := f.entries(r, content, key+".")
	var fields []string
	for _, e := range fixed {
		path, words, _ := strings.Cut(e.to, "{")
		text, err := inner.cel(e.expr)
		if err != nil {
			f.m.notes.failed(r.address()+"."+key+"."+path, b.Range(), err)
			return
		}
		for pair := range strings.SplitSeq(strings.TrimSuffix(words, "}"), ",") {
			if from, to, ok := strings.Cut(pair, ":"); ok {
				text = strings.ReplaceAll("({} == "+quote(from)+" ? "+quote(to)+" : {})", "{}", text)
				if constant, is := constantText(e.expr); is && constant != from {
					text = quote(constant)
				}
			}
		}
		fields = append(fields, quote(path)+": "+text)
	}
	f.put(list, nil, b.Range())
	if len(many) == 0 {
		f.exprs[list] = append(f.exprs[list], of+".transformList(k_, v_, {"+strings.Join(fields, ", ")+"})")
		return
	}
	for _, e := range many {
		values, err := inner.cel(e.expr)
		if err != nil {
			f.m.notes.failed(r.address()+"."+key+"."+e.to, e.expr.Range(), err)
			continue
		}
		object := "{" + strings.Join(append(slices.Clone(fields), quote(e.to)+": c_"), ", ") + "}"
		if one, is := e.expr.(*hclsyntax.TupleConsExpr); is && len(one.Exprs) == 1 {
			f.exprs[list] = append(f.exprs[list], of+".transformList(k_, v_, "+
				strings.TrimSuffix(object, "c_}")+values[1:len(values)-1]+"})")
			continue
		}
		f.exprs[list] = append(f.exprs[list], of+".transformList(k_, v_, "+values+".map(c_, "+object+")).flatten()")
	}
}

// part converts a resource of Terraform that is a part of this one.
func (f *filled) part(r, p *res) {
	s := f.m.scope(p.mode)
	s.self = r
	before := len(f.m.notes.all)
	switch list := p.listOf("", p.block.Body); {
	case isKeyed(list):
		f.keyed(s, p, p.block, "", list, false)
	case list != "":
		f.add(list, p.block.Range(), f.element(s, p, p.block.Body, "")...)
	case p.mode != r.mode:
		f.repeated(s, p)
	default:
		f.body(s, p, p.block.Body, "")
	}
	for to, v := range p.known.Sets {
		f.put(to, scalar(v), p.block.Range())
	}
	if len(f.m.notes.all) == before {
		f.m.count++
	}
}

// repeated converts a part that exists for each member of a group: the group is named.
func (f *filled) repeated(s *scope, p *res) {
	for _, b := range p.block.Body.Blocks {
		f.m.notes.at(b.Range(), p.address()+"."+b.Type+" is not converted: the resource is repeated", "write it by hand")
	}
	for _, a := range sortedAttributes(p.block.Body) {
		if a.Name == p.known.Of || isMeta(a.Name) {
			continue
		}
		path, isMore := strings.CutSuffix(p.destination(a.Name), "+")
		t, ok := parseTarget(a.Expr)
		r := f.m.resources[t.root+"."+t.name]
		if !isMore || !ok || r == nil || r.skipped || t.index == nil || r.mode == whole {
			f.m.notes.failed(p.address()+"."+a.Name, a.SrcRange, s.cannot(a.Expr, "write it by hand"))
			continue
		}
		f.add(path, a.SrcRange, scalar(r.group))
	}
}
