package source

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// MaxCount bounds how many resources one Resource can declare.
const MaxCount = 10_000

// Resource is one resource, or several of a count, as a source declares it: nothing of it is
// checked. Its identity is Provider, Location, Kind and Name alone, never its position.
type Resource struct {
	Provider string
	Location string // "": the provider's default
	Kind     string
	Name     string // "": the kind is the name
	Counted  bool   // it declares NAME-0, NAME-1 … by Count
	Count    int
	Attrs    Node // an object
	Tags     resource.Tags
	// OwnTags: some of the tags are the resource's own, not a file's defaults, so a kind without
	// tags is an error.
	OwnTags bool
	// DependsOn names resources: NAME, KIND/NAME or a whole ref.
	DependsOn []string
	Ignore    []string
	Blessed   bool
	Row       string // the key of the row it is from, for a Reporter; else ""
	At        resource.Position
	// Where is the position of an attribute path, or of "type", "name", "location",
	// "tags.KEY", "ignore[0]" or "depends_on[0]". Nil: At. It stays valid after Load.
	Where func(path string) resource.Position
	// Broken: the source reported a problem with it. It is checked for more, and is not part
	// of the stack.
	Broken bool
}

func (r *Resource) where(path string) resource.Position {
	if r.Where == nil {
		return r.At
	}
	return r.Where(path)
}

// Draft is one stack as a source read it. Add checks each resource by its schema and keeps
// none of its nodes; what needs all resources is left to Resolve.
type Draft struct {
	Stack   string
	Source  string // where it was read from, for users
	Version string // digest of what was read (a commit, a hash)
	// Err: this stack alone could not be read; nothing is concluded of it.
	Err     error
	Rules   resource.Rules
	Options resource.Options
	// Keys are the source's own keys of a resource: a misspelled attribute may mean one.
	Keys []string

	report
	opts    Options
	entries []entry
	desired []resource.Desired
	uses    [][]use // of each desired
	from    []int32 // of each desired: its entry
	counted map[resource.Ref]group
	scopes  map[resource.Scope]bool
	broken  map[string]bool // names of resources with problems: a reference to one is no error
	kinds   map[kindName]*kind
	memo    map[string]*checked
	intern  interner
	scratch []byte
	fitting resource.Scope // the last location that was checked
	unsure  []kept         // resources whose attributes depend on the names that the stack has
}

// entry is what is kept of a Resource.
type entry struct {
	at    resource.Position
	row   string
	where func(string) resource.Position
}

// group is a name with a count.
type group struct {
	count int
	entry int32
}

// kept is a resource with a word that means an id, or something else if a resource of the
// stack has that name.
type kept struct {
	first, n int // of desired
	maybe    []resource.Ref
	r        Resource
}

// NewDraft returns an empty draft.
func NewDraft(opts Options) *Draft {
	return &Draft{
		opts: opts, report: report{outside: map[string]string{}}, counted: map[resource.Ref]group{}, scopes: map[resource.Scope]bool{},
		broken: map[string]bool{}, kinds: map[kindName]*kind{}, memo: map[string]*checked{}, intern: newInterner(),
	}
}

// Problem adds a problem that the source found.
func (d *Draft) Problem(p Problem) { d.note(p) }

// Failed is how many problems there are so far.
func (d *Draft) Failed() int { return d.count() }

// Outside tells that a text came from outside, and how it was written, so that no message
// shows it.
func (d *Draft) Outside(text, written string) {
	if text != "" {
		d.outside[text] = written
	}
}

// Scope adds a location that the stack uses, also when nothing is configured there.
func (d *Draft) Scope(s resource.Scope) { d.scopes[s] = true }

// Len is the number of resources so far.
func (d *Draft) Len() int { return len(d.desired) }

// Grow makes room for n more resources.
func (d *Draft) Grow(n int) {
	d.desired = append(make([]resource.Desired, 0, len(d.desired)+n), d.desired...)
	d.uses = append(make([][]use, 0, len(d.uses)+n), d.uses...)
	d.from = append(make([]int32, 0, len(d.from)+n), d.from...)
}

