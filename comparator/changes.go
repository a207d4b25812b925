package comparator

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// whole lists the required changes, even of a resource that is not whole. If only a replacement makes it
// whole, no other change counts, because nothing in it can be changed.
func (c *comparison) whole(s *side, w *resource.Desired, o *resource.Observed) []resource.Change {
	k := c.kind(w)
	if k == nil || o.Role != "" { // in a replacement in progress its steps decide
		return c.changes(s, w, o)
	}
	change, differs := k.MakeWhole(o)
	switch {
	case !differs:
		return c.changes(s, w, o)
	case change.Effect == resource.Replace:
		return []resource.Change{change}
	}
	out := append(c.changes(s, w, o), change)
	resource.SortChanges(out)
	return out
}

// changes lists the changes that make the observed resource match its configuration. It calls Applied only
// where the result could depend on it.
func (c *comparison) changes(s *side, w *resource.Desired, o *resource.Observed) []resource.Change {
	k := c.kind(w)
	if k == nil {
		return nil
	}
	if k.Carrier == resource.Anytime && c.otherOwner(w, o) {
		return c.marks(s, w, o)
	}
	opt := c.opt // its functions are allocated once, not for each resource
	opt.Ignore, opt.Ref = s.ignored(w), w.Ref
	if (len(w.Defaulted) > 0 || k.Exact) && o.Adopted {
		// what the file does not mention stays as found
		opt.Adopted, opt.Ignore = true, slices.Concat(opt.Ignore, w.Defaulted)
	}
	sameTags := k.NoTags || w.Tags.Equal(o.Tags)
	var applied Applied
	if c.in.Applied != nil && (!sameTags || mentions(w.Attrs, k.writeOnly) || mentions(w.Attrs, k.recorded)) {
		applied = c.withApplied(k, w, &opt)
	}
	c.keep(k, w, o)
	out := resource.Diff(w.Attrs, o.Attrs, k.Kind, opt)
	if k.EffectOf != nil {
		for i := range out {
			out[i].Effect = max(out[i].Effect, k.EffectOf(*o, out[i]))
		}
	}
	for i := range out {
		if out[i].Effect != resource.Replace && c.parents.moves(k.Attrs, w.Ref.Scope(), &out[i]) {
			out[i].Effect = resource.Replace
		}
	}
	if c.in.MustReplace != nil && len(out) > 0 {
		paths := c.in.MustReplace(w, o)
		for i := range out {
			if x := &out[i]; x.On == resource.OnAttribute && slices.Contains(paths, x.Path) && x.Effect != resource.Replace {
				x.Effect, x.Note = resource.Replace, "the provider cannot change it in place"
			}
		}
	}
	if change, differs := c.state(k, w, o); differs && !rules.MatchPath(opt.Ignore, resource.StatePath) {
		if k.EffectOf != nil {
			change.Effect = max(change.Effect, k.EffectOf(*o, change))
		}
		out = append(out, change)
	}
	if k.Renames && o.Natural != "" && o.Role == "" { // in a replacement in progress its steps rename
		out = append(out, resource.Change{
			On: resource.OnName, Path: "name", From: resource.String(o.Natural),
			To: resource.String(o.Ref.Name),
		})
	}
	if !sameTags {
		out = append(out, resource.DiffTags(w.Tags, o.Tags, applied.Tags, opt.Ignore)...)
	}
	if c.in.Ignores != nil && len(out) > 0 {
		out = slices.DeleteFunc(out, func(x resource.Change) bool {
			return !x.KnownAfterApply &&
				c.in.Ignores(s.stack, w.Ref.Kind, x)
		})
	}
	if k.Carrier == resource.Anytime {
		out = append(out, c.marks(s, w, o)...)
	}
	if len(out) > 1 {
		resource.SortChanges(out)
	}
	return out
}

// withApplied adds to the options what was last applied, where the record has it.
func (c *comparison) withApplied(k *kindInfo, w *resource.Desired, opt *resource.DiffOptions) Applied {
	applied, known := c.in.Applied(w.Ref)
	if !known {
		if c.replaced == nil {
			c.unverify(w, k.writeOnly, opt.Ignore)
		}
		return applied
	}
	opt.Applied = applied.Attrs
	if applied.Recovered {
		// The creation has no recorded result. If it created the resource, it has set all but the attributes that
		// other calls set.
		for i := range k.Attrs {
			if k.Attrs[i].AfterCreate {
				opt.Applied = opt.Applied.Without(k.Attrs[i].Name)
			}
		}
	}
	if opt.Applied == nil {
		opt.Applied = resource.Attrs{} // known to be empty
	}
	if c.replaced == nil && len(applied.Unverified) > 0 {
		c.unverify(w, applied.Unverified, opt.Ignore)
	}
	if c.replaced == nil && !applied.Recovered {
		c.configuredSince(k, w, applied, opt.Ignore)
	}
	for _, name := range applied.Unverified {
		if _, recorded := applied.Attrs.Get(name); !recorded { // nothing to compare with
			opt.Ignore = append(slices.Clip(opt.Ignore), name)
		}
	}
	return applied
}

