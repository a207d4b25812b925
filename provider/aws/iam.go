package aws

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/compute"
)

func permissions(o operation) []string {
	if len(o.actions) > 0 {
		return o.actions
	}
	return []string{strings.Replace(o.call, ".", ":", 1)}
}

type policy struct {
	Version   string
	Statement []statement
}

type statement struct {
	Sid       string
	Effect    string
	Action    []string
	Resource  string
	Condition map[string]map[string]any `json:",omitempty"`
}

// limits are the conditions of actions that must not be allowed without one.
func limits() map[string]statement {
	equals := func(sid, key string, value any) statement {
		return statement{Sid: sid, Condition: map[string]map[string]any{"StringEquals": {key: value}}}
	}
	return map[string]statement{
		granting:       {Sid: "OviGrantKey", Condition: grantToAWS()},
		"iam:PassRole": equals("OviPassRole", "iam:PassedToService", passedTo("*")),
		"iam:CreateServiceLinkedRole": equals("OviServiceRole", "iam:AWSServiceName",
			[]string{
				"rds.amazonaws.com", "elasticloadbalancing.amazonaws.com", "autoscaling.amazonaws.com",
				compute.SpotService,
			}),
	}
}

// IAMPolicy is the smallest policy with which everything of this provider works, as JSON. Its
// first statement is enough to plan. EC2 and RDS resources may be deleted only if they have
// ovi's tag; S3 and Route 53 have no such condition. Who may change roles may give themselves any right: what OviRoles
// allows is apart, so that it can be left away.
func IAMPolicy() []byte {
	tagged := map[string]map[string]any{"StringEquals": {"aws:ResourceTag/" + api.TagManaged: "true"}}
	all := []statement{
		{Sid: "OviObserve"},
		{Sid: "OviChange"},
		{Sid: "OviDeleteTagged", Condition: tagged},
		{Sid: "OviDeleteAny"},
		{Sid: "OviRoles"},
	}
	limited := limits()
	for _, o := range operations() {
		if o.call == "sts.AssumeRole" {
			continue // which roles these credentials assume is not known here, and any would be too much
		}
		at := partOf(o)
		for _, action := range permissions(o) {
			if s, ok := limited[action]; ok {
				s.Action = append(s.Action, action)
				limited[action] = s
				continue
			}
			all[at].Action = append(all[at].Action, action)
		}
	}
	for _, action := range slices.Sorted(maps.Keys(limited)) {
		all = append(all, limited[action])
	}
	for i := range all {
		all[i].Effect, all[i].Resource = "Allow", "*"
		slices.Sort(all[i].Action)
		all[i].Action = slices.Compact(all[i].Action)
	}
	out, err := json.MarshalIndent(policy{Version: "2012-10-17", Statement: all}, "", "  ")
	if err != nil {
		return nil // of strings alone: it cannot fail
	}
	return append(out, '\n')
}

// partOf is the statement that an operation belongs to.
func partOf(o operation) int {
	service, name, _ := strings.Cut(o.call, ".")
	switch {
	case api.Reads(name):
		return 0
	case service == "iam" && !o.destroy:
		return 4
	case !o.destroy:
		return 1
	case service == "s3" || service == "route53":
		return 3
	}
	return 2
}
