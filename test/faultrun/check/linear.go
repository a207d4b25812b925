package check

import (
	"cmp"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// held is the state of one claim key: who has it, and the newest token ever given.
type held struct{ token, newest int64 }

// linear: the attempts on each claim key are those of one register that is taken when free
// and given back by its holder, in some order that fits the clocks.
func (c *checker) linear() {
	byRef := map[string][]porcupine.Operation{}
	var start, end time.Time
	for _, op := range c.Ops {
		if start.IsZero() || op.From.Before(start) {
			start = op.From
		}
		if op.To.After(end) {
			end = op.To
		}
	}
	for _, op := range c.Ops {
		to := op.To
		if op.Result == OpUnknown {
			to = end.Add(time.Second) // it may come through at any time
		}
		byRef[op.Ref] = append(byRef[op.Ref], porcupine.Operation{
			ClientId: op.Client, Input: op, Output: op.Result,
			Call: op.From.Sub(start).Nanoseconds(), Return: to.Sub(start).Nanoseconds(),
		})
	}
	refs := make([]string, 0, len(byRef))
	for ref := range byRef {
		refs = append(refs, ref)
	}
	slices.Sort(refs)
	for _, ref := range refs {
		ops := byRef[ref]
		slices.SortFunc(ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
		switch porcupine.CheckOperationsTimeout(model(), ops, time.Minute) {
		case porcupine.Illegal:
			c.breach("claims-linearizable", "%s: no order of its %d attempts explains their answers", ref, len(ops))
		case porcupine.Unknown:
			c.breach("claims-linearizable", "%s: not decided within a minute (%d attempts)", ref, len(ops))
		}
	}
}

func model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return held{} },
		Step: func(state, input, _ any) (bool, any) {
			s, op := state.(held), input.(ClaimOp)
			return step(s, op)
		},
	}
}

func step(s held, op ClaimOp) (bool, held) {
	switch {
	case op.Take && op.Result == OpDone:
		return s.token == 0 && op.Token > s.newest, held{op.Token, op.Token}
	case op.Take && op.Result == OpUnknown: // with a token, it is known to have come through
		return s.token == 0 && op.Token > s.newest, held{op.Token, op.Token}
	case op.Take:
		return s.token != 0, s
	case op.Result == OpDone, op.Result == OpVanished:
		return s.token == op.Token, held{0, s.newest}
	case op.Result == OpUnknown:
		if s.token == op.Token {
			return true, held{0, s.newest}
		}
		return true, s
	}
	return s.token != op.Token, s
}
