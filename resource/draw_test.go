package resource_test

import (
	"math"
	"time"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/resource"
)

var names = rapid.SampledFrom([]string{"a", "b", "size", "net work", "$ref", "$digest", "$text", "path", "$$", "ä\"\\\n", ""})

// drawValue draws any value that can be recorded; depth bounds how deep it nests.
func drawValue(t *rapid.T, depth int) resource.Value {
	most := 6
	if depth > 0 {
		most = 8
	}
	switch rapid.IntRange(0, most).Draw(t, "type") {
	case 0:
		return resource.Bool(rapid.Bool().Draw(t, "bool"))
	case 1:
		return resource.Int(rapid.Int64().Draw(t, "int"))
	case 2:
		f := rapid.Float64().Draw(t, "float")
		if math.IsNaN(f) || math.IsInf(f, 0) {
			f = 0.5
		}
		return resource.Float(f)
	case 3:
		return resource.String(rapid.String().Draw(t, "string"))
	case 4:
		return resource.Digest(rapid.String().Draw(t, "digest"))
	case 5:
		return drawReference(t)
	case 6:
		x := resource.Text{}
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			x = append(x, rapid.SampledFrom([]resource.Value{resource.String("a b"), resource.Digest("c"), drawReference(t)}).Draw(t, "part"))
		}
		return x
	case 7:
		l := resource.List{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			l = append(l, drawValue(t, depth-1))
		}
		return l
	default:
		return drawAttrs(t, depth-1)
	}
}

func drawAttrs(t *rapid.T, depth int) resource.Attrs {
	m := map[string]resource.Value{}
	for range rapid.IntRange(0, 4).Draw(t, "attributes") {
		m[names.Draw(t, "name")] = drawValue(t, depth)
	}
	return resource.AttrsOf(m)
}

func drawReference(t *rapid.T) resource.Reference {
	return resource.Reference{Ref: drawRef(t), Path: rapid.SampledFrom([]string{"", "endpoint", "tags.a b"}).Draw(t, "path")}
}

func drawRef(t *rapid.T) resource.Ref {
	part := rapid.StringMatching(`[a-z][a-z0-9 ."-]{0,6}`)
	location := rapid.StringMatching(`[a-z0-9]{1,4}(/[a-z0-9]{1,4}){0,2}`)
	stack := rapid.StringMatching(`([a-zA-Z0-9 ._/:%-]{1,6})?`)
	return resource.Ref{Stack: stack.Draw(t, "stack"), Provider: part.Draw(t, "provider"), Location: location.Draw(t, "location"), Kind: part.Draw(t, "kind"), Name: part.Draw(t, "name")}
}

func drawObserved(t *rapid.T) resource.Observed {
	text := rapid.SampledFrom([]string{"", "x", "line\nbreak \"quoted\"", "日本"})
	o := resource.Observed{
		Ref: drawRef(t), ID: text.Draw(t, "id"), UID: text.Draw(t, "uid"), Natural: text.Draw(t, "natural"), Attested: rapid.Bool().Draw(t, "attested"),
		Ownership: rapid.SampledFrom([]resource.Ownership{"", resource.Proven, resource.Copied}).Draw(t, "ownership"),
		Role:      resource.Role(text.Draw(t, "role")), OwnedBy: text.Draw(t, "owned by"),
		Condition: resource.Condition(text.Draw(t, "condition")), Health: resource.Healthy, Message: text.Draw(t, "message"), Attrs: drawAttrs(t, 2),
	}
	if rapid.Bool().Draw(t, "has a last request") {
		o.Last = &resource.Request{
			Key: text.Draw(t, "request"), Desired: text.Draw(t, "digest"), State: resource.RequestState(text.Draw(t, "state")),
			Cause: text.Draw(t, "cause"), Text: text.Draw(t, "error"),
		}
		if rapid.Bool().Draw(t, "has a time") {
			o.Last.At = time.Unix(1e9, 5).UTC()
		}
	}
	if rapid.Bool().Draw(t, "has marks") {
		o.Marks = resource.Marks{
			Ref: drawRef(t), Owner: text.Draw(t, "owner"), Key: text.Draw(t, "key"),
			Blessed: rapid.Bool().Draw(t, "blessed"), Stack: text.Draw(t, "stack"), Text: text.Draw(t, "loose ref"), Unmanaged: rapid.Bool().Draw(t, "unmanaged"),
		}
	}
	if rapid.Bool().Draw(t, "has time") {
		o.Since = time.Unix(rapid.Int64Range(1, 1<<33).Draw(t, "since"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
	}
	tags := map[string]string{}
	for range rapid.IntRange(0, 3).Draw(t, "tags") {
		tags[names.Draw(t, "key")] = text.Draw(t, "value")
	}
	o.Tags = resource.TagsOf(tags)
	return o
}
