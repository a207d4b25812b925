package resource

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRecordedAttributesAreComparedWithTheRecord: what the system has does not count, and nothing
// is concluded of what is not recorded.
func TestRecordedAttributesAreComparedWithTheRecord(t *testing.T) {
	t.Parallel()
	kind := Kind{Exact: true, Attrs: []Attribute{{Name: "labels", Type: TMap, Recorded: true}, {Name: "size", Type: TInt}}}
	labels := func(pairs ...string) Attrs {
		m := map[string]Value{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = String(pairs[i+1])
		}
		return AttrsOf(map[string]Value{"labels": AttrsOf(m)})
	}
	for name, c := range map[string]struct {
		desired, observed, applied Attrs
		ignore                     []string
		want                       []string
	}{
		"as recorded, not as observed": {desired: labels("team", "b"), observed: labels("team", "a"), applied: labels("team", "b")},
		"another value":                {desired: labels("team", "b"), observed: labels("team", "a"), applied: labels("team", "a"), want: []string{`labels.team "a" -> "b" in_place`}},
		"another key":                  {desired: labels("x", "1", "y", "2"), observed: labels("x", "1"), applied: labels("x", "1"), want: []string{`labels.y null -> "2" in_place`}},
		"a key less":                   {desired: labels("x", "1"), observed: labels("x", "1", "z", "3"), applied: labels("x", "1", "y", "2"), want: []string{`labels.y "2" -> null in_place`}},
		"an ignored key":               {desired: labels("team", "b"), applied: labels("team", "a"), ignore: []string{"labels.team"}},
		"the first label":              {desired: labels("team", "b"), applied: Attrs{}, want: []string{`labels.team null -> "b" in_place`}},
		"no record":                    {desired: labels("team", "b"), observed: labels("team", "a")},
		"not configured":               {desired: Attrs{}, observed: labels("team", "a"), applied: labels("team", "a")},
	} {
		var got []string
		for _, x := range Diff(c.desired, c.observed, kind, DiffOptions{Applied: c.applied, Ignore: c.ignore}) {
			got = append(got, x.Path+" "+string(AppendJSON(nil, x.From))+" -> "+string(AppendJSON(nil, x.To))+" "+x.Effect.String())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
