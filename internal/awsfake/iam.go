package awsfake

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

type xmlRole struct {
	Path, RoleName, RoleId, Arn string
	CreateDate                  time.Time
	AssumeRolePolicyDocument    string
	Description                 string `xml:",omitempty"`
	MaxSessionDuration          int
	Tags                        []xmlIAMTag `xml:"Tags>member"`
}

func iamARN(what, path, name string) string {
	return "arn:aws:iam::" + Account + ":" + what + path + name
}

// escaped is a document in the form in which IAM reports it ("URL-encoded compliant with RFC 3986").
func escaped(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

func viewRole(r *role) xmlRole {
	return xmlRole{
		Path: r.Path, RoleName: r.ID, RoleId: r.RoleID, Arn: iamARN("role", r.Path, r.ID), CreateDate: r.Made,
		AssumeRolePolicyDocument: escaped(r.Trust), Description: r.Description, MaxSessionDuration: r.MaxSession, Tags: iamTagList(r.Tags),
	}
}

var (
	iamName   = late(`^[\w+=,.@-]{1,64}$`)
	iamTagged = late(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$`)
)

func noEntity(what, name string) error {
	return failAs(404, "NoSuchEntity", "The %s with name %s cannot be found.", what, name)
}

func roleOf(x *exchange) (*role, error) {
	name := x.p.str("RoleName")
	r, ok := find[*role](x.tx, "", name)
	if !ok {
		return nil, noEntity("role", name)
	}
	return r, nil
}

func iamTags(x *exchange) (map[string]string, error) {
	tags := map[string]string{}
	for _, t := range x.p.items("Tags.member") {
		tags[t.str("Key")] = t.str("Value")
	}
	for k, v := range tags {
		if !iamTagged.MatchString(k) || !iamTagged.MatchString(v) {
			return nil, failf("ValidationError", "Value at 'tags' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*")
		}
	}
	return tags, checkTags(tags)
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
			return failf("MalformedPolicyDocument", "This policy contains invalid Json")
		}
		doc.Statement = append(doc.Statement, one.Statement)
	}
	for _, st := range doc.Statement {
		switch {
		case st.Resource != nil:
			return failf("MalformedPolicyDocument", "Has prohibited field Resource")
		case st.Principal == nil:
			return failf("MalformedPolicyDocument", "Missing required field Principal")
		}
	}
	return nil
}

func createRole(x *exchange) (any, error) {
	name, trust := x.p.str("RoleName"), x.p.str("AssumeRolePolicyDocument")
	if !iamName.MatchString(name) {
		return nil, failf("ValidationError", "The specified value for roleName is invalid. It must contain only alphanumeric characters and/or the following: +=,.@_-")
	}
	if err := trustDocument(trust); err != nil {
		return nil, err
	}
	for _, r := range list[*role](x.tx, "") {
		if strings.EqualFold(r.ID, name) {
			return nil, failAs(409, "EntityAlreadyExists", "Role with name %s already exists.", name)
		}
	}
	tags, err := iamTags(x)
	if err != nil {
		return nil, err
	}
	session, err := x.p.num("MaxSessionDuration", 3600)
	if err != nil {
		return nil, err
	}
	r := &role{base: x.tx.named(name, ""), Path: x.p.or("Path", "/"), Trust: trust, Description: x.p.str("Description"), MaxSession: session}
	r.RoleID = iamID("AROA", x.tx.st.hex("AROA", r.Seq))
	r.Tags = tags
	x.tx.put(r)
	return struct{ Role xmlRole }{viewRole(r)}, nil
}

// iamID has upper-case letters and digits ("IAM identifiers: unique identifiers").
func iamID(prefix, hex string) string { return prefix + strings.ToUpper(hex[:17]) }

func getRole(x *exchange) (any, error) {
	r, err := roleOf(x)
	if err != nil {
		return nil, err
	}
	return struct{ Role xmlRole }{viewRole(r)}, nil
}

func changeRole(x *exchange, change func(*role) error) (any, error) {
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
	x.tx.put(&n)
	return struct{}{}, nil
}

func updateRole(x *exchange) (any, error) {
	return changeRole(x, func(r *role) (err error) {
		r.Description = x.p.or("Description", r.Description)
		r.MaxSession, err = x.p.num("MaxSessionDuration", r.MaxSession)
		return err
	})
}

func updateTrust(x *exchange) (any, error) {
	return changeRole(x, func(r *role) error {
		r.Trust = x.p.str("PolicyDocument")
		return trustDocument(r.Trust)
	})
}

func tagRole(x *exchange) (any, error) {
	tags, err := iamTags(x)
	if err != nil {
		return nil, err
	}
	return changeRole(x, func(r *role) error {
		maps.Copy(r.Tags, tags)
		return checkTags(r.Tags)
	})
}

func untagRole(x *exchange) (any, error) {
	keys := x.p.strs("TagKeys.member")
	return changeRole(x, func(r *role) error {
		for _, k := range keys {
			delete(r.Tags, k)
		}
		return nil
	})
}

// deleteRole: a role that is not empty stays (IAM API reference: DeleteRole, DeleteConflict).
func deleteRole(x *exchange) (any, error) {
	r, err := roleOf(x)
	switch {
	case err != nil:
		return nil, err
	case len(r.Attached) > 0:
		return nil, failAs(409, "DeleteConflict", "Cannot delete entity, must detach all policies first.")
	case len(r.Inline) > 0:
		return nil, failAs(409, "DeleteConflict", "Cannot delete entity, must delete policies first.")
	case len(profilesOf(x, r.ID)) > 0:
		return nil, failAs(409, "DeleteConflict", "Cannot delete entity, must remove roles from instance profile first.")
	}
	x.tx.drop(r)
	return struct{}{}, nil
}

type xmlRoleDetail struct {
	Path, RoleName, RoleId, Arn string
	CreateDate                  time.Time
	AssumeRolePolicyDocument    string
	Inline                      []xmlPolicyDetail `xml:"RolePolicyList>member"`
	Attached                    []xmlAttached     `xml:"AttachedManagedPolicies>member"`
	Profiles                    []xmlIAMProfile   `xml:"InstanceProfileList>member"`
	Tags                        []xmlIAMTag       `xml:"Tags>member"`
}

// authorizationDetails has what ListRoles has not: tags and policies (IAM API reference:
// GetAccountAuthorizationDetails).
func authorizationDetails(x *exchange) (any, error) {
	if f := x.p.strs("Filter.member"); len(f) != 1 || f[0] != "Role" {
		return nil, failf("ValidationError", "The sandbox lists roles only.")
	}
	rows, more, next, err := iamPage(x, list[*role](x.tx, ""))
	if err != nil {
		return nil, err
	}
	var out []xmlRoleDetail
	for _, r := range rows {
		d := xmlRoleDetail{
			Path: r.Path, RoleName: r.ID, RoleId: r.RoleID, Arn: iamARN("role", r.Path, r.ID), CreateDate: r.Made,
			AssumeRolePolicyDocument: escaped(r.Trust), Attached: viewAttached(r), Tags: iamTagList(r.Tags),
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
func iamPage[T entity](x *exchange, all []T) (rows []T, more bool, next *string, err error) {
	size, err := x.p.num("MaxItems", 100)
	if err != nil {
		return nil, false, nil, err
	}
	if size < 1 || size > 1000 {
		return nil, false, nil, failf("ValidationError", "Value '%d' at 'maxItems' failed to satisfy constraint: Member must have value less than or equal to 1000", size)
	}
	rows, marker, ok := cut(all, x.p.str("Marker"), size)
	if !ok {
		return nil, false, nil, failf("ValidationError", "Invalid Marker.")
	}
	if marker == "" {
		return rows, false, nil, nil
	}
	return rows, true, &marker, nil
}
