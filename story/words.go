package story

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// ago is a length of time in one unit.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func done(a decider.Action) string {
	switch a {
	case decider.Create:
		return "created"
	case decider.Update:
		return "updated"
	case decider.Replace:
		return "replaced"
	case decider.Restart:
		return "updated, with a restart"
	case decider.Delete:
		return "deleted"
	}
	return string(a)
}

// half says which half of a replace.
func half(h string) string {
	switch h {
	case ledger.HalfDelete:
		return " (the old one taken away)"
	case ledger.HalfCreate:
		return " (the new one made)"
	}
	return ""
}

func reason(r decider.Reason, detail string) string {
	if detail != "" {
		return detail
	}
	return strings.ReplaceAll(string(r), "_", " ")
}

// decided says what was decided, with what holds it back.
func (t Teller) decided(d ledger.Decision) string {
	text := "to " + string(d.Proposed) + " it: " + reason(d.Reason, d.Detail)
	if d.Proposed == decider.Notify {
		text = "nothing to be done: " + reason(d.Reason, d.Detail)
	}
	if d.Action != d.Proposed && len(d.Vetoes) > 0 {
		text += "; held back by " + vetoes(d.Vetoes)
	}
	return text
}

func vetoes(all []decider.Veto) string {
	parts := make([]string, len(all))
	for i, v := range all {
		parts[i] = "policy " + v.Policy + ": " + v.Reason
		if v.Until != nil {
			parts[i] += " (until " + stamp(*v.Until) + ")"
		}
	}
	return strings.Join(parts, "; ")
}

// changes lists what differed, old and new; of a thing to be made only that it is new.
func (t Teller) changes(d ledger.Decision) string {
	if d.Difference == "missing" {
		return ""
	}
	parts := make([]string, 0, len(d.Changes))
	for _, c := range d.Changes {
		parts = append(parts, c.Path+" "+t.Value(c.From)+" → "+t.Value(c.To))
	}
	return strings.Join(parts, ", ")
}

// between lists what is different between two looks at one thing.
func (t Teller) between(a, b resource.Observed) string {
	var out []string
	if a.ID != b.ID {
		out = append(out, "id "+a.ID+" → "+b.ID)
	}
	if a.Health != b.Health {
		out = append(out, fmt.Sprintf("health %s → %s", a.Health, b.Health))
	}
	for _, path := range paths(a, b) {
		was, is := at(a, path), at(b, path)
		if !same(was, is) {
			out = append(out, path+" "+t.Value(was)+" → "+t.Value(is))
		}
	}
	if a.Managed != b.Managed {
		out = append(out, map[bool]string{true: "ovi's marks put on", false: "ovi's marks taken off"}[b.Managed])
	}
	return strings.Join(out, ", ")
}

// paths are the attributes and tags of either look.
func paths(a, b resource.Observed) []string {
	var out []string
	for _, o := range []resource.Observed{a, b} {
		for _, x := range o.Attrs {
			out = append(out, x.Name)
		}
		for _, x := range o.Tags {
			out = append(out, "tags."+x.Key)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// at is the value of a thing at a path; nil if it has none.
func at(o resource.Observed, path string) resource.Value {
	return valueAt(o.Attrs, o.Tags, path)
}

func valueAt(attrs resource.Attrs, tags resource.Tags, path string) resource.Value {
	if key, ok := strings.CutPrefix(path, "tags."); ok {
		if v, ok := tags.Get(key); ok {
			return resource.String(v)
		}
		return nil
	}
	var v resource.Value = attrs
	for name := range strings.SplitSeq(path, ".") {
		inner, ok := v.(resource.Attrs)
		if !ok {
			return nil
		}
		if v, ok = inner.Get(name); !ok {
			return nil
		}
	}
	return v
}

// same compares what may be absent.
func same(a, b resource.Value) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return resource.Equal(a, b)
}
