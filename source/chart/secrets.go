package chart

import (
	"encoding/base64"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// hide keeps the values of a secret out of all messages, whatever is wrong with it.
func (m *manifest) hide() {
	if m.kind.Name != kindSecret {
		return
	}
	spec := m.n.Get("spec")
	for i := 0; spec != nil && spec.Shape == source.Object && i+1 < len(spec.Kids); i += 2 {
		if key := spec.Kids[i].Text; key != "type" && key != "envFile" {
			m.hideAll(&spec.Kids[i+1])
		}
	}
}

func (m *manifest) hideAll(n *source.Node) {
	if n.Shape == source.Scalar && n.Type != source.Null && !source.HasParts(n.Text) {
		m.Draft.Outside(n.Text, "(secret)")
	}
	for i := range n.Kids {
		if n.Shape == source.List || i%2 == 1 {
			m.hideAll(&n.Kids[i])
		}
	}
}

// secretData decodes the values of data.
func (m *manifest) secretData(spec, _, n *source.Node) {
	out := n.Clone()
	if n.Shape != source.Object {
		m.wrong(n, "spec.data must be keys with values", "for example, data: {password: cGFzc3dvcmQ=}")
		out.Bad = true
	}
	for i := 0; n.Shape == source.Object && i+1 < len(out.Kids); i += 2 {
		key, v := &out.Kids[i], &out.Kids[i+1]
		plain := "use the output of `base64`, or stringData: {" + key.Text + ": …} for plain text"
		switch b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(v.Text), "")); {
		case v.Shape != source.Scalar || v.IsNull() || v.Text == "":
			m.wrong(v, "spec.data."+key.Text+" has no value", plain)
			v.Bad = true
		case source.HasParts(v.Text):
			m.wrong(v, "spec.data."+key.Text+" must be base64, and ${…} is not", "use stringData: {"+key.Text+": …} for it")
			v.Bad = true
		case err != nil:
			m.wrong(v, "spec.data."+key.Text+" is not base64", plain)
			v.Bad = true
		default:
			m.seal(v, string(b))
		}
	}
	put(spec, "data", &out)
}

// seal makes a value a secret.
func (m *manifest) seal(v *source.Node, plain string) {
	m.Draft.Outside(plain, "(secret)")
	v.Text, v.Type, v.Quoted = "(secret)", source.String, true
	v.Parts = &source.Parts{{Text: plain, From: "(secret)"}}
}

// secretText adds the plain values of stringData to data.
func (m *manifest) secretText(spec, _, n *source.Node) {
	put(spec, "stringData", nil)
	data := source.Node{Shape: source.Object, Line: n.Line, Column: n.Column, File: n.File}
	if have := spec.Get("data"); have != nil {
		data = have.Clone()
	}
	if n.Shape != source.Object {
		m.wrong(n, "spec.stringData must be keys with values", "for example, stringData: {password: \"${env:DB_PASSWORD}\"}")
		data.Bad = true
	}
	for i := 0; n.Shape == source.Object && data.Shape == source.Object && i+1 < len(n.Kids); i += 2 {
		key, v := n.Kids[i], n.Kids[i+1].Clone()
		switch {
		case data.Get(key.Text) != nil:
			m.wrong(&key, "duplicate key "+source.Quote(key.Text)+" in spec.stringData",
				"remove it from data or from stringData")
			continue
		case v.Shape != source.Scalar || v.IsNull() || v.Text == "":
			m.wrong(&v, "spec.stringData."+key.Text+" has no value", "add one, or remove the key")
			v.Bad = true
		case !strings.Contains(strings.ReplaceAll(v.Text, "$${", ""), "${"): // $${ is a literal ${
			m.seal(&v, strings.ReplaceAll(v.Text, "$${", "${"))
		}
		data.Kids = append(data.Kids, key, v)
	}
	put(spec, "data", &data)
}

// needData reports a secret without values.
func (m *manifest) needData(spec *source.Node) {
	data := spec.Get("data")
	if data != nil && (data.Bad || len(data.Kids) > 0) {
		return
	}
	m.wrong(spec, "the secret has no values",
		"for example, data: {password: cGFzc3dvcmQ=}, or stringData: {password: \"${env:DB_PASSWORD}\"}")
	put(spec, "data", &source.Node{Shape: source.Object, Bad: true})
}
