package awsfake

import "time"

func iamProfileActions() map[string]handler {
	return map[string]handler{
		"CreateInstanceProfile": createProfile, "GetInstanceProfile": getProfile, "DeleteInstanceProfile": deleteProfile,
		"AddRoleToInstanceProfile": addRole, "RemoveRoleFromInstanceProfile": removeRole, "ListInstanceProfilesForRole": listProfiles,
	}
}

type xmlIAMProfile struct {
	Path, InstanceProfileName, InstanceProfileId, Arn string
	CreateDate                                        time.Time
	Roles                                             []xmlRole   `xml:"Roles>member"`
	Tags                                              []xmlIAMTag `xml:"Tags>member"`
}

type oneProfile struct{ InstanceProfile xmlIAMProfile }

func viewRoleProfile(x *exchange, p *instanceProfile) xmlIAMProfile {
	out := xmlIAMProfile{
		Path: p.Path, InstanceProfileName: p.ID, InstanceProfileId: p.ProfileID, Arn: iamARN("instance-profile", p.Path, p.ID),
		CreateDate: p.Made, Tags: iamTagList(p.Tags),
	}
	if r, ok := find[*role](x.tx, "", p.Role); ok {
		out.Roles = []xmlRole{viewRole(r)}
	}
	return out
}

func profilesOf(x *exchange, role string) []*instanceProfile {
	var out []*instanceProfile
	for _, p := range list[*instanceProfile](x.tx, "") {
		if p.Role == role {
			out = append(out, p)
		}
	}
	return out
}

func profile(x *exchange) (*instanceProfile, error) {
	name := x.p.str("InstanceProfileName")
	p, ok := find[*instanceProfile](x.tx, "", name)
	if !ok {
		return nil, failAs(404, "NoSuchEntity", "Instance Profile %s cannot be found.", name)
	}
	return p, nil
}

func createProfile(x *exchange) (any, error) {
	name := x.p.str("InstanceProfileName")
	if _, there := find[*instanceProfile](x.tx, "", name); there {
		return nil, failAs(409, "EntityAlreadyExists", "Instance Profile %s already exists.", name)
	}
	tags, err := iamTags(x)
	if err != nil {
		return nil, err
	}
	p := &instanceProfile{base: x.tx.named(name, ""), Path: x.p.or("Path", "/")}
	p.ProfileID = iamID("AIPA", x.tx.st.hex("AIPA", p.Seq))
	p.Tags = tags
	x.tx.put(p)
	return oneProfile{viewRoleProfile(x, p)}, nil
}

func getProfile(x *exchange) (any, error) {
	p, err := profile(x)
	if err != nil {
		return nil, err
	}
	return oneProfile{viewRoleProfile(x, p)}, nil
}

// deleteProfile: one with a role stays (IAM API reference: DeleteInstanceProfile).
func deleteProfile(x *exchange) (any, error) {
	p, err := profile(x)
	switch {
	case err != nil:
		return nil, err
	case p.Role != "":
		return nil, failAs(409, "DeleteConflict", "Cannot delete entity, must remove roles from instance profile first.")
	}
	x.tx.drop(p)
	return struct{}{}, nil
}

// addRole: one role at most ("Using instance profiles").
func addRole(x *exchange) (any, error) {
	p, err := profile(x)
	if err != nil {
		return nil, err
	}
	r, err := roleOf(x)
	switch {
	case err != nil:
		return nil, err
	case p.Role != "":
		return nil, failAs(409, "LimitExceeded", "Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1")
	}
	n := *p
	n.Role = r.ID
	x.tx.put(&n)
	return struct{}{}, nil
}

func removeRole(x *exchange) (any, error) {
	p, err := profile(x)
	if err != nil {
		return nil, err
	}
	if name := x.p.str("RoleName"); p.Role != name {
		return nil, noEntity("role", name)
	}
	n := *p
	n.Role = ""
	x.tx.put(&n)
	return struct{}{}, nil
}

func listProfiles(x *exchange) (any, error) {
	r, err := roleOf(x)
	if err != nil {
		return nil, err
	}
	rows, more, next, err := iamPage(x, profilesOf(x, r.ID))
	if err != nil {
		return nil, err
	}
	var out []xmlIAMProfile
	for _, p := range rows {
		out = append(out, viewRoleProfile(x, p))
	}
	return struct {
		List        []xmlIAMProfile `xml:"InstanceProfiles>member"`
		IsTruncated bool
		Marker      *string
	}{out, more, next}, nil
}
