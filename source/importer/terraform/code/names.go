package code

import (
	"regexp"
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
