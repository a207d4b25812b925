package code

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Most labels of Terraform have underscores, which the names of some kinds, such as s3, do not allow. Such a label gets
// hyphens and lower case, unless another resource of the kind has that name.

// accepts reports whether a kind allows a name. An expression in the name is not checked.
func accepts(k *resource.Kind, name string) bool {
	if k.NamePattern == "" || strings.Contains(name, "${") {
		return true
	}
	is, err := regexp.MatchString(`\A(?:`+k.NamePattern+`)\z`, name)
	return is || err != nil
}

// hyphenated is a label with hyphens and lower case.
func hyphenated(label string) string { return strings.ToLower(strings.ReplaceAll(label, "_", "-")) }

// allowed is the name that a label becomes: itself, if the kind allows it or allows neither.
func allowed(k *resource.Kind, label string) string {
	if name := hyphenated(label); !accepts(k, label) && accepts(k, name) {
		return name
	}
	return label
}

// rename changes the name of a resource, which is its label, to one that its kind allows.
func rename(m *module, r *res) {
	if r.known.Kind == "" {
		return
	}
	name := allowed(&r.kind, r.group)
	if !slices.ContainsFunc(m.order, func(x *res) bool { return x.known.Kind == r.known.Kind && x.group == name }) {
		r.group = name
	}
}

// renameUse changes the name of the block of a local module, with which the names of the resources in it begin.
func renameUse(m *module, u *use) {
	name := hyphenated(u.group)
	taken := slices.ContainsFunc(m.useOrder, func(x *use) bool { return x.group == name })
	if !taken && refused(u.child.module, name+"-") < refused(u.child.module, u.group+"-") {
		u.group = name
	}
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
