package planview

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/offline"
)

// View is the screen of a plan.
type View struct {
	Plan  decider.Plan
	Names Names
	// Head is written above the plan, a line each: the stack, the account, the data directory,
	// what was recovered. A line is wrapped where it has two spaces.
	Head []string
	// Verb begins the last line: "Plan".
	Verb string
	// Kinds finds schemas, for defaults, the order of fields and lost data. Nil: none is known.
	Kinds decider.Kinds
	// ID returns the id of a resource that exists, to compare a reference with the id it stands
	// for. Nil means the resources of the plan only.
	ID func(resource.Ref) (string, bool)
	// Running are the actions that run while the plan is made, a line each.
	Running []string
	// Full shows each create alone. Otherwise equal creates of one block of the configuration are one entry.
	Full bool
	// Verbose shows the safe defaults too, which expose, weaken and discard nothing.
	Verbose bool
	// Counts replaces the counts of the plan in the last line. Nil means the counts of the plan.
	Counts *Counts
}

// Write writes the plan for people: unreachable locations, the decisions by location, then
// the counts. No value is truncated.
func (v View) Write(w io.Writer, s term.Style) error {
	p := newPlanWriter(v, s)
	for _, h := range v.Head {
		for _, line := range term.WrapItems(h, p.Room(0)) {
			p.WriteString(p.In(term.Dim, line) + "\n")
		}
	}
	p.unreachable(v.Plan)
	for i, text := range v.Running {
		if i == 0 {
			p.Gap()
		}
		p.Signed("#", term.Dim, text, 0)
	}
	groups := groupedByLocation(v.Plan)
	p.turns = turnsOf(groups)
	for _, g := range groups {
		p.Gap()
		p.WriteString(p.In(term.Bold, p.names.Scope(g.scope)) + "\n")
		p.sharedTags(g.decisions)
		for _, b := range p.blocks(g) {
			p.block(b)
		}
		for _, u := range g.unverified {
			p.notVerified(u)
		}
		for _, k := range g.kept {
			p.writeKept(k)
		}
	}
	writeOutputs(&p.Writer, v.Plan.Outputs, Value)
	p.Gap()
	// Resources that the provider itself created are in every account, and in the inventory only.
	if n := UnmanagedIn(v.Plan); n > 0 {
		p.Para(0, "", fmt.Sprintf("%d unmanaged (`ovi inventory`).", n))
	}
	if p.hidden {
		p.Para(0, "", "Safe defaults are not shown (`--verbose`).")
	}
	counts := Count(v.Plan)
	if v.Counts != nil {
		counts = *v.Counts
	}
	p.Tally(counts.sentenceWith(v.Verb, len(v.Plan.Outputs)))
	_, err := io.WriteString(w, p.String())
	return err
}

// planWriter writes a plan for people.
type planWriter struct {
	term.Writer
	names   Names
	kinds   decider.Kinds
	id      func(resource.Ref) (string, bool)
	pending map[resource.Ref]bool   // to be created or replaced: their ids are not known
	known   map[resource.Ref]string // the ids of the plan's other resources
	orders  map[resource.Ref]string // the line "Order:" behind the last resource of a replacement
	turns   map[resource.Ref]string // the line "Order:" behind the last resource of a count
	full    bool                    // nothing is folded or omitted
	verbose bool                    // no default is omitted
	hidden  bool                    // a default was omitted
	shared  resource.Tags           // the tags that all creates of the location have
	written map[string]bool         // reasons of policies, each written in full once
}

func newPlanWriter(v View, s term.Style) *planWriter {
	p := &planWriter{
		Writer: term.Writer{Style: s}, names: v.Names, kinds: v.Kinds, id: v.ID, written: map[string]bool{},
		pending: map[resource.Ref]bool{}, known: map[resource.Ref]string{}, orders: orders(v.Plan),
		full: v.Full, verbose: v.Verbose,
	}
	for i := range v.Plan.Decisions {
		d := &v.Plan.Decisions[i]
		switch {
		case d.Proposed == decider.Create || d.Proposed == decider.Replace:
			p.pending[d.Ref] = true
		case d.Observed != nil && d.Difference == comparator.Drifted:
			p.known[d.Ref] = d.Observed.ID
		}
	}
	return p
}