// configuredSince records the attributes that were added to the configuration after the resource was created, cannot be
// read back, and are set by a creation alone.
func (c *comparison) configuredSince(k *kindInfo, w *resource.Desired, applied Applied, ignore []string) {
	var paths []string
	for i := range k.Attrs {
		a := &k.Attrs[i]
		_, configured := w.Attrs.Get(a.Name)
		_, recorded := applied.Attrs.Get(a.Name)
		if a.WriteOnly && a.Effect == resource.Replace && a.Default == nil && a.CreateDefault == nil &&
			configured && !recorded && !slices.Contains(applied.Unverified, a.Name) && !rules.MatchPath(ignore, a.Name) {
			paths = append(paths, a.Name)
		}
	}
	if len(paths) > 0 {
		c.unverified = append(c.unverified, Unverified{Ref: w.Ref, Paths: paths, Since: true})
	}
}

// advice tells an operator how to end the failing state of a resource, if no action does.
func advice(k *kindInfo, o *resource.Observed) string {
	if k == nil || k.Advice == nil || o.Health != resource.Failing || o.Role != "" {
		return ""
	}
	return k.Advice(*o)
}

// state returns the change that makes a resource run, or stop, as configured. In a replacement in
// progress its steps do that.
func (c *comparison) state(k *kindInfo, w *resource.Desired, o *resource.Observed) (resource.Change, bool) {
	if k.State == "" || w.State == "" || o.Role != "" {
		return resource.Change{}, false
	}
	if advice(k, o) != "" {
		return resource.Change{}, false
	}
	starting := o.Health == resource.Pending && (c.in.Starting == nil || c.in.Starting(o))
	return resource.DiffState(w.State, o, starting)
}

// marks lists the wrong marks of a proven resource. The audit log decides what is blessed; a mark
// that differs from it is drift.
func (c *comparison) marks(s *side, w *resource.Desired, o *resource.Observed) (out []resource.Change) {
	m := o.Marks
	add := func(path string, from, to resource.Value) {
		out = append(out, resource.Change{On: resource.OnMark, Path: path, From: from, To: to})
	}
	if m.Unmanaged {
		add("managed", nil, resource.Bool(true))
	}
	if m.Text != "" || byName(&m.Ref, &o.Ref) != 0 {
		if ref, right := cmp.Or(m.Text, refText(m.Ref)), o.Ref.Bare().String(); ref != right {
			add("ref", textOrNil(ref), resource.String(right))
		}
	}
	if stack := cmp.Or(m.Stack, m.Ref.Stack); stack != s.stack {
		add("stack", textOrNil(stack), resource.String(s.stack))
	}
	if owner := c.ownerOf(w); owner != "" && m.Owner != owner {
		add("owner", textOrNil(m.Owner), resource.String(owner))
	}
	if blessed := w.Blessed || c.in.Blessed != nil && c.in.Blessed(w.Ref); blessed != m.Blessed {
		add("blessed", resource.Bool(m.Blessed), resource.Bool(blessed))
	}
	return out
}

// otherOwner reports whether a resource has another owner's mark. Until that is restored, it is
// the resource's only change.
func (c *comparison) otherOwner(w *resource.Desired, o *resource.Observed) bool {
	owner := c.ownerOf(w)
	return owner != "" && o.Marks.Owner != "" && o.Marks.Owner != owner
}

func (c *comparison) ownerOf(w *resource.Desired) string {
	if w.Owner != "" {
		return w.Owner
	}
	return c.in.Owner
}

func textOrNil(s string) resource.Value {
	if s == "" {
		return nil
	}
	return resource.String(s)
}

func refText(r resource.Ref) string {
	if r.IsZero() {
		return ""
	}
	return r.Bare().String()
}

