package aws_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/resource"
)

// TestTextsMayBeKnownAfterApply puts a reference, and a text with a reference, into each text of each sample, also
// inside lists and maps: the checks of a kind lose no value that they do not know yet, and refuse it only in words.
func TestTextsMayBeKnownAfterApply(t *testing.T) {
	late := resource.Reference{Ref: ref("ec2", "other"), Path: "private_address"}
	tried := 0
	for _, s := range samples() {
		kind := kindNamed(t, s.Desired.Ref.Kind)
		for _, v := range []resource.Value{late, resource.Text{late, resource.String("/32")}} {
			for path, attrs := range lateTexts(s.Desired.Attrs, kind.Attrs, v) {
				tried++
				out, problems := resource.Check(kind, attrs)
				if len(problems) > 0 && strings.HasSuffix(problems[0].Summary, "must be known before apply") {
					continue
				}
				if len(problems) > 0 {
					t.Errorf("%s.%s: %v", kind.Name, path, problems)
				} else if !strings.Contains(string(resource.AppendJSON(nil, out)), "private_address") {
					t.Errorf("%s.%s: the reference is lost", kind.Name, path)
				}
			}
		}
	}
	if tried < 50 {
		t.Errorf("only %d values", tried)
	}
}

// lateTexts returns the attributes once for each text in them that refers to no kind, with the text replaced.
func lateTexts(attrs resource.Attrs, schema []resource.Attribute, v resource.Value) map[string]resource.Attrs {
	out := map[string]resource.Attrs{}
	for i := range schema {
		a := &schema[i]
		have, set := attrs.Get(a.Name)
		if !set {
			continue
		}
		for path, changed := range lateValues(have, a, v) {
			out[a.Name+path] = attrs.With(a.Name, changed)
		}
	}
	return out
}

func lateValues(have resource.Value, a *resource.Attribute, v resource.Value) map[string]resource.Value {
	out := map[string]resource.Value{}
	switch have := have.(type) {
	case resource.String:
		if a.Type == resource.TString && a.RefKind == "" && !a.Secret {
			out[""] = v
		}
	case resource.List:
		for i := range have {
			if a.Elem == nil {
				break
			}
			for path, changed := range lateValues(have[i], a.Elem, v) {
				list := append(resource.List(nil), have...)
				list[i] = changed
				out["[]"+path] = list
			}
		}
	case resource.Attrs:
		for path, changed := range lateTexts(have, a.Fields, v) {
			out["."+path] = changed
		}
	}
	return out
}
