package compute

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func instanceActions() map[string]core.Handler {
	return map[string]core.Handler{
		"RunInstances":            runInstances,
		"DescribeInstances":       describeInstances,
		"DescribeInstanceStatus":  describeStatus,
		"StartInstances":          startInstances,
		"StopInstances":           stopInstances,
		"RebootInstances":         rebootInstances,
		"TerminateInstances":      terminateInstances,
		"ModifyInstanceAttribute": modifyAttribute,

		"DescribeInstanceAttribute":     describeAttribute,
		"ModifyInstanceMetadataOptions": modifyMetadata,
		"CancelSpotInstanceRequests":    cancelSpotRequests,
	}
}

// describeInstances lists instances; a page is counted in instances, however
// they were reserved (EC2 API reference: DescribeInstances).
func describeInstances(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*ec2.Instance](x, "InstanceId", "InvalidInstanceID.NotFound")
	if err != nil {
		return nil, err
	}
	if all, err = core.Filtered(x, all, func(in *ec2.Instance, name string) ([]string, bool) {
		return instanceValues(x, in, name)
	}); err != nil {
		return nil, err
	}
	rows, next, err := ec2.Page(x, all, "InstanceId", 1000)
	if err != nil {
		return nil, err
	}
	return struct {
		Reservations []xmlReservation `xml:"reservationSet>item"`
		Next         *string          `xml:"nextToken"`
	}{reservations(x, rows), next}, nil
}

func reservations(x *core.Exchange, rows []*ec2.Instance) []xmlReservation {
	var out []xmlReservation
	for _, in := range rows {
		if n := len(out); n == 0 || out[n-1].ID != in.Reservation {
			out = append(out, xmlReservation{ID: in.Reservation, Owner: wire.Account})
		}
		last := &out[len(out)-1]
		last.Instances = append(last.Instances, viewInstance(x, in, in.Life.At(x.Now), disksOf(x, in.ID)))
	}
	return out
}

type xmlStatus struct {
	ID     string   `xml:"instanceId"`
	AZ     string   `xml:"availabilityZone"`
	State  xmlState `xml:"instanceState"`
	System string   `xml:"systemStatus>status"`
	Check  string   `xml:"instanceStatus>status"`
}

// describeStatus shows running instances only, unless asked for all (EC2 API
// reference: DescribeInstanceStatus).
func describeStatus(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*ec2.Instance](x, "InstanceId", "InvalidInstanceID.NotFound")
	if err != nil {
		return nil, err
	}
	if all, err = core.Filtered(x, all, func(in *ec2.Instance, name string) ([]string, bool) {
		return instanceValues(x, in, name)
	}); err != nil {
		return nil, err
	}
	everything := x.P.Yes("IncludeAllInstances")
	var shown []*ec2.Instance
	for _, in := range all {
		if everything || in.Life.At(x.Now) == "running" {
			shown = append(shown, in)
		}
	}
	rows, next, err := ec2.Page(x, shown, "InstanceId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlStatus
	for _, in := range rows {
		s := xmlStatus{in.ID, in.AZ, stateOf(in.Life.At(x.Now)), "ok", "ok"}
		switch {
		case s.State.Name != "running":
			s.System, s.Check = "not-applicable", "not-applicable"
		case x.Now.Before(in.Life.End().Add(x.Settle)):
			s.System, s.Check = "initializing", "initializing"
		case in.Impaired:
			s.Check = "impaired"
		}
		out = append(out, s)
	}
	return struct {
		Set  []xmlStatus `xml:"instanceStatusSet>item"`
		Next *string     `xml:"nextToken"`
	}{out, next}, nil
}
