package decider

import (
	"fmt"
	"path"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Targets lets only the things pass that one of the patterns names, and what must be made
// before them. No patterns: all pass. See Names for the patterns.
type Targets struct{ Patterns []string }

// Name implements Policy.
func (Targets) Name() string { return "target" }

// Review implements Policy.
func (t Targets) Review(p Plan, _ Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	if len(t.Patterns) == 0 {
		return out, nil
	}
	in, err := t.chosen(p)
	if err != nil {
		return blockAll(p, err), nil
	}
	for i := range p.Decisions {
		if !in[i] {
			out[i] = Blocker{Reason: "not selected by --target"}
		}
	}
	return out, nil
}

// chosen marks the decisions that are named, and then what they build on.
func (t Targets) chosen(p Plan) (map[int]bool, error) {
	index := byRef(p.Decisions)
	in := map[int]bool{}
	var queue []int
	for i := range p.Decisions {
		named, err := namedBy(t.Patterns, p.Decisions[i].Ref)
		if err != nil {
			return nil, err
		}
		if named {
			in[i] = true
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		d := &p.Decisions[queue[0]]
		queue = queue[1:]
		for _, r := range d.DependsOn {
			// What it only lets go of is not brought along: that would destroy more than
			// was asked for.
			if j := index[r]; d.refersTo(r) && !in[j] {
				in[j] = true
				queue = append(queue, j)
			}
		}
	}
	return in, nil
}

// Excludes holds back the things that one of the patterns names. See Names.
type Excludes struct{ Patterns []string }

// Name implements Policy.
func (Excludes) Name() string { return "exclude" }

// Review implements Policy.
func (e Excludes) Review(p Plan, _ Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		named, err := namedBy(e.Patterns, p.Decisions[i].Ref)
		if err != nil {
			return blockAll(p, err), nil
		}
		if named {
			out[i] = Blocker{Reason: "excluded by --exclude"}
		}
	}
	return out, nil
}

// blockAll holds everything back: a pattern that can't be read was meant to keep something from
// being done, and it isn't known what.
func blockAll(p Plan, err error) map[int]Blocker {
	out := make(map[int]Blocker, len(p.Decisions))
	for i := range p.Decisions {
		out[i] = Blocker{Reason: err.Error()}
	}
	return out
}

func namedBy(patterns []string, r resource.Ref) (bool, error) {
	for _, p := range patterns {
		if named, err := Names(p, r); named || err != nil {
			return named, err
		}
	}
	return false, nil
}

// Names says that a pattern names a ref. A pattern is a ref or its end, from any part on:
// "web-0", "ec2/web-0", "us-east-1/ec2/web-0"; each part may hold the wildcards of
// path.Match.
func Names(pattern string, r resource.Ref) (bool, error) {
	s := r.String()
	for range strings.Count(s, "/") - strings.Count(pattern, "/") {
		_, s, _ = strings.Cut(s, "/")
	}
	named, err := path.Match(pattern, s)
	if err != nil {
		return false, fmt.Errorf("decider: pattern %q: %w: write a name such as web-0, ec2/web-0 or web-*", pattern, err)
	}
	return named, nil
}

// NotInPlan names the veto of what a saved plan does not hold: whoever applies that plan asked
// for it and for nothing else.
const NotInPlan = "not_in_plan"

// Excluded says that a decision is held back by nothing but the choice of what to do (targets,
// excludes, a saved plan): whoever chose knows, and it is no policy's no.
func (d Decision) Excluded() bool {
	for _, v := range d.Blockers {
		if v.Policy != (Targets{}).Name() && v.Policy != (Excludes{}).Name() && v.Policy != NotInPlan {
			return false
		}
	}
	return len(d.Blockers) > 0 && !d.Action.Executes()
}