// createChanges lists everything that is configured for a resource to create.
func (c *comparison) createChanges(w *resource.Desired) []resource.Change {
	k := c.kind(w)
	if k == nil {
		return nil
	}
	out := make([]resource.Change, 0, len(w.Attrs)+len(w.Tags)+2)
	for _, a := range w.Attrs {
		out = append(out, resource.Change{Path: a.Name, To: a.Value, KnownAfterApply: c.isKnownAfterApply(a.Value)})
	}
	if !k.NoTags {
		out = append(out, resource.DiffTags(w.Tags, nil, nil, nil)...)
	}
	if k.State != "" && w.State != "" {
		out = append(out, resource.Change{On: resource.OnState, Path: resource.StatePath, To: resource.String(w.State)})
	}
	if w.Blessed {
		out = append(out, resource.Change{On: resource.OnMark, Path: "blessed", To: resource.Bool(true)})
	}
	resource.SortChanges(out)
	return out
}

// isKnownAfterApply reports whether a value refers to a value that is known after apply.
func (c *comparison) isKnownAfterApply(v resource.Value) bool {
	for r := range resource.References(v) {
		if _, ok := c.resolve(r); !ok {
			return true
		}
	}
	return false
}

// kindInfo is a schema with its most used entries.
type kindInfo struct {
	resource.Kind
	writeOnly []string // top-level attributes that are, or hold, write-only ones
	recorded  []string // attributes that are Recorded
	fits      bool     // it has attributes with Fits
}

// kindCache keeps the schemas looked up so far. Resources are sorted by kind, so the next lookup
// is nearly always the same as the last.
type kindCache struct {
	known []*kindInfo
	last  *kindInfo
}

// kind finds the schema of a configured resource. If there is none, it returns nil and records
// an error.
func (c *comparison) kind(w *resource.Desired) *kindInfo {
	if k := c.kinds.last; k != nil && k.Name == w.Ref.Kind && k.Provider == w.Ref.Provider {
		return k
	}
	for _, k := range c.kinds.known {
		if k.Name == w.Ref.Kind && k.Provider == w.Ref.Provider {
			c.kinds.last = k
			return k
		}
	}
	k, ok := c.in.Kinds(w.Ref.Provider, w.Ref.Kind)
	if !ok {
		c.errs = append(c.errs, fmt.Errorf("comparator: %s: provider %s has no kind %s", w.Ref, w.Ref.Provider, w.Ref.Kind))
		return nil
	}
	k.Provider, k.Name = w.Ref.Provider, w.Ref.Kind
	info := &kindInfo{Kind: k}
	for i := range k.Attrs {
		if holdsWriteOnly(&k.Attrs[i]) {
			info.writeOnly = append(info.writeOnly, k.Attrs[i].Name)
		}
		info.fits = info.fits || hasFits(&k.Attrs[i])
		if k.Attrs[i].Recorded {
			info.recorded = append(info.recorded, k.Attrs[i].Name)
		}
	}
	c.kinds.known, c.kinds.last = append(c.kinds.known, info), info
	return info
}

func holdsWriteOnly(a *resource.Attribute) bool {
	if a.WriteOnly {
		return true
	}
	for i := range a.Fields {
		if holdsWriteOnly(&a.Fields[i]) {
			return true
		}
	}
	return false
}

// keep records what exceeds the configuration of a resource.
func (c *comparison) keep(k *kindInfo, w *resource.Desired, o *resource.Observed) {
	if !k.fits || c.replaced != nil {
		return
	}
	for _, x := range resource.Surpluses(w.Attrs, o.Attrs, k.Attrs) {
		c.kept = append(c.kept, Kept{w.Ref, x})
	}
}

func hasFits(a *resource.Attribute) bool {
	return a.Fits != nil || slices.ContainsFunc(a.Fields, func(f resource.Attribute) bool { return hasFits(&f) })
}

// unverify records the configured attributes of a resource that can neither be read back nor are
// recorded, without those that are not compared.
func (c *comparison) unverify(w *resource.Desired, names, ignore []string) {
	var paths []string
	for _, name := range names {
		if _, configured := w.Attrs.Get(name); configured && !rules.MatchPath(ignore, name) {
			paths = append(paths, name)
		}
	}
	if len(paths) > 0 {
		c.unverified = append(c.unverified, Unverified{Ref: w.Ref, Paths: paths})
	}
}

func mentions(attrs resource.Attrs, names []string) bool {
	for _, n := range names {
		if _, ok := attrs.Get(n); ok {
			return true
		}
	}
	return false
}
