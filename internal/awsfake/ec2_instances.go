package awsfake

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
