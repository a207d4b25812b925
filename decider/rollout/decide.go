package rollout

import (
	"cmp"
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Decide gives each resource the configuration that it follows now, whether the rollout halts,
// and the wave it has got to. Halted and wave are to be recorded where they change, before
// anything is done.
//
//   - What has the new configuration keeps it, unless it used up its attempts and goes back.
//   - A wave starts when each group of the one before is healthy with the new configuration, or
//     is among the failures that are tolerated.
//   - A halted rollout starts no further group. A group that started goes on to its end.
//   - Nothing starts while it is frozen, nor where it is locked, nor in a wave that waits to be
//     promoted. What started goes on to its end.
//   - Groups whose location is offline, or that are locked, count in no wave and no budget. A failure on record
//     stays one, wherever its location is now.
func Decide(r Rollout, resources []Progressing) (target map[resource.Ref]Target, halted bool, wave int) {
	p := newProgress(r, resources)
	p.advance()
	target = make(map[resource.Ref]Target, len(resources))
	for i := range p.groups {
		g := &p.groups[i]
		started := p.start(g)
		for _, x := range g.resources {
			t := p.target(g, x, started)
			t.Wave = g.wave
			target[x.Ref] = t
		}
	}
	return target, p.halted, p.reach
}

// group is what changes together, with what is true of it as a whole.
type group struct {
	name      string
	resources []Progressing
	part      bool // it takes part in the rollout
	offline   bool // or locked
	locked    bool
	tried     bool // something of it has, had, or was to have the new configuration
	done      bool // all of it is healthy with the new configuration
	failed    bool // something of it used up its attempts
	down      bool // something of it is not healthy
	wave      int  // 0 means none
}

type progress struct {
	Rollout
	groups      []group // in the order they start
	online      int     // groups that are reachable
	unavailable int     // of these, not healthy or being changed
	halted      bool
	gated       bool // the next wave is not promoted
	reach       int
}

func newProgress(r Rollout, resources []Progressing) *progress {
	p := &progress{Rollout: r, reach: min(max(min(1, r.allowed()), r.Reach), r.Total())}
	byName := map[string]int{}
	for _, x := range resources {
		name := x.Group
		if name == "" {
			name = x.Ref.String()
		}
		i, ok := byName[name]
		if !ok {
			i = len(p.groups)
			byName[name] = i
			p.groups = append(p.groups, group{name: name, done: true})
		}
		g := &p.groups[i]
		g.resources = append(g.resources, x)
		g.offline = g.offline || x.Offline || x.Locked
		g.locked = g.locked || x.Locked
		g.down = g.down || x.Health != resource.Healthy
		if x.Unchanged {
			continue
		}
		g.part = true
		// What was healthy with the new configuration and is gone has tried it, too.
		g.tried = g.tried || x.has() || x.Attempts > 0 || x.Spent || x.LastGood == x.Desired
		g.done = g.done && x.done()
		g.failed = g.failed || x.exhausted(r)
	}
	slices.SortFunc(p.groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(a.name, b.name))
	})
	failed, tried := 0, 0
	for i := range p.groups {
		g := &p.groups[i]
		if !g.offline {
			p.online++
			if g.down || g.tried && !g.done && !g.failed {
				p.unavailable++
			}
		}
		if g.part && g.failed {
			failed++
		}
		if g.part && (g.failed || g.tried && !g.offline) {
			tried++
		}
	}
	p.halted = r.Halted || !r.tolerates(failed, tried)
	return p
}

// rank puts groups that started first: a wave that some went into is theirs.
func (g *group) rank() int {
	if g.tried {
		return 1
	}
	return 0
}

func (x *Progressing) has() bool  { return x.Has != "" && x.Has == x.Desired }
func (x *Progressing) done() bool { return x.has() && x.Health == resource.Healthy }

func (x *Progressing) exhausted(r Rollout) bool {
	return (x.Spent || x.Attempts >= r.attempts()) && !x.done()
}

// advance gives the reachable groups their waves, and starts each wave whose forerunner is
// through.
func (p *progress) advance() {
	var parts []*group
	for i := range p.groups {
		if g := &p.groups[i]; g.part && !g.offline {
			parts = append(parts, g)
		}
	}
	wave := 1
	for i, g := range parts {
		for i >= p.quota(wave, len(parts)) {
			wave++
		}
		g.wave = wave
	}
	for !p.halted && !p.Frozen && p.reach < p.Total() && len(parts) > 0 {
		if slices.ContainsFunc(parts, func(g *group) bool { return g.wave <= p.reach && !g.done && !g.failed }) {
			return
		}
		if p.gated = p.reach >= p.allowed(); p.gated {
			return
		}
		p.reach++
	}
}
