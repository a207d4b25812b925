package source

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source/terms"
)

// Add checks one resource and adds it. It keeps nothing of the resource's nodes.
func (d *Draft) Add(r *Resource) {
	a := adding{Draft: d, r: r, failed: r.Broken}
	a.run()
	if a.failed {
		d.broken[cmp.Or(r.Name, r.Kind)] = true
		if r.Group != "" {
			d.broken[r.Group] = true
		}
	}
}

// adding is the check of one resource.
type adding struct {
	*Draft
	r      *Resource
	kind   *kind
	failed bool
}

// wrong reports a problem of the resource.
func (a *adding) wrong(at position.Position, summary, suggestion string) {
	a.failed = true
	a.note(Problem{Cause: Validation, At: at, Ref: a.name(), Summary: summary, Suggestion: suggestion})
}

// name is the resource's short name, as far as it is known.
func (a *adding) name() string {
	switch {
	case a.kind == nil:
		return ""
	case a.r.Name == "":
		return a.kind.Name
	}
	return a.kind.Name + "/" + a.r.Name
}

func (a *adding) run() {
	r := a.r
	if a.kind = a.findKind(); a.kind == nil {
		a.failed = true
		return
	}
	if r.Name == "" && !a.failed {
		r.Name = a.kind.Name
	}
	a.opts.tellAdded(r, a.outside)
	if r.NoMembers {
		if a.checkLocation(); !a.failed {
			a.group()
		}
		return
	}
	if r.Lookup != nil {
		a.lookup()
		return
	}
	a.checkName()
	a.checkLocation()
	a.checkIgnore()
	if a.kind.NoTags {
		r.Tags = nil
	}
	if a.kind.NoTags && r.OwnTags {
		a.wrong(r.where("tags"), "resources of kind "+a.kind.Name+" have no tags", "remove tags")
	}
	a.checkState()
	first := len(a.desired)
	attrs, uses, open := a.attributes(nil)
	if a.failed {
		self := resource.Ref{Provider: r.Provider, Location: r.Location, Kind: a.kind.Name, Name: r.Name}
		a.invalid[self] = true
		a.failures = append(a.failures, failure{
			user{self, (&Resource{At: r.At, Where: r.Where}).where},
			uses,
			resource.Desired{Ref: self, Attrs: attrs, Tags: r.Tags, Blessed: r.Blessed, At: r.At, Owner: r.Owner},
			r.Count > 0,
		})
		return
	}
	if n := len(a.desired) + max(r.Count, 1); n > MaxResources {
		if a.failed = true; !a.full { // reported once
			a.wrong(r.At, fmt.Sprintf("the stack has more than %d resources", MaxResources),
				"use smaller counts, or several stacks")
		}
		a.full = true
		return
	}
	a.keep(attrs, uses)
	if open.short {
		a.short[int32(len(a.entries)-1)] = true
	}
	if len(open.maybe) > 0 || open.optional {
		k := kept{first: first, n: len(a.desired) - first, open: open, r: *r}
		k.r.Attrs = r.Attrs.Clone()
		a.unsure = append(a.unsure, k)
	}
}

// findKind finds the schema.
func (a *adding) findKind() *kind {
	r := a.r
	if r.Provider == "" {
		if !a.failed {
			a.wrong(r.At, "no provider is configured", "add provider: "+strings.Join(a.opts.Schemas.Providers(), " or "))
		}
		return nil
	}
	if r.Kind == "" {
		return nil // the source reports it, with its own word for it
	}
	k, err := a.prepared(r.Provider, r.Kind)
	switch {
	case err != nil:
		a.wrong(r.where("type"), err.Error(), "report this error of the provider "+r.Provider)
	case k == nil:
		a.wrong(r.where("type"), fmt.Sprintf("unknown type %s for provider %s", Quote(r.Kind), r.Provider),
			a.suggestKind(r.Kind))
	}
	return k
}

func (a *adding) suggestKind(name string) string {
	var names []string
	for _, k := range a.opts.Schemas.Kinds(a.r.Provider) {
		names = append(names, k.Name)
	}
	if a.opts.Foreign != nil {
		switch kind, partOf := a.opts.Foreign(a.r.Provider, name); {
		case kind != "":
			return "use " + kind
		case partOf != "":
			return "set it in " + partOf + ": see `ovi kinds " + partOf + "`"
		}
	}
	if kind := terms.Kind(name, names); kind != "" {
		return "use " + kind
	}
	if strings.HasPrefix(name, "aws_") {
		return "leave it to the tool that manages it, because ovi has no such kind: see `ovi kinds`"
	}
	return Suggest(name, names)
}

func (a *adding) checkName() {
	r := a.r
	names := []string{r.Name}
	if r.Counted && r.Name != "" {
		names = []string{r.Name + "-0", r.Name + "-" + strconv.Itoa(max(r.Count-1, 0))}
	}
	if a.Prefix != "" && names[0] != "" {
		names = append(names, a.Prefix+names[len(names)-1])
	}
	for _, name := range names {
		if name == "" {
			return
		}
		if problems := a.kind.checker.CheckName(name); len(problems) > 0 {
			a.wrong(r.where("name"), problems[0].Summary,
				cmp.Or(problems[0].Suggestion, "use letters, digits, '.', '_' and '-'"))
			return
		}
	}
}

// locationForm is what any location looks like: it is part of a ref.
var locationForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@/#-]{0,99}$`)

