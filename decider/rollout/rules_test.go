package rollout_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/ovi-project/ovi/decider/rollout"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// draw makes one node of each letter, in upper case an offline one:
//
//	o the old configuration    n the new one    u the new one, and had it before
//	p the new one, pending     f the new one, failing once      x the new one, attempts used up
//	b back on the old one      c back, and that fails too       d the old one, failing
//	t the old one, one attempt failed           y absent, attempts used up
//	a absent, never healthy    g gone, was healthy with the new one
//	s the old one, sealed      z absent, sealed
//	q the new one, sealed, attempts used up     k healthy with the new one after all attempts
//	v as u, and failing                         w absent, sealed, attempts used up
func draw(letters string) (out []rollout.Progressing) {
	for i, l := range letters {
		x := rollout.Progressing{
			Ref:     resource.Ref{Provider: "edge", Location: fmt.Sprint("site/", i), Kind: "app", Name: "web"},
			Desired: newConfig, LastGood: oldConfig, Has: oldConfig, Health: resource.Healthy, Offline: unicode.IsUpper(l),
		}
		switch unicode.ToLower(l) {
		case 'n':
			x.Has, x.LastGood = newConfig, newConfig
		case 'u':
			x.Has, x.LastGood, x.Unchanged = newConfig, newConfig, true
		case 'p':
			x.Has, x.Health = newConfig, resource.Pending
		case 'f':
			x.Has, x.Health, x.Attempts = newConfig, resource.Failing, 1
		case 'x':
			x.Has, x.Health, x.Attempts = newConfig, resource.Failing, 3
		case 'q':
			x.Has, x.Health, x.Attempts, x.Sealed = newConfig, resource.Failing, 3, true
		case 'k':
			x.Has, x.Attempts = newConfig, 3
		case 'b':
			x.Attempts = 3
		case 'c':
			x.Attempts, x.Returns, x.Has, x.Health = 3, 3, "", ""
		case 'd':
			x.Health = resource.Failing
		case 't':
			x.Attempts = 1
		case 'y':
			x.Has, x.Health, x.Attempts = "", "", 3
		case 'a':
			x.Has, x.Health, x.LastGood = "", "", ""
		case 'g':
			x.Has, x.Health, x.LastGood = "", "", newConfig
		case 's':
			x.Sealed = true
		case 'v':
			x.Has, x.LastGood, x.Unchanged, x.Health, x.Attempts = newConfig, newConfig, true, resource.Failing, 3
		case 'w':
			x.Has, x.Health, x.Attempts, x.Sealed = "", "", 3, true
		case 'z':
			x.Sealed, x.Has, x.Health = true, "", ""
		}
		out = append(out, x)
	}
	return out
}

