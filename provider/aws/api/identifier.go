package api

import (
	"regexp"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Identifier is the attribute with the name of a resource in AWS, in the kinds that AWS knows by a name. Kinds whose
// names in AWS have other characters than the names of resources have an attribute of their own for it.
const Identifier = "identifier"

// IdentifierAttr returns the attribute Identifier, for names of a pattern.
func IdentifierAttr(pattern string) resource.Attribute {
	return resource.Attribute{
		Name: Identifier, Type: resource.TString, Effect: resource.Replace, Pattern: pattern, Example: "prod-orders",
		Doc: "Its name in AWS, if it differs from the resource's. `options.identifier` sets it for all resources of a stack.",
	}
}

// SuffixedIdentifierAttr is IdentifierAttr for a kind whose new resource, if it is created before the old one is
// deleted, has a suffix behind its name.
func SuffixedIdentifierAttr(pattern string) resource.Attribute {
	a := IdentifierAttr(pattern)
	a.Fits = fitsWithSuffix
	return a
}

// besideSuffix is the suffix that byName.make of the package balance adds to a name.
var besideSuffix = regexp.MustCompile(`^-[0-9a-f]{8}$`)

// fitsWithSuffix accepts the name of a resource that was created while its predecessor had the
// name. Such a name is cut before the suffix, so only its beginning is compared.
func fitsWithSuffix(desired, observed resource.Value) resource.Fit {
	want, _ := desired.(resource.String)
	have, _ := observed.(resource.String)
	cut := len(have) - len("-12345678")
	if cut > 0 && strings.HasPrefix(string(want), string(have[:cut])) && besideSuffix.MatchString(string(have[cut:])) {
		return resource.Equivalent
	}
	return resource.Differs
}

// Named returns the name of a resource in AWS: its identifier or, without one, its own name.
func Named(d *resource.Desired) string { return NameOr(d.Attrs, Identifier, d.Ref) }

// NamedAt returns the name of a resource in AWS, and the key of the configuration that sets it.
func NamedAt(d *resource.Desired) (name, key string) {
	if s, ok := Text(d.Attrs, Identifier); ok && s != "" {
		return s, Identifier
	}
	return d.Ref.Name, "name"
}

// IdentifyNamed does Identify for a kind that has an Identifier. The attributes of the resource are set before.
func (g *Region) IdentifyNamed(o *resource.Observed, kind, name string, tags map[string]string) {
	o.Attrs = o.Attrs.With(Identifier, resource.String(name))
	g.Identify(o, kind, name, tags)
}
