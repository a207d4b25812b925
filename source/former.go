package source

import (
	"cmp"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// nameForms tells how a name is written.
const nameForms = "use KIND/NAME or PROVIDER/LOCATION/KIND/NAME"

// former resolves the former names of a draft.
type former struct{ *Draft }

// refOf returns the ref of a name, or the reason why it is invalid.
func (d former) refOf(n ResourceName) (r resource.Ref, summary, suggestion string) {
	stack, rest, has := resource.CutStack(n.Text)
	whole, err := resource.ParseRef(rest)
	parts := strings.Split(rest, "/")
	switch {
	case has && stack == "":
		return r, "invalid name " + Quote(n.Text), nameForms
	case err == nil:
		r = whole
	case len(parts) == 2 && parts[0] != "" && parts[1] != "":
		r = resource.Ref{Provider: n.Provider, Location: n.Location, Kind: parts[0], Name: parts[1]}
	default:
		return r, "invalid name " + Quote(n.Text), nameForms
	}
	r.Stack = stack
	rule := d.opts.LocationOf(r.Provider)
	k, err := d.prepared(r.Provider, r.Kind)
	switch {
	case r.Provider == "" || d.opts.Schemas.Kinds(r.Provider) == nil:
		return r, "unknown provider " + Quote(r.Provider) + " in " + Quote(n.Text), nameForms
	case err != nil:
		return r, err.Error(), "report this error of the provider " + r.Provider
	case k == nil:
		var names []string
		for _, k := range d.opts.Schemas.Kinds(r.Provider) {
			names = append(names, k.Name)
		}
		return r, "unknown type " + Quote(r.Kind) + " in " + Quote(n.Text), Suggest(r.Kind, names)
	case r.Location == "" && rule.Default == "" && rule.Required:
		return r, "no " + rule.Word + " is configured for " + Quote(n.Text), "use PROVIDER/LOCATION/KIND/NAME"
	case r.Location == "":
		r.Location = cmp.Or(rule.Default, DefaultLocation)
	}
	return r, "", ""
}

// set sets the former names that resources declare themselves. The members of a count were members of one.
func (d former) set() {
	for i := range d.desired {
		f, is := d.formers[d.from[i]]
		if !is {
			continue
		}
		w := &d.desired[i]
		was, summary, suggestion := d.refOf(f.on(w.Ref))
		if of := strings.TrimPrefix(w.Ref.Name, f.of); summary == "" {
			was.Name += of
		}
		if was == w.Ref {
			summary, suggestion = "was is the name of the resource itself", "use its former name, or remove was"
		}
		if w.Was = was; summary == "" {
			continue
		}
		w.Was, d.invalid[w.Ref] = resource.Ref{}, true
		if i == 0 || d.from[i-1] != d.from[i] {
			d.note(Problem{
				Cause: Validation, At: d.where(i, "was"), Ref: w.Ref.Short(), Summary: summary, Suggestion: suggestion,
			})
		}
	}
}

// moves returns the renames that the source declares apart from the resources. Two names with a count are of all their
// members.
func (d former) moves() (out []resource.Move) {
	units, moved := unitMoves(d.Draft)
	for _, m := range moved {
		from, okFrom := d.declared(m.From)
		to, okTo := d.declared(m.To)
		part := ""
		if d.Part != nil {
			part = d.Part(m.From.At)
		}
		switch {
		case !okFrom || !okTo:
		case from == to:
			d.note(Problem{
				At: m.To.At, Ref: from.Short(), Summary: "the two names of an entry of moved are the same",
				Suggestion: "use the former name in from, or remove the entry",
			})
		case len(membersOf(d.Draft, to)) > 0:
			for _, of := range membersOf(d.Draft, to) {
				a, b := from, to
				a.Name, b.Name = a.Name+of, b.Name+of
				out = append(out, resource.Move{From: a, To: b, Part: part, At: m.From.At})
			}
		default:
			out = append(out, resource.Move{From: from, To: to, Part: part, At: m.From.At})
		}
	}
	return spreadMoves(d.Draft, units, out)
}

// removals returns the resources that the source declares to be no longer configured, and reports names that it uses.
func (d former) removals(moved []resource.Move) (out []resource.Move) {
	for _, x := range d.Removed {
		ref, ok := d.declared(x.Ref)
		if !ok {
			continue
		}
		part := ""
		if d.Part != nil {
			part = d.Part(x.Ref.At)
		}
		if at, how := d.usedAt(ref, moved); how != "" {
			d.note(Problem{
				At: x.Ref.At, Others: []position.Position{at}, Ref: ref.Short(),
				Summary:    ref.Short() + " is in removed, and is " + how,
				Suggestion: "remove one of them; the other is at " + at.String(),
			})
			continue
		}
		if x.Keep { // a resource without an entry is deleted
			out = append(out, resource.Move{From: ref, Part: part, At: x.Ref.At})
		}
	}
	return out
}

// usedAt returns where the source configures or renames a resource, and how.
func (d former) usedAt(ref resource.Ref, moved []resource.Move) (at position.Position, how string) {
	if g, is := d.counted[ref]; is && g.count > 0 {
		return d.entries[g.entry].at, "configured"
	}
	for i := range d.desired {
		switch w := &d.desired[i]; ref {
		case w.Ref:
			return w.At, "configured"
		case w.Was:
			return d.where(i, "was"), "the former name of " + w.Ref.Short()
		}
	}
	for i := range d.failures {
		if w := &d.failures[i].desired; w.Ref == ref {
			return w.At, "configured"
		}
	}
	for _, m := range moved {
		if m.From == ref {
			return m.At, "the former name of " + m.To.Short()
		}
	}
	return at, ""
}

// declared returns the ref of a name, or reports why it is invalid. A name of the draft's stack has no stack yet.
func (d former) declared(n ResourceName) (resource.Ref, bool) {
	r, summary, suggestion := d.refOf(n)
	if summary != "" {
		d.note(Problem{At: n.At, Summary: summary, Suggestion: suggestion})
		return r, false
	}
	if r.Stack == d.Stack {
		r.Stack = ""
	}
	return r, true
}

// nameFormer adds the stack to former names that are not of another stack.
func nameFormer(d *Draft, in *resource.Intent) {
	rename := func(r resource.Ref) resource.Ref {
		if r.IsZero() || r.Stack != "" && r.Stack != d.Stack {
			return r
		}
		return d.rename(r)
	}
	for i := range in.Resources {
		if w := &in.Resources[i]; !w.Was.IsZero() {
			w.Was = rename(w.Was)
		}
	}
	for i := range in.Moved {
		in.Moved[i].From, in.Moved[i].To = rename(in.Moved[i].From), rename(in.Moved[i].To)
	}
	for i := range in.Removed {
		in.Removed[i].From = rename(in.Removed[i].From)
	}
}
