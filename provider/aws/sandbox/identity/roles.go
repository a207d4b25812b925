package identity

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

type xmlRole struct {
	Path, RoleName, RoleId, Arn string
	CreateDate                  time.Time
	AssumeRolePolicyDocument    string
	Description                 string `xml:",omitempty"`
	MaxSessionDuration          int
	Tags                        []core.IAMTag `xml:"Tags>member"`
}

func iamARN(what, path, name string) string {
	return "arn:aws:iam::" + wire.Account + ":" + what + path + name
}

// escaped is a document in the form in which IAM reports it ("URL-encoded compliant with RFC 3986").
func escaped(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

func viewRole(r *role) xmlRole {
	return xmlRole{
		Path: r.Path, RoleName: r.ID, RoleId: r.RoleID, Arn: iamARN("role", r.Path, r.ID), CreateDate: r.Made,
		AssumeRolePolicyDocument: escaped(r.Trust), Description: r.Description, MaxSessionDuration: r.MaxSession,
		Tags: core.IAMTagList(r.Tags),
	}
}

var (
	iamName   = wire.Late(`^[\w+=,.@-]{1,64}$`)
	iamTagged = wire.Late(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$`)
)

func noEntity(what, name string) error {
	return wire.FailAs(404, "NoSuchEntity", "The %s with name %s cannot be found.", what, name)
}

func roleOf(x *core.Exchange) (*role, error) {
	name := x.P.Str("RoleName")
	r, ok := core.Find[*role](x.Tx, "", name)
	if !ok {
		return nil, noEntity("role", name)
	}
	return r, nil
}

func iamTags(x *core.Exchange) (map[string]string, error) {
	tags := map[string]string{}
	for _, t := range x.P.Items("Tags.member") {
		tags[t.Str("Key")] = t.Str("Value")
	}
	for k, v := range tags {
		if !iamTagged.MatchString(k) || !iamTagged.MatchString(v) {
			return nil, wire.Failf("ValidationError",
				"Value at 'tags' failed to satisfy constraint: Member must satisfy regular expression pattern: "+
					"[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*")
		}
	}
	return tags, core.CheckTags(tags)
}

// trustDocument is a policy of who may use a role (IAM API reference: CreateRole,
// MalformedPolicyDocument).
func trustDocument(s string) error {
	var doc struct {
		Statement []struct{ Resource, Principal any }
	}
	if err := json.Unmarshal([]byte(s), &doc); err != nil {
		var one struct {
			Statement struct{ Resource, Principal any }
		}
		if json.Unmarshal([]byte(s), &one) != nil {
			return wire.Failf("MalformedPolicyDocument", "This policy contains invalid Json")
		}
		doc.Statement = append(doc.Statement, one.Statement)
	}
	for _, st := range doc.Statement {
		switch {
		case st.Resource != nil:
			return wire.Failf("MalformedPolicyDocument", "Has prohibited field Resource")
		case st.Principal == nil:
			return wire.Failf("MalformedPolicyDocument", "Missing required field Principal")
		}
	}
	return nil
}

func createRole(x *core.Exchange) (any, error) {
	name, trust := x.P.Str("RoleName"), x.P.Str("AssumeRolePolicyDocument")
	if !iamName.MatchString(name) {
		return nil, wire.Failf("ValidationError",
			"The specified value for roleName is invalid. It must contain only alphanumeric characters and/or the following: "+
				"+=,.@_-")
	}
	if err := trustDocument(trust); err != nil {
		return nil, err
	}
	for _, r := range core.List[*role](x.Tx, "") {
		if strings.EqualFold(r.ID, name) {
			return nil, wire.FailAs(409, "EntityAlreadyExists", "Role with name %s already exists.", name)
		}
	}
	tags, err := iamTags(x)
	if err != nil {
		return nil, err
	}
	session, err := x.P.Num("MaxSessionDuration", 3600)
	if err != nil {
		return nil, err
	}
	r := &role{
		Base: x.Tx.Named(name, ""), Path: x.P.Or("Path", "/"), Trust: trust, Description: x.P.Str("Description"),
		MaxSession: session,
	}
	r.RoleID = iamID("AROA", x.Tx.St.Hex("AROA", r.Seq))
	r.Tags = tags
	x.Tx.Put(r)
	return struct{ Role xmlRole }{viewRole(r)}, nil
}

// iamID has upper-case letters and digits ("IAM identifiers: unique identifiers").
func iamID(prefix, hex string) string { return prefix + strings.ToUpper(hex[:17]) }

func getRole(x *core.Exchange) (any, error) {
	r, err := roleOf(x)
	if err != nil {
		return nil, err
	}
	return struct{ Role xmlRole }{viewRole(r)}, nil
}

func changeRole(x *core.Exchange, change func(*role) error) (any, error) {
	r, err := roleOf(x)
	if err != nil {
		return nil, err
	}
	n := *r
	n.Inline, n.Tags, n.Attached = maps.Clone(r.Inline), maps.Clone(r.Tags), slices.Clone(r.Attached)
	if n.Inline == nil {
		n.Inline = map[string]string{}
	}
	if n.Tags == nil {
		n.Tags = map[string]string{}
	}
	if err := change(&n); err != nil {
		return nil, err
	}
	x.Tx.Put(&n)
	return struct{}{}, nil
}

func updateRole(x *core.Exchange) (any, error) {
	return changeRole(x, func(r *role) (err error) {
		r.Description = x.P.Or("Description", r.Description)
		r.MaxSession, err = x.P.Num("MaxSessionDuration", r.MaxSession)
		return err
	})
}

func updateTrust(x *core.Exchange) (any, error) {
	return changeRole(x, func(r *role) error {
		r.Trust = x.P.Str("PolicyDocument")
		return trustDocument(r.Trust)
	})
}

func tagRole(x *core.Exchange) (any, error) {
	tags, err := iamTags(x)
	if err != nil {
		return nil, err
	}
	return changeRole(x, func(r *role) error {
		maps.Copy(r.Tags, tags)
		return core.CheckTags(r.Tags)
	})
}

func untagRole(x *core.Exchange) (any, error) {
	keys := x.P.Strs("TagKeys.member")
	return changeRole(x, func(r *role) error {
		for _, k := range keys {
			delete(r.Tags, k)
		}
		return nil
	})
}

// deleteRole: a role that is not empty stays (IAM API reference: DeleteRole, DeleteConflict).
func deleteRole(x *core.Exchange) (any, error) {
	r, err := roleOf(x)
	switch {
	case err != nil:
		return nil, err
	case len(r.Attached) > 0:
		return nil, wire.FailAs(409, "DeleteConflict", "Cannot delete entity, must detach all policies first.")
	case len(r.Inline) > 0:
		return nil, wire.FailAs(409, "DeleteConflict", "Cannot delete entity, must delete policies first.")
	case len(profilesOf(x, r.ID)) > 0:
		return nil, wire.FailAs(409, "DeleteConflict", "Cannot delete entity, must remove roles from instance profile first.")
	}
	x.Tx.Drop(r)
	return struct{}{}, nil
}

type xmlRoleDetail struct {
	Path, RoleName, RoleId, Arn string
	CreateDate                  time.Time
	AssumeRolePolicyDocument    string
	Inline                      []xmlPolicyDetail `xml:"RolePolicyList>member"`
	Attached                    []xmlAttached     `xml:"AttachedManagedPolicies>member"`
	Profiles                    []xmlIAMProfile   `xml:"InstanceProfileList>member"`
	Tags                        []core.IAMTag     `xml:"Tags>member"`
}

// authorizationDetails has what ListRoles has not: tags and policies (IAM API reference:
// GetAccountAuthorizationDetails).
func authorizationDetails(x *core.Exchange) (any, error) {
	if f := x.P.Strs("Filter.member"); len(f) != 1 || f[0] != "Role" {
		return nil, wire.Failf("ValidationError", "The sandbox lists roles only.")
	}
	rows, more, next, err := iamPage(x, core.List[*role](x.Tx, ""))
	if err != nil {
		return nil, err
	}
	var out []xmlRoleDetail
	for _, r := range rows {
		d := xmlRoleDetail{
			Path: r.Path, RoleName: r.ID, RoleId: r.RoleID, Arn: iamARN("role", r.Path, r.ID), CreateDate: r.Made,
			AssumeRolePolicyDocument: escaped(r.Trust), Attached: viewAttached(r), Tags: core.IAMTagList(r.Tags),
		}
		for _, name := range slices.Sorted(maps.Keys(r.Inline)) {
			d.Inline = append(d.Inline, xmlPolicyDetail{name, escaped(r.Inline[name])})
		}
		for _, p := range profilesOf(x, r.ID) {
			d.Profiles = append(d.Profiles, viewRoleProfile(x, p))
		}
		out = append(out, d)
	}
	return struct {
		List        []xmlRoleDetail `xml:"RoleDetailList>member"`
		IsTruncated bool
		Marker      *string
	}{out, more, next}, nil
}

// iamPage cuts a page as IAM does: 100 unless set otherwise, 1,000 at most.
func iamPage[T core.Entity](x *core.Exchange, all []T) (rows []T, more bool, next *string, err error) {
	size, err := x.P.Num("MaxItems", 100)
	if err != nil {
		return nil, false, nil, err
	}
	if size < 1 || size > 1000 {
		return nil, false, nil, wire.Failf("ValidationError",
			"Value '%d' at 'maxItems' failed to satisfy constraint: Member must have value less than or equal to 1000", size)
	}
	rows, marker, ok := core.Cut(all, x.P.Str("Marker"), size)
	if !ok {
		return nil, false, nil, wire.Failf("ValidationError", "Invalid Marker.")
	}
	if marker == "" {
		return rows, false, nil, nil
	}
	return rows, true, &marker, nil
}
