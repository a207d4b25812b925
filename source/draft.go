package source

import (
	"regexp"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/cmdline"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source/versions"
)

// MaxCount bounds how many resources one Resource can declare, and MaxResources how many a stack has:
// twice of what is measured in docs/dev/evidence.md. A few lines with counts could ask for more than fits in memory.
const (
	MaxCount     = 10_000
	MaxResources = 200_000
)

// Draft is one stack as a source read it. Add checks each resource by its schema and keeps
// none of its nodes; what needs all resources is left to Resolve.
type Draft struct {
	Stack string
	// Environment is the environment of the configuration, or empty. Environments are the stacks of all environments.
	Environment  string
	Environments []string
	Given        []cmdline.Value // by the command line
	ByFolder     bool            // the stack is named by its folder, because the configuration does not name it
	Source       string          // where it was read from, for users
	Version      string          // of the files that were read (a commit, a hash)
	Sum          versions.Sum    // what was read besides the files
	Release      string          // the version that the source gives itself, for users: that of a chart; "" means none
	Err          error           // this stack alone could not be read; nothing is concluded of it
	Rules        rules.Rules
	Options      resource.Options
	Identifier   string // the pattern of identify.Names
	// Part names the part of the source at a position, such as a file or a row. An empty name means the whole source. A
	// source without Part is one part. PartNames are all parts, even if they configure nothing.
	Part      func(position.Position) string
	PartNames []string
	// Decides names the values of the command line that decide what the block at a position makes. Nil means none.
	Decides func(position.Position) string
	// Moved are renames that the source declares apart from its resources.
	Moved []Moved
	// Removed are resources that are no longer configured.
	Removed []Removed
	// Keys are the source's own keys of a resource: a misspelled attribute may mean one.
	Keys []string
	// Prefix is put before every name once the names are resolved: a namespace. Problems show
	// names without it.
	Prefix string
	// Publish suggests how the configuration calls public what comes from outside, given as
	// "env:NAME" or "file:PATH". Nil: it cannot.
	Publish func(from string) string
	// Spell spells attributes in a problem's text as the source does. Nil: as their schemas do.
	Spell func(text string) string

	report
	opts     Options
	secrets  bool // an attribute holds a secret
	entries  []entry
	desired  []resource.Desired
	uses     [][]use // of each desired
	from     []int32 // of each desired: its entry
	counted  map[resource.Ref]group
	groups   groups
	short    map[int32]bool                     // entries whose lists are checked once their groups are spread
	absent   map[resource.Ref]position.Position // conditions that are false, by the resource or the group
	scopes   map[resource.Scope]bool
	broken   map[string]bool // names of resources with problems: a reference to one is no error
	kinds    map[kindName]*kind
	memo     map[string]*checked
	forms    map[string]*regexp.Regexp // of the patterns of locations; nil means an invalid one
	scratch  []byte
	lost     []position.Position       // where something could not be read
	only     map[string][]resource.Ref // of parts: all that they can configure
	in       []resource.Attr           // of the resource that is being checked
	fitting  resource.Scope            // the last location that was checked
	failures []failure
	full     bool                  // there are MaxResources
	invalid  map[resource.Ref]bool // resources with problems, as far as their names are known
	unsure   []kept                // resources whose attributes depend on the names that the stack has
	formers  map[int32]formerName  // by entry
	outputs  []Output              // as written
	// resolveOutputs returns the outputs, once all names are known; nil if there are none.
	resolveOutputs func(*Draft) resource.Attrs
}

// Output is a value that a stack publishes, as written. Short references in it mean resources of the provider and the
// location.
type Output struct {
	Name               string
	Value              Node
	At                 position.Position // of the name
	Provider, Location string
}

// failure is a resource with problems, which is checked for more all the same.
type failure struct {
	user    user
	uses    []use
	desired resource.Desired // as far as it could be read
	many    bool             // it is several resources, with other names
}

// open holds what is not known of attributes before all names of the stack are: names that would change the meaning
// of a word, and whether a reference may name a resource that is not configured.
type open struct {
	maybe    []resource.Ref
	optional bool
	// short reports that a list has fewer elements than its minimum, unless one of them is a group.
	short bool
}

// kept is a resource whose attributes are open.
type kept struct {
	first, n int // of desired
	open     open
	r        Resource
}

// NewDraft returns an empty draft.
func NewDraft(opts Options) *Draft {
	return &Draft{
		opts: opts, Sum: versions.Sum{Secrets: opts.Secrets}, report: report{outside: map[string]string{}},
		counted: map[resource.Ref]group{}, scopes: map[resource.Scope]bool{}, short: map[int32]bool{},
		broken: map[string]bool{}, kinds: map[kindName]*kind{}, memo: map[string]*checked{}, invalid: map[resource.Ref]bool{},
	}
}

// Problem adds a problem that the source found, in its own words.
func (d *Draft) Problem(p Problem) { d.report.note(p) }

// note adds a problem that the schemas found.
func (d *Draft) note(p Problem) {
	if d.Spell != nil {
		p.Summary, p.Detail, p.Suggestion = d.Spell(p.Summary), d.Spell(p.Detail), d.Spell(p.Suggestion)
	}
	d.report.note(p)
}

// publish suggests what to do about a value from outside that may be a secret.
func (d *Draft) publish(from string) string {
	if d.Publish == nil {
		return "write the value, or use it in a secret attribute"
	}
	return d.Publish(from)
}

// Failed is how many problems there are so far.
func (d *Draft) Failed() int { return d.count() }

// Outside tells that a text came from outside, and how it was written, so that no message
// shows it.
func (d *Draft) Outside(text, written string) {
	for _, t := range []string{text, strings.TrimSuffix(Clip(text), "…")} { // a message may shorten it
		if t != "" {
			d.outside[t] = written
		}
	}
}

// Scope adds a location that the stack uses, also when nothing is configured there.
func (d *Draft) Scope(s resource.Scope) { d.scopes[s] = true }

// Only tells that a part, even if it is invalid, can configure no other resources than these.
func (d *Draft) Only(part string, refs ...resource.Ref) {
	if d.only == nil {
		d.only = map[string][]resource.Ref{}
	}
	d.only[part] = refs
}

// Unreadable tells that what is at a position could not be read: any name may be configured there, and a reference to
// one that is not found elsewhere is no problem of its own.
func (d *Draft) Unreadable(at position.Position) {
	d.lost = append(d.lost, at)
	d.Add(&Resource{Broken: true, At: at})
}

// Len is the number of resources so far.
func (d *Draft) Len() int { return len(d.desired) }

// Grow makes room for n more resources.
func (d *Draft) Grow(n int) {
	d.desired = append(make([]resource.Desired, 0, len(d.desired)+n), d.desired...)
	d.uses = append(make([][]use, 0, len(d.uses)+n), d.uses...)
	d.from = append(make([]int32, 0, len(d.from)+n), d.from...)
	d.entries = append(make([]entry, 0, len(d.entries)+n), d.entries...)
}
