package resource_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

const account = `[0-9]{12}`

func TestGroupedValuesAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]resource.Grouped{
		"":                                 {},
		"prod":                             {"": "prod"},
		"a,b":                              {"": "a,b"},
		"123=a":                            {"": "123=a"},
		"111111111111=a":                   {"111111111111": "a"},
		"p, 111111111111=a,222222222222=b": {"": "p", "111111111111": "a", "222222222222": "b"},
		"111111111111=a,b,222222222222=c=": {"111111111111": "a,b", "222222222222": "c="},
		"111111111111=a,111111111111=b":    {"111111111111": "a"},
		"p,111111111111=":                  {"": "p"},
	} {
		if diff := cmp.Diff(want, resource.ParseGrouped(text, account)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	g := resource.ParseGrouped("p,111111111111=a", account)
	g.Or(resource.ParseGrouped("q,111111111111=b,222222222222=c", account))
	if g.String() != "p,111111111111=a,222222222222=c" || g.For("222222222222") != "c" || g.For("333333333333") != "p" {
		t.Errorf("%s", g)
	}
}

// A plan file has the text and not the values.
func TestGroupedValuesAreReadBack(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		groups := rapid.OneOf(rapid.Just(""), rapid.StringMatching(account))
		want := resource.Grouped(rapid.MapOf(groups, rapid.StringMatching(`[a-z/:][a-z=,/:]*[a-z=/:]`)).Draw(t, "values"))
		if diff := cmp.Diff(want, resource.ParseGrouped(want.String(), account)); diff != "" {
			t.Error(diff)
		}
	})
}
