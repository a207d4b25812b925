package code

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// jsonDocument returns the JSON document that a data source makes, as a call of jsonencode; nil if there is no such
// block. provider.Foreign describes the table of a document.
func jsonDocument(blocks []*hclsyntax.Block, table map[string]string, typ, name string) (hclsyntax.Expression, error) {
	for _, b := range blocks {
		if b.Type != "data" || len(b.Labels) != 2 || b.Labels[0] != typ || b.Labels[1] != name {
			continue
		}
		d := documentOf{table: table, addr: "data." + typ + "." + name}
		for _, key := range []string{"count", "for_each"} {
			if a := b.Body.Attributes[key]; a != nil {
				return nil, &unsupported{a.SrcRange, d.addr + " is repeated", "write the value by hand"}
			}
		}
		made, err := d.docObject(b.Body, "")
		if err != nil {
			return nil, err
		}
		return &hclsyntax.FunctionCallExpr{
			Name: "jsonencode", Args: []hclsyntax.Expression{made},
			NameRange: b.Range(), OpenParenRange: b.Range(), CloseParenRange: b.Range(),
		}, nil
	}
	return nil, nil //nolint:nilnil // the path has no counterpart
}

// documentOf makes a document.
type documentOf struct {
	table map[string]string
	addr  string
}

func (d documentOf) lacks(at hcl.Range, path string) error {
	return &unsupported{at, d.addr + "." + path + " has no counterpart", "write the value by hand"}
}

// docObject converts a body to an object.
func (d documentOf) docObject(from *hclsyntax.Body, prefix string) (*hclsyntax.ObjectConsExpr, error) {
	out := &hclsyntax.ObjectConsExpr{SrcRange: from.Range(), OpenRange: from.Range()}
	for name, form := range d.table {
		key, fallback, usual := strings.Cut(form, "=")
		rest, inside := strings.CutPrefix(name, prefix)
		own := usual && inside && !strings.Contains(rest, ".") && !strings.Contains(key, "{")
		if own && from.Attributes[rest] == nil {
			docMember(out, key, docText(fallback, from.Range()))
		}
	}
	for _, a := range sortedAttributes(from) {
		form, known := d.table[prefix+a.Name]
		if !known {
			return nil, d.lacks(a.SrcRange, prefix+a.Name)
		}
		if l, is := a.Expr.(*hclsyntax.LiteralValueExpr); !is || !l.Val.IsNull() {
			key, _, _ := strings.Cut(form, "=")
			docMember(out, key, a.Expr)
		}
	}
	for _, b := range from.Blocks {
		form, known := d.table[prefix+b.Type]
		if !known {
			return nil, d.lacks(b.Range(), prefix+b.Type)
		}
		if key, many := strings.CutSuffix(form, "[]"); many {
			x, err := d.docObject(b.Body, prefix+b.Type+".")
			if err != nil {
				return nil, err
			}
			all, _ := docMember(out, key, nil).(*hclsyntax.TupleConsExpr)
			if all == nil {
				all = &hclsyntax.TupleConsExpr{SrcRange: b.Range(), OpenRange: b.Range()}
				docMember(out, key, all)
			}
			all.Exprs = append(all.Exprs, x)
		} else if err := d.docKeyed(out, b, form); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// docKeyed adds a block that is a member of an object, under the values of its attributes: "Condition{test}=values".
func (d documentOf) docKeyed(out *hclsyntax.ObjectConsExpr, b *hclsyntax.Block, form string) error {
	path, of, _ := strings.Cut(form, "=")
	key, rest, _ := strings.Cut(path, "{")
	twice := func() error {
		what := d.addr + ": two blocks " + b.Type + " set " + key
		return &unsupported{b.Range(), what, "write the value by hand"}
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(rest, "}"), "}{") {
		a := b.Body.Attributes[name]
		value, fixed := "", false
		if a != nil {
			value, fixed = docWord(a.Expr)
		}
		if !fixed {
			what := d.addr + ": " + b.Type + "." + name + " is not a fixed text"
			return &unsupported{b.Range(), what, "write the value by hand"}
		}
		old := docMember(out, key, nil)
		next, nested := old.(*hclsyntax.ObjectConsExpr)
		switch {
		case old != nil && (value == "*" || !nested):
			return twice()
		case value == "*": // Principal "*" is anyone
			docMember(out, key, docText("*", b.Range()))
			return nil
		case old == nil:
			next = &hclsyntax.ObjectConsExpr{SrcRange: b.Range(), OpenRange: b.Range()}
			docMember(out, key, next)
		}
		out, key = next, value
	}
	a := b.Body.Attributes[of]
	if a == nil || docMember(out, key, nil) != nil {
		return twice()
	}
	docMember(out, key, a.Expr)
	return nil
}

// docMember returns the value of a key of an object. With a value it sets the key.
func docMember(o *hclsyntax.ObjectConsExpr, key string, value hclsyntax.Expression) hclsyntax.Expression {
	for _, i := range o.Items {
		if name, _ := docWord(i.KeyExpr); name == key {
			return i.ValueExpr
		}
	}
	if value != nil {
		o.Items = append(o.Items, hclsyntax.ObjectConsItem{
			KeyExpr: &hclsyntax.ObjectConsKeyExpr{Wrapped: docText(key, value.Range())}, ValueExpr: value,
		})
	}
	return value
}

// docText is a constant, as the parser makes it.
func docText(s string, at hcl.Range) hclsyntax.Expression {
	return &hclsyntax.TemplateExpr{
		Parts: []hclsyntax.Expression{&hclsyntax.LiteralValueExpr{Val: cty.StringVal(s), SrcRange: at}}, SrcRange: at,
	}
}

// docWord returns the text of a constant.
func docWord(e hclsyntax.Expression) (string, bool) {
	v, diags := e.Value(nil)
	if diags.HasErrors() || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), true
}