// Add checks one resource and adds it. It keeps nothing of the resource's nodes.
func (d *Draft) Add(r *Resource) {
	a := adding{Draft: d, r: r, failed: r.Broken}
	a.run()
	if a.failed {
		d.broken[cmpOr(r.Name, r.Kind)] = true
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
func (a *adding) wrong(at resource.Position, summary, suggestion string) {
	a.failed = true
	a.note(Problem{At: at, Ref: a.name(), Summary: summary, Suggestion: suggestion})
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
	a.checkName()
	a.checkLocation()
	a.checkIgnore()
	if a.kind.NoTags {
		r.Tags = nil
	}
	if a.kind.NoTags && r.OwnTags {
		a.wrong(r.where("tags"), "resources of kind "+a.kind.Name+" have no tags", "remove tags")
	}
	first := len(a.desired)
	attrs, uses, maybe := a.attributes(nil)
	if a.failed {
		return
	}
	a.keep(attrs, uses)
	if len(maybe) > 0 {
		k := kept{first: first, n: len(a.desired) - first, maybe: maybe, r: *r}
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
	k, err := a.Kind(r.Provider, r.Kind)
	switch {
	case err != nil:
		a.wrong(r.where("type"), err.Error(), "report this error of the provider "+r.Provider)
	case k == nil:
		a.wrong(r.where("type"), fmt.Sprintf("unknown type %s for provider %s", Quote(r.Kind), r.Provider), a.suggestKind(r.Kind))
	}
	return k
}

func (a *adding) suggestKind(name string) string {
	var names []string
	for _, k := range a.opts.Schemas.Kinds(a.r.Provider) {
		names = append(names, k.Name)
	}
	if kind, ok := terraformKind(name, names); ok {
		return "use " + kind
	}
	return Suggest(name, names)
}

func (a *adding) checkName() {
	r := a.r
	names := []string{r.Name}
	if r.Counted {
		names = []string{r.Name + "-0", r.Name + "-" + strconv.Itoa(max(r.Count-1, 0))}
	}
	for _, name := range names {
		if name == "" {
			return
		}
		if problems := a.kind.checker.CheckName(name); len(problems) > 0 {
			a.wrong(r.where("name"), problems[0].Summary, cmpOr(problems[0].Suggestion, "use letters, digits, '.', '_' and '-'"))
			return
		}
	}
}

// locationForm is what any location looks like: it is part of a ref.
var locationForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,99}$`)

// checkLocation checks the location, or fills in the provider's default.
func (a *adding) checkLocation() {
	r := a.r
	rule := &a.kind.location
	switch scope := (resource.Scope{Provider: r.Provider, Location: r.Location}); {
	case scope == a.fitting:
	case r.Location != "":
		if !a.locationFits(*rule, r.Location) {
			a.wrong(r.where("location"), fmt.Sprintf("invalid %s %s", rule.Word, Quote(r.Location)), forExample(rule.Word, rule.Example))
			r.Location = ""
			return
		}
		a.fitting = scope
	case rule.Default != "":
		r.Location = rule.Default
	case rule.Required:
		if !a.failed {
			a.wrong(r.At, "no "+rule.Word+" is configured", "add "+rule.Word+": "+cmpOr(rule.Example, "NAME"))
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
	ok, err := regexp.MatchString(`\A(?:`+rule.Pattern+`)\z`, location)
	return ok && err == nil
}

func (a *adding) checkIgnore() {
	for i, p := range a.r.Ignore {
		if summary, suggestion := a.CheckIgnore(p, a.r.Provider, a.kind.Name); summary != "" {
			a.wrong(a.r.where("ignore["+strconv.Itoa(i)+"]"), summary, suggestion)
		}
	}
}

// keep adds what the resource declares.
func (a *adding) keep(attrs resource.Attrs, uses []use) {
	r := a.r
	e := int32(len(a.entries))
	want := resource.Desired{
		Ref:   resource.Ref{Provider: r.Provider, Location: a.intern.text(r.Location), Kind: a.kind.Name, Name: strings.Clone(r.Name)},
		Attrs: attrs, Tags: r.Tags, Blessed: r.Blessed, Ignore: r.Ignore, At: r.At,
	}
	a.entries = append(a.entries, entry{r.At, r.Row, r.Where})
	add := func(name string) {
		want.Ref.Name = name
		a.desired, a.Draft.uses, a.from = append(a.desired, want), append(a.Draft.uses, uses), append(a.from, e)
	}
	if r.Counted {
		if first, again := a.counted[want.Ref]; again {
			at := a.entries[first.entry].at
			a.wrong(r.where("name"), fmt.Sprintf("duplicate name %s with a count", Quote(r.Name)), fmt.Sprintf("rename one of them; the other is at %s:%d", at.File, at.Line))
			return
		}
		a.counted[want.Ref] = group{r.Count, e}
	}
	if s := want.Ref.Scope(); !a.scopes[s] {
		a.scopes[s] = true
	}
	if !r.Counted {
		add(want.Ref.Name)
		return
	}
	for i := range r.Count {
		add(r.Name + "-" + strconv.Itoa(i))
	}
}

func forExample(word, example string) string {
	if example == "" {
		return ""
	}
	return "for example, " + word + ": " + example
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
