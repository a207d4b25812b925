package compute

import (
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

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
func power(x *core.Exchange, step func(*ec2.Instance, string) (*ec2.Instance, error)) (any, error) {
	if len(x.P.Strs("InstanceId")) == 0 {
		return nil, wire.Missing("InstanceId")
	}
	all, err := ec2.Named[*ec2.Instance](x, "InstanceId", "InvalidInstanceID.NotFound")
	if err != nil {
		return nil, err
	}
	var out xmlChanges
	for _, in := range all {
		was := in.Life.At(x.Now)
		next, err := step(in, was)
		if err != nil {
			return nil, err
		}
		is := was
		if next != nil {
			x.Tx.Put(next)
			is = next.Life.First()
		}
		out.Set = append(out.Set, xmlChange{in.ID, stateOf(is), stateOf(was)})
	}
	return out, nil
}

func wrongState(in *ec2.Instance, state, verb string) error {
	return wire.Failf("IncorrectInstanceState", "The instance '%s' is not in a state from which it can be %s (it is %s).",
		in.ID, verb, state)
}

func startInstances(x *core.Exchange) (any, error) {
	return power(x, func(in *ec2.Instance, state string) (*ec2.Instance, error) {
		switch state {
		case "running", "pending":
			return nil, nil
		case "stopped":
			n := *in
			n.Life, n.Reason, n.Launched = core.Through(x.Now, x.Settle, "running", "pending"), "", x.Now
			return &n, nil
		}
		return nil, wrongState(in, state, "started")
	})
}

func stopInstances(x *core.Exchange) (any, error) {
	x.P.Str("Force")
	return power(x, func(in *ec2.Instance, state string) (*ec2.Instance, error) {
		switch {
		case state == "stopped" || state == "stopping":
			return nil, nil
		case state != "running" && state != "pending":
			return nil, wrongState(in, state, "stopped")
		case in.Spot && !in.Persistent && !in.Canceled:
			return nil, wire.Failf("UnsupportedOperation",
				"You can't stop the Spot Instance '%s' because it is associated with a one-time Spot Instance request. You can "+
					"only stop Spot Instances associated with persistent Spot Instance requests.", in.ID)
		case in.StopGuard:
			return nil, wire.Failf("OperationNotPermitted",
				"The instance '%s' may not be stopped. Modify its 'disableApiStop' instance attribute and try again.", in.ID)
		}
		n := *in
		n.Life = core.Through(x.Now, x.Settle, "stopped", "stopping")
		n.Reason = userReason(x.Now)
		release(x, in)
		return &n, nil
	})
}

func userReason(now time.Time) string {
	return "User initiated (" + now.Format("2006-01-02 15:04:05 GMT") + ")"
}

func rebootInstances(x *core.Exchange) (any, error) {
	_, err := power(x, func(in *ec2.Instance, state string) (*ec2.Instance, error) {
		if state != "running" {
			return nil, wrongState(in, state, "rebooted")
		}
		return nil, nil
	})
	return ec2.Success{Return: true}, err
}

// terminateInstances ends every named instance or, when one is protected or
// unknown, none. Terminating a terminated one is accepted.
func terminateInstances(x *core.Exchange) (any, error) {
	return power(x, func(in *ec2.Instance, state string) (*ec2.Instance, error) {
		if in.Dead() {
			return nil, nil
		}
		if in.Protected {
			return nil, wire.Failf("OperationNotPermitted",
				"The instance '%s' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.",
				in.ID)
		}
		relaunch(x, in)
		return kill(x, in), nil
	})
}

// kill ends an instance: its volumes go with it or come free, as each was
// attached ("Preserve data when an instance is terminated"), as do its interfaces besides that of its launch, and its
// Elastic IP comes free.
func kill(x *core.Exchange, in *ec2.Instance) *ec2.Instance {
	n := *in
	n.Life = core.Through(x.Now, x.Settle, "terminated", "shutting-down")
	n.Reason = userReason(x.Now)
	n.Until = n.Life.End().Add(x.KeepDead)
	for _, v := range disksOf(x, in.ID) {
		d := *v
		tie := *v.Attached
		tie.Life = core.Through(x.Now, x.Settle, "detached", "detaching")
		d.Attached = &tie
		if tie.Kill {
			d.Until = tie.Life.End()
			d.Life = core.Through(x.Now, x.Settle, "deleting", "in-use")
		}
		x.Tx.Put(&d)
	}
	if a := network.AddressOf(x, in.ID); a != nil {
		free := *a
		free.Instance, free.Association = "", ""
		x.Tx.Put(&free)
	}
	network.Unplug(x, in)
	x.Forget(in.Token, n.Life.End())
	return &n
}
