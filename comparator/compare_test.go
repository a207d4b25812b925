package comparator_test

import (
	"github.com/ovi-project/ovi/resource"
)

func kindLookup(provider, kind string) (resource.Kind, bool) {
	var attrs []resource.Attribute
	switch kind {
	case "network":
		attrs = []resource.Attribute{{Name: "range", Type: resource.TString, Effect: resource.Replace}}
	case "server":
		attrs = []resource.Attribute{
			{Name: "network", Type: resource.TString, RefKind: "network", Effect: resource.Replace},
			{Name: "peer", Type: resource.TString, RefKind: "server"},
			{Name: "script", Type: resource.TString, WriteOnly: true},
			{Name: "size", Type: resource.TString},
		}
	default:
		return resource.Kind{}, false
	}
	return resource.Kind{Provider: provider, Name: kind, Attrs: attrs}, provider == "fake"
}
