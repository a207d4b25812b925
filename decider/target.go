package decider

import (
	"fmt"
	"path"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Targets blocks every decision except those that a pattern selects and those they depend on.
// Without patterns it blocks none. See Names for the patterns.
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

// chosen marks the decisions that are selected, and then those they depend on.
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
			// A dependency that it only releases is not selected: that would destroy more
			// than was asked for.
			if j := index[r]; d.refersTo(r) && !in[j] {
				in[j] = true
				queue = append(queue, j)
			}
		}
	}
	return in, nil
}

// Excludes blocks the decisions that a pattern selects. See Names.
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

// blockAll blocks every decision: what an invalid pattern was meant to exclude is unknown.
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

// Names reports whether a pattern selects a ref. A pattern is a ref or its last segments: "web-0",
// "ec2/web-0", "us-east-1/ec2/web-0", in any stack or, as "shop:web-0", in one. Segments may contain
// the wildcards of path.Match.
func Names(pattern string, r resource.Ref) (bool, error) {
	stack, rest, ok := resource.CutStack(pattern)
	if !ok {
		return endsWith(pattern, r)
	}
	if named, err := endsWith(pattern, r); named || err != nil {
		return named, err // a name with a colon
	}
	if inStack, err := path.Match(stack, r.Stack); !inStack || err != nil {
		return false, patternError(pattern, err)
	}
	return endsWith(rest, r)
}

// endsWith reports whether a pattern names the last segments of a ref without its stack.
func endsWith(pattern string, r resource.Ref) (bool, error) {
	s := r.Bare().String()
	for range strings.Count(s, "/") - strings.Count(pattern, "/") {
		_, s, _ = strings.Cut(s, "/")
	}
	named, err := path.Match(pattern, s)
	return named, patternError(pattern, err)
}

func patternError(pattern string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("decider: pattern %q: %w: use a name such as web-0, ec2/web-0 or web-*", pattern, err)
}

// NotInPlan is the Policy of a Blocker for a decision that is not in the saved plan being applied.
const NotInPlan = "not_in_plan"

// Excluded reports whether a decision is blocked only by the user's selection (--target,
// --exclude, a saved plan), and not by a policy.
func (d Decision) Excluded() bool {
	for _, v := range d.Blockers {
		if v.Policy != (Targets{}).Name() && v.Policy != (Excludes{}).Name() && v.Policy != NotInPlan {
			return false
		}
	}
	return len(d.Blockers) > 0 && !d.Action.Executes()
}
