package rollout

import "github.com/ovi-project/ovi/resource"

// start says why a group does not start now; "" is that it starts, or has started.
func (p *progress) start(g *group) Reason {
	switch {
	case !g.part || g.tried:
		return ""
	case p.halted:
		return Halted
	case p.Frozen:
		return Frozen
	case g.locked:
		return Locked
	case p.gated && (g.offline || g.wave > p.reach):
		return Promotion
	case g.offline && p.reach < p.Total() || g.wave > p.reach:
		return Wave
	case g.offline || g.down: // it costs no availability
		return ""
	case p.MaxUnavailable.Set && p.unavailable > 0 && !p.MaxUnavailable.Allows(p.unavailable+1, p.online):
		return Budget
	}
	p.unavailable++
	return ""
}

func (p *progress) target(g *group, x Progressing, behind Reason) Target {
	switch {
	case x.done() || x.Unchanged:
		return Target{Follow: New}
	case x.exhausted(p.Rollout):
		return p.exhausted(x)
	case x.Deferred && x.Health != resource.Healthy && x.keeps():
		return Target{Follow: LastGood, Reason: Deferred}
	case behind == "": // also where its group has started
		return Target{Follow: New}
	case x.LastGood == "":
		return Target{Follow: Nothing, Reason: behind}
	case !x.lasts():
		return Target{Follow: Nothing, Reason: Sealed}
	default:
		return Target{Follow: LastGood, Reason: behind}
	}
}

// exhausted is the target of what used up its attempts: it goes back once, if it may.
func (p *progress) exhausted(x Progressing) Target {
	back := x.LastGood != "" && x.LastGood != x.Desired
	switch {
	case x.keeps():
		return Target{Follow: LastGood, Reason: Exhausted}
	case back && p.Rollback && x.lasts() && x.Returns < p.attempts():
		return Target{Follow: LastGood, Reason: Exhausted}
	case x.has():
		return Target{Follow: New, Reason: Exhausted, NoRetry: true}
	case back && p.Rollback && !x.lasts():
		return Target{Follow: Nothing, Reason: Sealed}
	default:
		return Target{Follow: Nothing, Reason: Exhausted}
	}
}

// keeps reports whether the resource has its last good configuration, or had it when it was deleted outside ovi. Such a
// resource is healed with that configuration, which starts nothing new and needs no rollback.
func (x *Progressing) keeps() bool {
	return x.LastGood != "" && x.LastGood != x.Desired &&
		(x.Has == x.LastGood || x.Has == "" && x.Had == x.LastGood && !x.Sealed)
}

// lasts says that the resource can follow its last good configuration: it has that, or can be
// created and updated from it.
func (x *Progressing) lasts() bool { return !x.Sealed || x.Has == x.LastGood }
