package comparator

import "errors"

// Compare finds every difference between the configurations and live state. An error means that
// the configurations are invalid: a duplicate or foreign ref, a kind without a schema, a dependency that is
// neither configured nor observed (a *resource.DanglingError).
func Compare(in Input) (Result, error) {
	all, err := sides(in.Intents)
	if err != nil {
		return Result{}, err
	}
	c := walked(in, all, observedScopes(in.Live), renaming{})
	c.removals()
	names := renames(c, renaming{said: declarationsOf(c)})
	for ; names.more; names = renames(c, names) {
		c = walked(in, c.sides, names.bindNames(c.scopes), names)
		c.removals()
	}
	c.cascade()
	names.refuseExchanged(c)
	names.refuse(c.out)
	names.markWaiting(c.out)
	c.sort()
	if len(c.errs) == 0 {
		completeTakes(c)
	}
	c.checkDependencies()
	if err := errors.Join(c.errs...); err != nil {
		return Result{}, err
	}
	names.addHanded(c)
	return Result{
		Differences: c.out, Unchanged: c.unchanged, Owned: c.owned, NotVerified: c.unverified, Kept: c.kept,
		Renames: names.order,
	}, nil
}

// walked merges configured and observed resources. If they are not sorted, it sorts them and starts over.
func walked(in Input, sides []side, scopes []observedScope, names renaming) *comparison {
	in = names.underFormer(in)
	for i := range sides {
		sides[i].next = 0
	}
	c := walk(in, sides, scopes, names.from)
	if !c.unsorted {
		return c
	}
	for i := range sides {
		sides[i].sort()
		sides[i].next = 0
	}
	for i := range c.scopes {
		c.scopes[i].sort()
	}
	return walk(in, sides, c.scopes, names.from)
}