// checkLocation checks the location, or fills in the provider's default.
func (a *adding) checkLocation() {
	r := a.r
	rule := &a.kind.location
	switch scope := (resource.Scope{Provider: r.Provider, Location: r.Location}); {
	case scope == a.fitting:
	case r.Location != "":
		if !a.locationFits(*rule, r.Location) {
			a.wrong(r.where("location"), fmt.Sprintf("invalid %s %s", rule.Word, Quote(r.Location)),
				forExample(rule.Word, rule.Example))
			r.Location = ""
			return
		}
		a.fitting = scope
	case rule.Default != "":
		r.Location = rule.Default
	case rule.Required:
		if !a.failed {
			a.wrong(r.At, "no "+rule.Word+" is configured", "add "+rule.Word+": "+cmp.Or(rule.Example, "NAME"))
		}
	default:
		r.Location = DefaultLocation
	}
}

// locationFits checks a location by its rule. A pattern that is invalid matches nothing.
func (d *Draft) locationFits(rule LocationRule, location string) bool {
	if !locationForm.MatchString(location) {
		return false
	}
	if rule.Pattern == "" {
		return true
	}
	form, known := d.forms[rule.Pattern]
	if !known {
		form, _ = regexp.Compile(`\A(?:` + rule.Pattern + `)\z`)
		if d.forms == nil {
			d.forms = map[string]*regexp.Regexp{}
		}
		d.forms[rule.Pattern] = form
	}
	return form != nil && form.MatchString(location)
}

// checkState checks the state, which not all kinds have.
func (a *adding) checkState() {
	switch s := a.r.State; {
	case s == "":
	case a.kind.State == "":
		a.wrong(a.r.where("state"), "resources of kind "+a.kind.Name+" have no state", "remove state")
	case s != resource.StateRunning && s != resource.StateStopped:
		a.wrong(a.r.where("state"), "unknown state "+Quote(string(s)), "use running or stopped")
	}
}

func (a *adding) checkIgnore() {
	for i, p := range a.r.Ignore {
		if summary, suggestion := a.CheckIgnore(p, a.r.Provider, a.kind.Name); summary != "" {
			a.wrong(a.r.where("ignore["+strconv.Itoa(i)+"]"), summary, suggestion)
		}
	}
}

// group adds the members of a resource to its group.
func (a *adding) group() {
	r := a.r
	if r.Group == "" && len(r.Units) == 0 {
		return
	}
	ref := resource.Ref{Provider: r.Provider, Location: r.Location, Kind: a.kind.Name, Name: r.Name}
	var refs []resource.Ref
	switch one := ref; {
	case r.NoMembers:
	case r.Counted:
		for i := range r.members {
			one.Name = r.Name + "-" + strconv.Itoa(i)
			refs = append(refs, one)
		}
	default:
		refs = []resource.Ref{one}
	}
	if a.groups == nil {
		a.groups = groups{}
	}
	a.groups.join(r.Units, ref, refs)
	if ref.Name = r.Group; r.Group == "" {
		return
	}
	if a.groups[ref] == nil {
		a.groups[ref] = &members{at: r.At}
	}
	g := a.groups[ref]
	if g.at != r.At {
		a.wrong(r.where("name"), fmt.Sprintf("duplicate name %s of a group", Quote(r.Group)),
			"rename one of them; the other is at "+g.at.String())
		return
	}
	g.refs = append(g.refs, refs...)
}

// keep adds what the resource declares.
func (a *adding) keep(attrs resource.Attrs, uses []use) {
	r := a.r
	e := int32(len(a.entries))
	want := resource.Desired{
		Ref:   resource.Ref{Provider: r.Provider, Location: r.Location, Kind: a.kind.Name, Name: r.Name},
		Attrs: attrs, Tags: r.Tags, Blessed: r.Blessed, Ignore: r.Ignore, At: r.At,
		Owner: r.Owner, Replace: r.Replace, State: r.State, Defaulted: a.kind.defaulted(r),
	}
	if want.State == "" {
		want.State = a.kind.State
	}
	a.group()
	a.entries = append(a.entries, entry{r.At, r.Where})
	if r.Was != "" {
		if a.formers == nil {
			a.formers = map[int32]formerName{}
		}
		a.formers[e] = formerName{r.Was, r.Name}
	}
	add := func(name string) {
		want.Ref.Name = name
		a.desired, a.Draft.uses, a.from = append(a.desired, want), append(a.Draft.uses, uses), append(a.from, e)
	}
	if r.Counted {
		first, again := a.counted[want.Ref]
		if again && (r.Index < 2 || a.entries[first.entry].at != r.At) {
			a.wrong(r.where("name"), fmt.Sprintf("duplicate name %s with a count", Quote(r.Name)),
				"rename one of them; the other is at "+a.entries[first.entry].at.String())
			return
		}
		if !again {
			a.counted[want.Ref] = group{r.Count, e}
		}
	}
	a.scopes[want.Ref.Scope()] = true
	if r.Count > 1 || r.Block != "" {
		want.Set = &resource.Set{Name: cmp.Or(r.Block, r.Name), MaxUnavailable: r.MaxUnavailable}
	}
	if !r.Counted {
		add(want.Ref.Name)
		return
	}
	for i := range r.members {
		add(r.Name + "-" + strconv.Itoa(i))
	}
}
