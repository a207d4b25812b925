package awsfake

import "strings"

func profileActions() map[string]handler {
	return map[string]handler{
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

func viewProfile(in *instance, state string) xmlAssociation {
	return xmlAssociation{in.ProfileID, in.ID, xmlProfile{in.Profile, "AIPA" + strings.ToUpper(in.ID[len("i-"):])}, state}
}

// associateProfile: an instance has at most one profile (EC2 API reference:
// AssociateIamInstanceProfile).
func associateProfile(x *exchange) (any, error) {
	in, err := instanceOf(x)
	if err != nil {
		return nil, err
	}
	arn := profileARN(x.p.at("IamInstanceProfile"))
	switch {
	case arn == "":
		return nil, missing("IamInstanceProfile")
	case in.dead():
		return nil, wrongState(in, in.Life.at(x.now), "given a profile")
	case in.Profile != "":
		return nil, failf("IncorrectState", "There is an existing association for instance %s", in.ID)
	}
	n := *in
	n.Profile, n.ProfileID = arn, x.tx.fresh("iip-assoc-", x.Region).ID
	x.tx.put(&n)
	return xmlAssociated{viewProfile(&n, "associating")}, nil
}

// association finds the instance that an association belongs to.
func association(x *exchange) (*instance, error) {
	id := x.p.str("AssociationId")
	if id == "" {
		return nil, missing("AssociationId")
	}
	for _, in := range list[*instance](x.tx, x.Region) {
		if in.ProfileID == id {
			return in, nil
		}
	}
	return nil, failf("InvalidAssociationID.NotFound", "An invalid association-id of '%s' was given", id)
}

func disassociateProfile(x *exchange) (any, error) {
	in, err := association(x)
	if err != nil {
		return nil, err
	}
	n := *in
	n.Profile, n.ProfileID = "", ""
	x.tx.put(&n)
	return xmlAssociated{viewProfile(in, "disassociating")}, nil
}

func replaceProfile(x *exchange) (any, error) {
	in, err := association(x)
	if err != nil {
		return nil, err
	}
	n := *in
	if n.Profile = profileARN(x.p.at("IamInstanceProfile")); n.Profile == "" {
		return nil, missing("IamInstanceProfile")
	}
	n.ProfileID = x.tx.fresh("iip-assoc-", x.Region).ID
	x.tx.put(&n)
	return xmlAssociated{viewProfile(&n, "associating")}, nil
}

func describeProfiles(x *exchange) (any, error) {
	desired := map[string]bool{}
	for _, id := range x.p.strs("AssociationId") {
		desired[id] = true
	}
	all, err := filtered(x, list[*instance](x.tx, x.Region), func(in *instance, name string) ([]string, bool) {
		switch name {
		case "instance-id":
			return one(in.ID)
		case "state":
			return one("associated")
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	var with []*instance
	for _, in := range all {
		if in.Profile != "" && !in.dead() && (len(desired) == 0 || desired[in.ProfileID]) {
			with = append(with, in)
		}
	}
	rows, next, err := ec2Page(x, with, "AssociationId", 1000)
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
