package sandbox

import (
	"context"
	"maps"
	"net/http"

	"github.com/ovi-project/ovi/provider/aws/sandbox/balance"
	"github.com/ovi-project/ovi/provider/aws/sandbox/bucket"
	"github.com/ovi-project/ovi/provider/aws/sandbox/compute"
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/database"
	"github.com/ovi-project/ovi/provider/aws/sandbox/dns"
	"github.com/ovi-project/ovi/provider/aws/sandbox/identity"
	"github.com/ovi-project/ovi/provider/aws/sandbox/keys"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// area is a group of services: their kinds, and the handlers of their calls by service and action.
type area struct {
	kinds   []core.Kind
	actions map[string]map[string]core.Handler
}

// services are all the operations that the sandbox supports, and all its kinds.
func services() (map[string]map[string]core.Handler, *core.Kinds) {
	actions := map[string]map[string]core.Handler{}
	var all []core.Kind
	for _, a := range []area{
		{network.Kinds(), network.Actions()},
		{compute.Kinds(), compute.Actions()},
		{database.Kinds(), database.Actions()},
		{bucket.Kinds(), bucket.Actions()},
		{identity.Kinds(), identity.Actions()},
		{balance.Kinds(), balance.Actions()},
		{dns.Kinds(), dns.Actions()},
		{keys.Kinds(), keys.Actions()},
		{nil, map[string]map[string]core.Handler{"sts": {"GetCallerIdentity": callerIdentity, "AssumeRole": assumeRole}}},
	} {
		all = append(all, a.kinds...)
		for service, handlers := range a.actions {
			if actions[service] == nil {
				actions[service] = map[string]core.Handler{}
			}
			maps.Copy(actions[service], handlers)
		}
	}
	return actions, core.NewKinds(all)
}

// serve answers one request. An error means that no answer arrives at all.
func (c *Cloud) serve(ctx context.Context, r *http.Request, body []byte) (*wire.Answer, error) {
	cl, err := wire.ParseCall(r, body)
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

func (c *Cloud) refuse(cl *wire.Call, err error) *wire.Answer {
	a := wire.Render(cl, nil, err)
	c.log.add(cl, a, c.now())
	return a
}

// answer runs the action as one transaction and renders what it gave.
func (c *Cloud) answer(cl *wire.Call, plan planned) *wire.Answer {
	var body any
	err := c.do(func(t *core.Tx) error {
		if plan.hide != nil && cl.Read() {
			t.Hide = plan.hide
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
		if cl.Service == "ec2" && cl.P.Yes("DryRun") {
			return wire.FailAs(http.StatusPreconditionFailed, "DryRunOperation",
				"Request would have succeeded, but DryRun flag is set.")
		}
		if plan.stale {
			c.faults.conceal(t.Ops, plan.reads)
		}
		return nil
	})
	a := wire.Render(cl, body, err)
	c.log.add(cl, a, c.now())
	return a
}

func unknownAction(cl *wire.Call) error {
	switch {
	case cl.Service == "s3":
		return wire.FailAs(501, "NotImplemented",
			"A header you provided implies functionality that is not implemented (sandbox: %s).", cl.Action)
	case wire.SpeaksJSON(cl.Service):
		return wire.Failf("UnknownOperationException", "The sandbox does not support %s.", cl.Action)
	}
	return wire.Failf("InvalidAction", "The action %s is not valid for this web service.", cl.Action)
}

// exchange is a call with what a handler needs to answer it.
func (c *Cloud) exchange(cl *wire.Call, t *core.Tx) *core.Exchange {
	return &core.Exchange{
		Call: cl, Tx: t, Now: t.Now, Settle: c.opts.settle, KeepDead: c.opts.keepDead,
		Account: c.account,
	}
}

// furnish gives a region what a new account has there: a default VPC with a
// default subnet in each zone, a default security group and a route to the internet ("Default VPCs").
// It costs no write: the ids follow from the state's seed, and the resources are
// saved with the first change in any region.
func (c *Cloud) furnish(region string) {
	if region == "" || c.st.Table(core.MarkName, region).Get("defaults") != nil {
		return
	}
	resources := network.Defaults(c.st, region)
	for _, e := range resources {
		c.st.Put(e)
	}
	c.unsaved[region] = resources
}