// unreachable writes each location that could not be read, and how many resources are not
// evaluated for it.
func (p *planWriter) unreachable(plan decider.Plan) {
	for _, scope := range slices.SortedFunc(maps.Keys(plan.Unreachable), resource.Scope.Compare) {
		n := 0
		for i := range plan.Decisions {
			if d := &plan.Decisions[i]; d.Difference == comparator.Unreachable && d.Ref.Scope() == scope {
				n++
			}
		}
		p.Gap()
		if since, is := plan.Offline[scope]; is {
			p.Signed("#", term.Dim, p.names.Scope(scope)+" is "+(&offline.Error{Since: since}).Error(), 0)
		} else {
			p.Signed(term.ConflictSign, term.Red, p.names.Scope(scope)+" is unreachable: "+plan.Unreachable[scope], 0)
		}
		p.notEvaluated(n)
	}
	for _, scope := range slices.SortedFunc(maps.Keys(plan.UnreachableKinds), resource.Scope.Compare) {
		for _, kind := range slices.Sorted(maps.Keys(plan.UnreachableKinds[scope])) {
			n := 0
			for i := range plan.Decisions {
				d := &plan.Decisions[i]
				if d.Difference == comparator.Unreachable && d.Ref.Scope() == scope && d.Ref.Kind == kind {
					n++
				}
			}
			p.Gap()
			where, why := kind+" in "+p.names.Scope(scope), plan.UnreachableKinds[scope][kind]
			p.Signed(term.ConflictSign, term.Red, where+" is unreachable: "+why, 0)
			p.notEvaluated(n)
		}
	}
}

func (p *planWriter) notEvaluated(n int) {
	if n > 0 {
		p.Para(term.DetailIndent, "", term.Many(n, "resource")+" not evaluated.")
	}
}

// notVerified names the attributes of a resource that could not be compared.
func (p *planWriter) notVerified(u comparator.Unverified) {
	name := u.Ref.Short()
	verb := "was"
	if len(u.Paths) > 1 {
		verb = "were"
	}
	p.WriteString(term.Spaces(term.NameIndent) + p.In(term.Dim, "#") + " " + p.In(term.Bold, name))
	if u.Since {
		p.After(term.NameIndent+2+term.Columns(name), fmt.Sprintf(
			"not verified: %s %s configured after it was created, and cannot be read back", strings.Join(u.Paths, ", "), verb))
		p.Message(term.Suggestion + "run `ovi apply --replace " + name + "` to create it again with " + them(len(u.Paths)) +
			", or list " + them(len(u.Paths)) + " under ignore")
		return
	}
	p.After(term.NameIndent+2+term.Columns(name), fmt.Sprintf("not verified: %s cannot be read back and %s not recorded",
		strings.Join(u.Paths, ", "), verb))
	p.Message(term.Suggestion + "run `ovi apply --set-unverified` to set " + them(len(u.Paths)))
}

// writeKept names an attribute that stays although it is not as configured.
func (p *planWriter) writeKept(k comparator.Kept) {
	name := k.Ref.Short()
	unit := ""
	if p.kinds != nil {
		kind, _ := p.kinds(k.Ref.Provider, k.Ref.Kind)
		unit = unitOf(schemaAt(kind.Attrs, k.Path))
	}
	p.WriteString(term.Spaces(term.NameIndent) + p.In(term.Dim, "#") + " " + p.In(term.Bold, name))
	p.After(term.NameIndent+2+term.Columns(name), fmt.Sprintf("%s stays %s%s; %s%s is configured", k.Path,
		Value(k.Observed), unit, Value(k.Desired), unit))
}

func them(n int) string {
	if n > 1 {
		return "them"
	}
	return "it"
}

// UnmanagedIn counts the unmanaged resources of a plan, and the recorded ones of kinds that it did not
// read, those that are not reported aside.
func UnmanagedIn(p decider.Plan) int {
	n := p.Unlisted
	for i := range p.Decisions {
		d := &p.Decisions[i]
		reported := (&resource.Observed{Message: d.Message}).Reported() && (d.Observed == nil || d.Observed.Reported())
		if d.Difference == comparator.Unmanaged && reported {
			n++
		}
	}
	return n
}
