package identity

import (
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

type xmlIAMProfile struct {
	Path, InstanceProfileName, InstanceProfileId, Arn string
	CreateDate                                        time.Time
	Roles                                             []xmlRole     `xml:"Roles>member"`
	Tags                                              []core.IAMTag `xml:"Tags>member"`
}

type oneProfile struct{ InstanceProfile xmlIAMProfile }

func viewRoleProfile(x *core.Exchange, p *instanceProfile) xmlIAMProfile {
	out := xmlIAMProfile{
		Path: p.Path, InstanceProfileName: p.ID, InstanceProfileId: p.ProfileID,
		Arn:        iamARN("instance-profile", p.Path, p.ID),
		CreateDate: p.Made, Tags: core.IAMTagList(p.Tags),
	}
	if r, ok := core.Find[*role](x.Tx, "", p.Role); ok {
		out.Roles = []xmlRole{viewRole(r)}
	}
	return out
}

func profilesOf(x *core.Exchange, role string) []*instanceProfile {
	var out []*instanceProfile
	for _, p := range core.List[*instanceProfile](x.Tx, "") {
		if p.Role == role {
			out = append(out, p)
		}
	}
	return out
}

func profile(x *core.Exchange) (*instanceProfile, error) {
	name := x.P.Str("InstanceProfileName")
	p, ok := core.Find[*instanceProfile](x.Tx, "", name)
	if !ok {
		return nil, wire.FailAs(404, "NoSuchEntity", "Instance Profile %s cannot be found.", name)
	}
	return p, nil
}

func createProfile(x *core.Exchange) (any, error) {
	name := x.P.Str("InstanceProfileName")
	if _, there := core.Find[*instanceProfile](x.Tx, "", name); there {
		return nil, wire.FailAs(409, "EntityAlreadyExists", "Instance Profile %s already exists.", name)
	}
	tags, err := iamTags(x)
	if err != nil {
		return nil, err
	}
	p := &instanceProfile{Base: x.Tx.Named(name, ""), Path: x.P.Or("Path", "/")}
	p.ProfileID = iamID("AIPA", x.Tx.St.Hex("AIPA", p.Seq))
	p.Tags = tags
	x.Tx.Put(p)
	return oneProfile{viewRoleProfile(x, p)}, nil
}

func getProfile(x *core.Exchange) (any, error) {
	p, err := profile(x)
	if err != nil {
		return nil, err
	}
	return oneProfile{viewRoleProfile(x, p)}, nil
}

// deleteProfile: one with a role stays (IAM API reference: DeleteInstanceProfile).
func deleteProfile(x *core.Exchange) (any, error) {
	p, err := profile(x)
	switch {
	case err != nil:
		return nil, err
	case p.Role != "":
		return nil, wire.FailAs(409, "DeleteConflict", "Cannot delete entity, must remove roles from instance profile first.")
	}
	x.Tx.Drop(p)
	return struct{}{}, nil
}

// addRole: one role at most ("Using instance profiles").
func addRole(x *core.Exchange) (any, error) {
	p, err := profile(x)
	if err != nil {
		return nil, err
	}
	r, err := roleOf(x)
	switch {
	case err != nil:
		return nil, err
	case p.Role != "":
		return nil, wire.FailAs(409, "LimitExceeded", "Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1")
	}
	n := *p
	n.Role = r.ID
	x.Tx.Put(&n)
	return struct{}{}, nil
}

func removeRole(x *core.Exchange) (any, error) {
	p, err := profile(x)
	if err != nil {
		return nil, err
	}
	if name := x.P.Str("RoleName"); p.Role != name {
		return nil, noEntity("role", name)
	}
	n := *p
	n.Role = ""
	x.Tx.Put(&n)
	return struct{}{}, nil
}

func listProfiles(x *core.Exchange) (any, error) {
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
