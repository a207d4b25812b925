package awsfake

import (
	"context"
	"net/http"
	"time"
)

// services are all the operations that the sandbox supports.
func services() map[string]map[string]handler {
	return map[string]map[string]handler{
		"sts":                  {"GetCallerIdentity": callerIdentity, "AssumeRole": assumeRole},
		"ec2":                  ec2Actions(),
		"autoscaling":          scalingActions(),
		"elasticloadbalancing": elbActions(),
		"iam":                  iamActions(),
		"rds":                  rdsActions(),
		"route53":              dnsActions(),
		"s3":                   s3Actions(),
		"ssm":                  {"GetParameter": getParameter},
		"acm":                  acmActions(),
		"kms":                  kmsActions(),
		"logs":                 logsActions(),
		"secretsmanager":       secretActions(),
	}
}

// serve answers one request. An error means that no answer arrives at all.
func (c *Cloud) serve(ctx context.Context, r *http.Request, body []byte) (*answer, error) {
	cl, err := parseCall(r, body)
	if err != nil {
		return c.refuse(cl, err), nil
	}
	plan := c.faults.match(cl, c.now())
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
		x := &exchange{call: cl, c: c, tx: t, now: t.now}
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

func (x *exchange) settle() time.Duration { return x.c.opts.settle }
