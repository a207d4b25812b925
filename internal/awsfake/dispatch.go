package awsfake

import (
	"context"
	"maps"
	"net/http"
)

// area is a group of services: their kinds, and the handlers of their calls by service and action.
type area struct {
	kinds   []kind
	actions map[string]map[string]handler
}

func areas() []area {
	return []area{
		{networkKinds(), networkActions()}, {computeKinds(), computeActions()}, {databaseKinds(), databaseActions()},
		{bucketKinds(), bucketActions()}, {identityKinds(), identityActions()}, {balanceKinds(), balanceActions()},
		{dnsKinds(), dnsActions()}, {keysKinds(), keysActions()},
		{nil, map[string]map[string]handler{"sts": {"GetCallerIdentity": callerIdentity, "AssumeRole": assumeRole}}},
	}
}

// services are all the operations that the sandbox supports, and all its kinds.
func services() (map[string]map[string]handler, *kinds) {
	actions := map[string]map[string]handler{}
	var all []kind
	for _, a := range areas() {
		all = append(all, a.kinds...)
		for service, handlers := range a.actions {
			if actions[service] == nil {
				actions[service] = map[string]handler{}
			}
			maps.Copy(actions[service], handlers)
		}
	}
	return actions, newKinds(all)
}

// serve answers one request. An error means that no answer arrives at all.
func (c *Cloud) serve(ctx context.Context, r *http.Request, body []byte) (*answer, error) {
	cl, err := parseCall(r, body)
	if err != nil {
		return c.refuse(cl, err), nil
	}
	plan := c.faults.match(cl, c.kinds)
	if err := c.sleep(ctx, plan.delay); err != nil {
		return nil, err
	}
	if plan.before != nil {
		return c.refuse(cl, plan.before), nil
	}
	if err := c.pace.take(cl, c.now()); err != nil {
		return c.refuse(cl, err), nil
	}
	account, err := c.of(cl.Account)
	if err != nil {
		return c.refuse(cl, err), nil
	}
	a := account.answer(cl, plan)
	if account != c {
		c.log.add(cl, a, c.now())
	}
	if plan.lost {
		return nil, errLost
	}
	return a, nil
}

func (c *Cloud) refuse(cl *call, err error) *answer {
	a := render(cl, nil, err)
	c.log.add(cl, a, c.now())
	return a
}

// answer runs the action as one transaction and renders what it gave.
func (c *Cloud) answer(cl *call, plan planned) *answer {
	var body any
	err := c.do(func(t *tx) error {
		if plan.hide != nil && cl.read() {
			t.hide = plan.hide
		}
		do := c.actions[cl.Service][cl.Action]
		if do == nil {
			return unknownAction(cl)
		}
		c.furnish(cl.Region)
		x := c.exchange(cl, t)
		var err error
		if body, err = do(x); err != nil {
			return err
		}
		// DryRun asks whether the call would be allowed ("Error codes for the
		// Amazon EC2 API": DryRunOperation); nothing that it did is kept.
		if cl.Service == "ec2" && cl.p.yes("DryRun") {
			return failAs(http.StatusPreconditionFailed, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.")
		}
		if plan.stale {
			c.faults.conceal(t.ops, plan.reads)
		}
		return nil
	})
	a := render(cl, body, err)
	c.log.add(cl, a, c.now())
	return a
}

func unknownAction(cl *call) error {
	switch {
	case cl.Service == "s3":
		return failAs(501, "NotImplemented", "A header you provided implies functionality that is not implemented (sandbox: %s).", cl.Action)
	case speaksJSON(cl.Service):
		return failf("UnknownOperationException", "The sandbox does not support %s.", cl.Action)
	}
	return failf("InvalidAction", "The action %s is not valid for this web service.", cl.Action)
}

// exchange is a call with what a handler needs to answer it.
func (c *Cloud) exchange(cl *call, t *tx) *exchange {
	return &exchange{call: cl, tx: t, now: t.now, settle: c.opts.settle, keepDead: c.opts.keepDead, account: c.account}
}

// furnish gives a region what a new account has there: a default VPC with a
// default subnet in each zone, a default security group and a route to the internet ("Default VPCs").
// It costs no write: the ids follow from the state's seed, and the resources are
// saved with the first change in any region.
func (c *Cloud) furnish(region string) {
	if region == "" || c.st.table(markName, region).get("defaults") != nil {
		return
	}
	resources := defaults(c.st, region)
	for _, e := range resources {
		c.st.put(e)
	}
	c.unsaved[region] = resources
}
