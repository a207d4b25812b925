package code

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/resource"
)

// isKeyed reports whether a destination is an entry of a map: "policies{name}=policy".
func isKeyed(to string) bool { return strings.Contains(to, "}=") }

// addByHand is the next step for a value that is not converted and belongs to a list or map of a resource, or of the
// one that it is a part of.
func addByHand(r *res, path string) string {
	if r.of != nil {
		r = r.of
	}
	return "add it to " + path + " of " + r.kind.Name + "/" + r.group + ": an apply removes what " + path +
		" does not have"
}

// keyed converts a block, or a resource that is a part, to an entry of a map. The key is the constant text of one
// argument, and the value another argument.
func (f *filled) keyed(s *scope, r *res, b *hclsyntax.Block, prefix, form string, repeated bool) {
	path, rest, _ := strings.Cut(form, "{")
	by, of, _ := strings.Cut(rest, "}=")
	address := r.address()
	if prefix != "" {
		address += "." + strings.TrimSuffix(prefix, ".")
	}
	byHand := addByHand(r, path)
	key, value := b.Body.Attributes[by], b.Body.Attributes[of]
	if repeated {
		f.m.notes.at(b.Range(), address+" is not converted: it is a dynamic block", byHand)
		return
	}
	if key == nil || value == nil || isNull(key.Expr) || isNull(value.Expr) {
		f.m.notes.at(b.Range(), address+" is not converted: it has no "+by+" or no "+of, byHand)
		return
	}
	name, constant := constantText(key.Expr)
	if !constant {
		f.m.notes.at(key.SrcRange, address+" is not converted: its "+by+" is not a fixed text", byHand)
		return
	}
	for _, a := range sortedAttributes(b.Body) {
		if a.Name != by && a.Name != of && a.Name != r.known.Of && (prefix != "" || !isMeta(a.Name)) && !isNull(a.Expr) {
			f.m.notes.at(a.SrcRange, address+"."+a.Name+" has no counterpart", "see `ovi kinds "+f.kind.Name+"`")
		}
	}
	all := f.single[path]
	if all == nil {
		all = &yaml.Node{Kind: yaml.MappingNode}
	}
	for i := 0; i+1 < len(all.Content); i += 2 {
		if all.Content[i].Value == name {
			f.m.notes.at(key.SrcRange, address+" is not converted: "+path+" has "+name+" already", "remove one of them")
			return
		}
	}
	attr, _ := schema(f.kind.Attrs, path)
	elem := resource.Attribute{}
	if attr.Elem != nil {
		elem = *attr.Elem
	}
	v, err := s.node(value.Expr, elem)
	if err != nil {
		f.m.notes.byHand(address+"."+of, value.SrcRange, err, byHand)
		return
	}
	set(all, name, v)
	f.put(path, all, b.Range())
}