// show writes a letter for each target: New, new without Retry, Last good, or - for nothing.
func show(state []rollout.Progressing, target map[resource.Ref]rollout.Target) string {
	var b strings.Builder
	for _, x := range state {
		switch t := target[x.Ref]; {
		case t.NoRetry:
			b.WriteByte('R')
		case t.Follow == rollout.New:
			b.WriteByte('N')
		case t.Follow == rollout.LastGood:
			b.WriteByte('L')
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}

func one(n int) rules.Budget   { return rules.Budget{Set: true, Count: n} }
func share(n int) rules.Budget { return rules.Budget{Set: true, Count: n, Percent: true} }

func TestRules(t *testing.T) {
	t.Parallel()
	waves := []rules.Budget{one(1), share(50)}
	plain, canary := rollout.Rollout{}, rollout.Rollout{Waves: waves}
	with := func(r rollout.Rollout, change func(*rollout.Rollout)) rollout.Rollout { change(&r); return r }
	reach := func(n int) rollout.Rollout { return with(canary, func(r *rollout.Rollout) { r.Reach = n }) }
	back := with(canary, func(r *rollout.Rollout) { r.Rollback = true })
	tolerant := with(canary, func(r *rollout.Rollout) { r.MaxFailed = one(1) })
	some := with(canary, func(r *rollout.Rollout) { r.MaxFailed = share(50) })
	careful := with(plain, func(r *rollout.Rollout) { r.MaxUnavailable = one(1) })
	two := with(plain, func(r *rollout.Rollout) { r.MaxUnavailable = share(50) })
	for name, c := range map[string]struct {
		r           rollout.Rollout
		state, want string
		halted      bool
		wave        int
	}{
		"without waves all start":                   {plain, "oooa", "NNNN", false, 1},
		"the first wave is one":                     {canary, "oooo", "NLLL", false, 1},
		"the second starts when it is healthy":      {canary, "nooo", "NNLL", false, 2},
		"not while it is pending":                   {canary, "pooo", "NLLL", false, 1},
		"nor while an attempt failed":               {canary, "fooo", "NLLL", false, 1},
		"nor while a create failed":                 {canary, "tooo", "NLLL", false, 1},
		"the last reaches all":                      {canary, "nnoo", "NNNN", false, 3},
		"a share rounds up":                         {canary, "noooo", "NNNLL", false, 2},
		"who started is in front":                   {canary, "ooot", "LLLN", false, 1},
		"what was healthy with it has started":      {canary, "ooog", "LLLN", false, 1},
		"what had it before takes no part":          {canary, "uuoo", "NNNL", false, 1},
		"a wave that was reached stays reached":     {reach(2), "oooo", "NNLL", false, 2},
		"also the last":                             {reach(3), "nnoo", "NNNN", false, 3},
		"a new node in a later wave gets nothing":   {canary, "oa", "N-", false, 1},
		"a failure halts":                           {canary, "xooo", "RLLL", true, 1},
		"also of a location that is offline":        {canary, "Xooo", "RLLL", true, 1},
		"no failure halts without waves":            {plain, "xooo", "RNNN", false, 1},
		"a tolerated one does not":                  {tolerant, "xooo", "RNLL", false, 2},
		"two do":                                    {tolerant, "xxoo", "RRLL", true, 1},
		"a share of those that tried does not":      {some, "nxoo", "NRNN", false, 3},
		"more than the share does":                  {some, "xooo", "RLLL", true, 1},
		"what had it before is no trial":            {some, "xuuo", "RNNL", true, 1},
		"a halted rollout goes on where it started": {canary, "xfpo", "RNNL", true, 1},
		"success after all attempts is no failure":  {canary, "kooo", "NNLL", false, 2},
		"a failure goes back":                       {back, "xooo", "LLLL", true, 1},
		"and stays back":                            {back, "booo", "LLLL", true, 1},
		"stays there without rollback too":          {canary, "booo", "LLLL", true, 1},
		"it does not go back over and over":         {back, "cooo", "-LLL", true, 1},
		"nor without rollback":                      {canary, "yooo", "-LLL", true, 1},
		"nor to what cannot be created":             {back, "qooo", "RLLL", true, 1},
		"a sealed one waits with what it has":       {canary, "os", "NL", false, 1},
		"a sealed one that is gone waits":           {canary, "oz", "N-", false, 1},
		"offline ones count in no wave":             {canary, "Oooo", "LNLL", false, 1},
		"nor as started":                            {canary, "Pooo", "NNLL", false, 1},
		"all offline reach no wave":                 {canary, "OOOO", "LLLL", false, 1},
		"late ones follow at once":                  {reach(3), "nnO", "NNN", false, 3},
		"one is changed at a time":                  {careful, "ooo", "NLL", false, 1},
		"none while one is pending":                 {careful, "poo", "NLL", false, 1},
		"none while one is failing":                 {careful, "uod", "NLN", false, 1},
		"none while one that takes no part is down": {careful, "oox", "LLR", false, 1},
		"an offline one is not down":                {careful, "Do", "NN", false, 1},
		"half are changed at a time":                {two, "oooo", "NNLL", false, 1},
		"one that tried is being changed":           {careful, "to", "NL", false, 1},
		"a failure that is offline has tried":       {some, "Xnoo", "RNNL", false, 2},
		"failing before the rollout is no failure":  {canary, "vo", "NN", false, 1},
		"the smallest wave is one":                  {with(plain, func(r *rollout.Rollout) { r.Waves = []rules.Budget{one(0)} }), "oo", "NL", false, 1},
		"one at least":                              {with(plain, func(r *rollout.Rollout) { r.MaxUnavailable = share(10) }), "ooo", "NLL", false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			state := draw(c.state)
			target, halted, wave := rollout.Decide(c.r, state)
			if got := show(state, target); got != c.want || halted != c.halted || wave != c.wave {
				t.Errorf("%s -> %s, halted %v, wave %d; want %s, %v, %d", c.state, got, halted, wave, c.want, c.halted, c.wave)
			}
		})
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	canary := rollout.Rollout{Waves: []rules.Budget{one(1), share(100)}, Rollback: true}
	for state, want := range map[string]rollout.Target{
		"oo": {Follow: rollout.LastGood, Reason: rollout.Wave, Wave: 2},
		"oa": {Follow: rollout.Nothing, Reason: rollout.Wave, Wave: 2},
		"oz": {Follow: rollout.Nothing, Reason: rollout.Sealed, Wave: 2},
		"xo": {Follow: rollout.LastGood, Reason: rollout.Halted, Wave: 2},
		"ox": {Follow: rollout.LastGood, Reason: rollout.Exhausted, Wave: 1},
		"oq": {Follow: rollout.New, Reason: rollout.Exhausted, NoRetry: true, Wave: 1},
		"ow": {Follow: rollout.Nothing, Reason: rollout.Sealed, Wave: 1},
		"no": {Follow: rollout.New, Wave: 2},
		"oO": {Follow: rollout.LastGood, Reason: rollout.Wave},
	} {
		r := draw(state)
		if target, _, _ := rollout.Decide(canary, r); target[r[1].Ref] != want {
			t.Errorf("%s: %+v, want %+v", state, target[r[1].Ref], want)
		}
	}
	if n := canary.Total(); n != 2 {
		t.Errorf("%d waves, want 2", n)
	}
	careful := rollout.Rollout{MaxUnavailable: one(1)}
	r := draw("oo")
	if target, _, _ := rollout.Decide(careful, r); target[r[1].Ref].Reason != rollout.Budget {
		t.Errorf("%+v, want the budget", target[r[1].Ref])
	}
}

// TestAGroupChangesTogether: the resources of a node start together, and a failure of one
// is the node's.
func TestAGroupChangesTogether(t *testing.T) {
	t.Parallel()
	r := rollout.Rollout{Waves: []rules.Budget{one(1)}}
	for state, want := range map[string]string{"oooo": "NNLL", "nooo": "NNLL", "nnoo": "NNNN", "nxoo": "NRLL", "ooof": "LLNN"} {
		in := draw(state)
		for i := range in {
			in[i].Group = fmt.Sprint(i / 2)
		}
		target, _, _ := rollout.Decide(r, in)
		if got := show(in, target); got != want {
			t.Errorf("%s -> %s, want %s", state, got, want)
		}
	}
}
