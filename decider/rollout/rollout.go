package rollout

import (
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// Rollout is one configuration of a stack on its way, with what is on record of it.
type Rollout struct {
	Version string // of the configuration
	// Waves say how many of the reachable groups have the configuration at most, wave by wave:
	// a number or a share, which rounds up. A last wave of all follows by itself; none at all
	// is one wave of all.
	Waves []rules.Budget
	// MaxUnavailable limits the reachable groups that are not healthy at one time; what is
	// being changed counts. One may be changed always, where all others are healthy. Unset is
	// no limit.
	MaxUnavailable rules.Budget
	// MaxFailed is how many groups may use up their attempts before the rollout halts; a share
	// is of the groups that tried. Unset allows none where there are waves, and any number
	// where there are none.
	MaxFailed rules.Budget
	Attempts  int  // of one configuration by one resource; 0 is 3
	Rollback  bool // a resource that used up its attempts goes back
	// Frozen: nothing starts the new configuration that has not.
	Frozen bool
	// Promote: a wave starts only once it is promoted; where there are several, the first starts
	// by itself. Promoted is the newest that is.
	Promote  bool
	Promoted int
	// Reach and Halted are what was recorded of this Version: the wave it has got to, from 1,
	// and that it halted. A new Version starts without.
	Reach  int
	Halted bool
}

// Progressing is one resource of a rollout.
type Progressing struct {
	Ref resource.Ref
	// Group is what changes together, such as a node; empty is the resource alone.
	Group    string
	Desired  string          // digest of the new configuration
	LastGood string          // digest of the last one it was healthy with; "" is none on record
	Has      string          // digest of the one last applied to it; "" is absent
	Health   resource.Health // healthy is being as configured, also where that is stopped
	// Had is the digest of the configuration last applied to a resource that was deleted outside ovi.
	Had string
	// Unchanged: it had this configuration before the rollout, in which it takes no part.
	Unchanged bool
	Offline   bool // its location does not answer: what is said of it is the last that is known
	Locked    bool // it starts no new configuration, and counts in no wave and no budget
	Attempts  int  // failed ones of Desired; those that ended in a transient error do not count
	// Spent: no further attempt of Desired is allowed, whatever Attempts are.
	Spent bool
	// Deferred: the next attempt of Desired waits.
	Deferred bool
	Returns  int // failed ones of going back to LastGood
	// Sealed: LastGood holds a secret that was not given by reference. It is on record as a
	// digest only, so a resource cannot be created or updated from it.
	Sealed bool
}

// Follow is the configuration that a resource is compared with.
type Follow string

// The configurations.
const (
	New      Follow = "new"       // the new one
	LastGood Follow = "last_good" // the last one it was healthy with
	// Nothing: it stays as it is. There is no configuration that it could follow.
	Nothing Follow = "nothing"
)

// Reason says why a resource does not follow the new configuration, or what limits it.
type Reason string

// The reasons.
const (
	Wave      Reason = "wave"      // a later wave
	Budget    Reason = "budget"    // too many others are not healthy
	Halted    Reason = "halted"    // the rollout halted before it
	Frozen    Reason = "frozen"    // nothing starts now
	Locked    Reason = "locked"    // it does not start
	Promotion Reason = "promotion" // its wave is not promoted
	Exhausted Reason = "exhausted" // it used up its attempts
	Deferred  Reason = "deferred"  // its next attempt waits, and it is not healthy with its last good configuration
	Sealed    Reason = "sealed"    // it cannot be created from its last configuration
)

// Target is what one resource follows now.
type Target struct {
	Follow Follow
	Reason Reason // "" where it follows the new configuration
	Wave   int    // its wave, from 1; 0 while its location is offline
	// NoRetry: it follows the new configuration because it has it, and used up its attempts:
	// nothing more is tried.
	NoRetry bool
}

func (r Rollout) attempts() int {
	if r.Attempts <= 0 {
		return 3
	}
	return r.Attempts
}

// tolerates says that so many failed groups among those that tried do not halt the rollout.
func (r Rollout) tolerates(failed, tried int) bool {
	if !r.MaxFailed.Set {
		return failed == 0 || len(r.Waves) == 0
	}
	return r.MaxFailed.Allows(failed, tried)
}

// Total is how many waves there are.
func (r Rollout) Total() int {
	n := len(r.Waves)
	if n == 0 || !r.Waves[n-1].Percent || r.Waves[n-1].Count < 100 {
		n++
	}
	return n
}

// allowed is the newest wave that may start.
func (r Rollout) allowed() int {
	if !r.Promote {
		return r.Total()
	}
	return max(r.Promoted, min(1, len(r.Waves)))
}

// quota is how many of n groups have the configuration at most in a wave: at least one.
func (r Rollout) quota(wave, n int) int {
	most := min(1, n)
	for _, w := range r.Waves[:min(wave, len(r.Waves))] {
		q := w.Count
		if w.Percent {
			q = (n*w.Count + 99) / 100
		}
		most = max(most, min(q, n))
	}
	if wave >= r.Total() {
		return n
	}
	return most
}
