package awsfake

import (
	"maps"
	"strings"
)

func instanceActions() map[string]handler {
	return map[string]handler{
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

// named gives the resources that the request names, or all when it names none.
// One unknown id refuses the whole call.
func named[T entity](x *exchange, param, code string) ([]T, error) {
	desired := x.p.strs(param)
	if len(desired) == 0 {
		return list[T](x.tx, x.Region), nil
	}
	var out []T
	seen := map[string]bool{}
	for _, id := range desired {
		if err := shaped(id, code); err != nil {
			return nil, err
		}
		e, ok := find[T](x.tx, x.Region, id)
		if !ok {
			return nil, notFound(id, code)
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, e)
		}
	}
	return out, nil
}

// shaped refuses an id that is none of its kind ("Error codes for the Amazon
// EC2 API": InvalidInstanceID.Malformed and its kin).
func shaped(id, code string) error {
	prefix, malformed := "", strings.Replace(code, ".NotFound", ".Malformed", 1)
	switch code {
	case "InvalidInstanceID.NotFound":
		prefix = "i-"
	case "InvalidVpcID.NotFound":
		prefix = "vpc-"
	case "InvalidSubnetID.NotFound":
		prefix = "subnet-"
	case "InvalidVolume.NotFound":
		prefix, malformed = "vol-", "InvalidParameterValue"
	case "InvalidGroup.NotFound":
		prefix, malformed = "sg-", "InvalidGroupId.Malformed"
	}
	if !strings.HasPrefix(id, prefix) {
		return failf(malformed, "Invalid id: \"%s\" (expecting \"%s...\")", id, prefix)
	}
	return nil
}

// notFound is the error for a resource that does not exist, by kind.
func notFound(id, code string) error {
	what := map[string]string{
		"InvalidInstanceID.NotFound": "instance ID", "InvalidVolume.NotFound": "volume", "InvalidVpcID.NotFound": "vpc ID",
		"InvalidSubnetID.NotFound": "subnet ID", "InvalidGroup.NotFound": "security group", "InvalidKeyPair.NotFound": "key pair",
	}[code]
	if what == "" {
		what = "ID"
	}
	return failf(code, "The %s '%s' does not exist", what, id)
}

// describeInstances lists instances; a page is counted in instances, however
// they were reserved (EC2 API reference: DescribeInstances).
func describeInstances(x *exchange) (any, error) {
	all, err := named[*instance](x, "InstanceId", "InvalidInstanceID.NotFound")
	if err != nil {
		return nil, err
	}
	if all, err = filtered(x, all, func(in *instance, name string) ([]string, bool) { return instanceValues(x, in, name) }); err != nil {
		return nil, err
	}
	rows, next, err := ec2Page(x, all, "InstanceId", 1000)
	if err != nil {
		return nil, err
	}
	return struct {
		Reservations []xmlReservation `xml:"reservationSet>item"`
		Next         *string          `xml:"nextToken"`
	}{reservations(x, rows), next}, nil
}

func reservations(x *exchange, rows []*instance) []xmlReservation {
	var out []xmlReservation
	for _, in := range rows {
		if n := len(out); n == 0 || out[n-1].ID != in.Reservation {
			out = append(out, xmlReservation{ID: in.Reservation, Owner: Account})
		}
		last := &out[len(out)-1]
		last.Instances = append(last.Instances, viewInstance(x, in, in.Life.at(x.now), disksOf(x, in.ID)))
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
func describeStatus(x *exchange) (any, error) {
	all, err := named[*instance](x, "InstanceId", "InvalidInstanceID.NotFound")
	if err != nil {
		return nil, err
	}
	if all, err = filtered(x, all, func(in *instance, name string) ([]string, bool) { return instanceValues(x, in, name) }); err != nil {
		return nil, err
	}
	everything := x.p.yes("IncludeAllInstances")
	var shown []*instance
	for _, in := range all {
		if everything || in.Life.at(x.now) == "running" {
			shown = append(shown, in)
		}
	}
	rows, next, err := ec2Page(x, shown, "InstanceId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlStatus
	for _, in := range rows {
		s := xmlStatus{in.ID, in.AZ, stateOf(in.Life.at(x.now)), "ok", "ok"}
		switch {
		case s.State.Name != "running":
			s.System, s.Check = "not-applicable", "not-applicable"
		case x.now.Before(in.Life.end().Add(x.settle)):
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

func computeActions() map[string]map[string]handler {
	all := map[string]handler{}
	for _, some := range []map[string]handler{instanceActions(), volumeActions(), encryptionActions(), profileActions(), catalogActions(), templateActions()} {
		maps.Copy(all, some)
	}
	return map[string]map[string]handler{"ec2": all, "autoscaling": scalingActions(), "ssm": {"GetParameter": getParameter}}
}
