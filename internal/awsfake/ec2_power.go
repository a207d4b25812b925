package awsfake

import "time"

type xmlChange struct {
	ID       string   `xml:"instanceId"`
	Current  xmlState `xml:"currentState"`
	Previous xmlState `xml:"previousState"`
}

type xmlChanges struct {
	Set []xmlChange `xml:"instancesSet>item"`
}

// power changes the run state of every named instance, or of none: one bad id
// or state refuses the call (EC2 API reference: StopInstances and its kin).
func power(x *exchange, step func(*instance, string) (*instance, error)) (any, error) {
	if len(x.p.strs("InstanceId")) == 0 {
		return nil, missing("InstanceId")
	}
	all, err := named[*instance](x, "InstanceId", "InvalidInstanceID.NotFound")
	if err != nil {
		return nil, err
	}
	var out xmlChanges
	for _, in := range all {
		was := in.Life.at(x.now)
		next, err := step(in, was)
		if err != nil {
			return nil, err
		}
		is := was
		if next != nil {
			x.tx.put(next)
			is = next.Life.first()
		}
		out.Set = append(out.Set, xmlChange{in.ID, stateOf(is), stateOf(was)})
	}
	return out, nil
}

func wrongState(in *instance, state, verb string) error {
	return failf("IncorrectInstanceState", "The instance '%s' is not in a state from which it can be %s (it is %s).", in.ID, verb, state)
}

func startInstances(x *exchange) (any, error) {
	return power(x, func(in *instance, state string) (*instance, error) {
		switch state {
		case "running", "pending":
			return nil, nil
		case "stopped":
			n := *in
			n.Life, n.Reason, n.Launched = through(x.now, x.settle, "running", "pending"), "", x.now
			return &n, nil
		}
		return nil, wrongState(in, state, "started")
	})
}

func stopInstances(x *exchange) (any, error) {
	x.p.str("Force")
	return power(x, func(in *instance, state string) (*instance, error) {
		switch {
		case state == "stopped" || state == "stopping":
			return nil, nil
		case state != "running" && state != "pending":
			return nil, wrongState(in, state, "stopped")
		case in.Spot && !in.Persistent && !in.Canceled:
			return nil, failf("UnsupportedOperation", "You can't stop the Spot Instance '%s' because it is associated with a one-time Spot Instance request. You can only stop Spot Instances associated with persistent Spot Instance requests.", in.ID)
		case in.StopGuard:
			return nil, failf("OperationNotPermitted", "The instance '%s' may not be stopped. Modify its 'disableApiStop' instance attribute and try again.", in.ID)
		}
		n := *in
		n.Life = through(x.now, x.settle, "stopped", "stopping")
		n.Reason = userReason(x.now)
		release(x, in)
		return &n, nil
	})
}

func userReason(now time.Time) string {
	return "User initiated (" + now.Format("2006-01-02 15:04:05 GMT") + ")"
}

func rebootInstances(x *exchange) (any, error) {
	_, err := power(x, func(in *instance, state string) (*instance, error) {
		if state != "running" {
			return nil, wrongState(in, state, "rebooted")
		}
		return nil, nil
	})
	return success{Return: true}, err
}

// terminateInstances ends every named instance or, when one is protected or
// unknown, none. Terminating a terminated one is accepted.
func terminateInstances(x *exchange) (any, error) {
	return power(x, func(in *instance, state string) (*instance, error) {
		if in.dead() {
			return nil, nil
		}
		if in.Protected {
			return nil, failf("OperationNotPermitted", "The instance '%s' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.", in.ID)
		}
		relaunch(x, in)
		return kill(x, in), nil
	})
}

// kill ends an instance: its volumes go with it or come free, as each was
// attached ("Preserve data when an instance is terminated"), as do its interfaces besides that of its launch, and its Elastic IP comes free.
func kill(x *exchange, in *instance) *instance {
	n := *in
	n.Life = through(x.now, x.settle, "terminated", "shutting-down")
	n.Reason = userReason(x.now)
	n.Until = n.Life.end().Add(x.keepDead)
	for _, v := range disksOf(x, in.ID) {
		d := *v
		tie := *v.Attached
		tie.Life = through(x.now, x.settle, "detached", "detaching")
		d.Attached = &tie
		if tie.Kill {
			d.Until = tie.Life.end()
			d.Life = through(x.now, x.settle, "deleting", "in-use")
		}
		x.tx.put(&d)
	}
	if a := addressOf(x, in.ID); a != nil {
		free := *a
		free.Instance, free.Association = "", ""
		x.tx.put(&free)
	}
	unplug(x, in)
	x.forget(in.Token, n.Life.end())
	return &n
}
