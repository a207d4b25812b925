package identity

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

type xmlPolicyDetail struct{ PolicyName, PolicyDocument string }

type xmlAttached struct{ PolicyName, PolicyArn string }

func viewAttached(r *role) []xmlAttached {
	var out []xmlAttached
	for _, arn := range r.Attached {
		out = append(out, xmlAttached{arn[strings.LastIndex(arn, "/")+1:], arn})
	}
	return out
}

// maxInline is for all inline policies of a role together, white space apart ("IAM and AWS STS quotas").
const maxInline = 10240

func putRolePolicy(x *core.Exchange) (any, error) {
	name, doc := x.P.Str("PolicyName"), x.P.Str("PolicyDocument")
	if !json.Valid([]byte(doc)) {
		return nil, wire.Failf("MalformedPolicyDocument", "Syntax errors in policy.")
	}
	return changeRole(x, func(r *role) error {
		r.Inline[name] = doc
		n := 0
		for _, d := range r.Inline {
			n += len(strings.Join(strings.Fields(d), ""))
		}
		if n > maxInline {
			return wire.FailAs(409, "LimitExceeded", "Maximum policy size of %d bytes exceeded for role %s", maxInline, r.ID)
		}
		return nil
	})
}

func getRolePolicy(x *core.Exchange) (any, error) {
	r, err := roleOf(x)
	if err != nil {
		return nil, err
	}
	name := x.P.Str("PolicyName")
	doc, ok := r.Inline[name]
	if !ok {
		return nil, noEntity("role policy", name)
	}
	return struct{ RoleName, PolicyName, PolicyDocument string }{r.ID, name, escaped(doc)}, nil
}

func deleteRolePolicy(x *core.Exchange) (any, error) {
	return changeRole(x, func(r *role) error {
		name := x.P.Str("PolicyName")
		if _, ok := r.Inline[name]; !ok {
			return noEntity("role policy", name)
		}
		delete(r.Inline, name)
		return nil
	})
}

func listRolePolicies(x *core.Exchange) (any, error) {
	r, err := roleOf(x)
	if err != nil {
		return nil, err
	}
	return struct {
		Names       []string `xml:"PolicyNames>member"`
		IsTruncated bool
	}{slices.Sorted(maps.Keys(r.Inline)), false}, nil
}

// managedPolicy: the sandbox has AWS's own policies by whatever name, and none of the account's.
func managedPolicy(arn string) error {
	if !strings.HasPrefix(arn, "arn:aws:iam::aws:policy/") {
		return wire.FailAs(404, "NoSuchEntity", "Policy %s does not exist or is not attachable.", arn)
	}
	return nil
}

func attachRolePolicy(x *core.Exchange) (any, error) {
	arn := x.P.Str("PolicyArn")
	if err := managedPolicy(arn); err != nil {
		return nil, err
	}
	return changeRole(x, func(r *role) error {
		if !slices.Contains(r.Attached, arn) {
			r.Attached = append(r.Attached, arn)
		}
		if len(r.Attached) > 10 {
			return wire.FailAs(409, "LimitExceeded", "Cannot exceed quota for PoliciesPerRole: 10")
		}
		return nil
	})
}

func detachRolePolicy(x *core.Exchange) (any, error) {
	arn := x.P.Str("PolicyArn")
	return changeRole(x, func(r *role) error {
		if !slices.Contains(r.Attached, arn) {
			return wire.FailAs(404, "NoSuchEntity", "Policy %s was not found.", arn)
		}
		r.Attached = slices.DeleteFunc(r.Attached, func(a string) bool { return a == arn })
		return nil
	})
}

func listAttached(x *core.Exchange) (any, error) {
	r, err := roleOf(x)
	if err != nil {
		return nil, err
	}
	return struct {
		Attached    []xmlAttached `xml:"AttachedPolicies>member"`
		IsTruncated bool
	}{viewAttached(r), false}, nil
}

func getManagedPolicy(x *core.Exchange) (any, error) {
	arn := x.P.Str("PolicyArn")
	if err := managedPolicy(arn); err != nil {
		return nil, err
	}
	return struct{ Policy xmlManaged }{xmlManaged{arn[strings.LastIndex(arn, "/")+1:], arn}}, nil
}

type xmlManaged struct{ PolicyName, Arn string }
