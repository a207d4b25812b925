package compute

import (
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func profileActions() map[string]core.Handler {
	return map[string]core.Handler{
		"AssociateIamInstanceProfile":            associateProfile,
		"DisassociateIamInstanceProfile":         disassociateProfile,
		"ReplaceIamInstanceProfileAssociation":   replaceProfile,
		"DescribeIamInstanceProfileAssociations": describeProfiles,
	}
}

type xmlAssociation struct {
	ID       string     `xml:"associationId"`
	Instance string     `xml:"instanceId"`
	Profile  xmlProfile `xml:"iamInstanceProfile"`
	State    string     `xml:"state"`
}

type xmlAssociated struct {
	One xmlAssociation `xml:"iamInstanceProfileAssociation"`
}

func viewProfile(in *ec2.Instance, state string) xmlAssociation {
	return xmlAssociation{in.ProfileID, in.ID, xmlProfile{in.Profile, "AIPA" + strings.ToUpper(in.ID[len("i-"):])}, state}
}

// associateProfile: an instance has at most one profile (EC2 API reference:
// AssociateIamInstanceProfile).
func associateProfile(x *core.Exchange) (any, error) {
	in, err := ec2.InstanceOf(x)
	if err != nil {
		return nil, err
	}
	arn := profileARN(x.P.At("IamInstanceProfile"))
	switch {
	case arn == "":
		return nil, wire.Missing("IamInstanceProfile")
	case in.Dead():
		return nil, wrongState(in, in.Life.At(x.Now), "given a profile")
	case in.Profile != "":
		return nil, wire.Failf("IncorrectState", "There is an existing association for instance %s", in.ID)
	}
	n := *in
	n.Profile, n.ProfileID = arn, x.Tx.Fresh("iip-assoc-", x.Region).ID
	x.Tx.Put(&n)
	return xmlAssociated{viewProfile(&n, "associating")}, nil
}

// association finds the instance that an association belongs to.
func association(x *core.Exchange) (*ec2.Instance, error) {
	id := x.P.Str("AssociationId")
	if id == "" {
		return nil, wire.Missing("AssociationId")
	}
	for _, in := range core.List[*ec2.Instance](x.Tx, x.Region) {
		if in.ProfileID == id {
			return in, nil
		}
	}
	return nil, wire.Failf("InvalidAssociationID.NotFound", "An invalid association-id of '%s' was given", id)
}

func disassociateProfile(x *core.Exchange) (any, error) {
	in, err := association(x)
	if err != nil {
		return nil, err
	}
	n := *in
	n.Profile, n.ProfileID = "", ""
	x.Tx.Put(&n)
	return xmlAssociated{viewProfile(in, "disassociating")}, nil
}

func replaceProfile(x *core.Exchange) (any, error) {
	in, err := association(x)
	if err != nil {
		return nil, err
	}
	n := *in
	if n.Profile = profileARN(x.P.At("IamInstanceProfile")); n.Profile == "" {
		return nil, wire.Missing("IamInstanceProfile")
	}
	n.ProfileID = x.Tx.Fresh("iip-assoc-", x.Region).ID
	x.Tx.Put(&n)
	return xmlAssociated{viewProfile(&n, "associating")}, nil
}

func describeProfiles(x *core.Exchange) (any, error) {
	desired := map[string]bool{}
	for _, id := range x.P.Strs("AssociationId") {
		desired[id] = true
	}
	all, err := core.Filtered(x, core.List[*ec2.Instance](x.Tx, x.Region),
		func(in *ec2.Instance, name string) ([]string, bool) {
			switch name {
			case "instance-id":
				return core.One(in.ID)
			case "state":
				return core.One("associated")
			}
			return nil, false
		})
	if err != nil {
		return nil, err
	}
	var with []*ec2.Instance
	for _, in := range all {
		if in.Profile != "" && !in.Dead() && (len(desired) == 0 || desired[in.ProfileID]) {
			with = append(with, in)
		}
	}
	rows, next, err := ec2.Page(x, with, "AssociationId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlAssociation
	for _, in := range rows {
		out = append(out, viewProfile(in, "associated"))
	}
	return struct {
		Set  []xmlAssociation `xml:"iamInstanceProfileAssociationSet>item"`
		Next *string          `xml:"nextToken"`
	}{out, next}, nil
}
