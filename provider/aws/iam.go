package aws

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/compute"
)

// These actions are limited to some services: those that ovi passes roles to, and those whose own role it may create.
const (
	passRole    = "iam:PassRole"
	serviceRole = "iam:CreateServiceLinkedRole"
)

// shared are the calls that belong to no kind.
func shared() []api.Calls {
	return []api.Calls{
		{Service: "sts", Observes: "GetCallerIdentity", Untagged: "AssumeRole"},
		{Service: "ssm", Observes: "GetParameter"}, // the images that AWS publishes
		{Service: "ec2", Creates: "CreateTags", Changes: "DeleteTags"},
	}
}

// calls returns the API calls of each kind, by its name.
func calls() map[string]api.Calls {
	out := map[string]api.Calls{}
	for _, k := range kinds() {
		out[k.Schema.Name] = k.Calls
	}
	return out
}

// untagged reports that the policies of a service have no condition for the tags of a resource.
func untagged(service string) bool { return service == "s3" || service == "route53" }

type policy struct {
	Version   string
	Statement []statement
}

// statement is a statement of IAMPolicy. Its resource is always "*": no configuration is known, so
// only a condition limits it. iam_for.go has grant, which names resources too.
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
		granting: {Sid: "OviGrantKey", Condition: grantToAWS()},
		passRole: equals("OviPassRole", "iam:PassedToService", passedTo("*")),
		serviceRole: equals("OviServiceRole", "iam:AWSServiceName",
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
	add := func(at int, actions ...string) {
		for _, action := range actions {
			// A limited action is in no other statement: one that allows it without the condition
			// would be enough.
			if s, ok := limited[action]; ok {
				s.Action = append(s.Action, action)
				limited[action] = s
			} else if action != "sts:AssumeRole" { // which roles these credentials assume is not known here
				all[at].Action = append(all[at].Action, action)
			}
		}
	}
	for _, c := range append(shared(), slices.Collect(maps.Values(calls()))...) {
		// The statements, by their index in all, for changes and deletes of this kind.
		change, remove := 1, 2
		if c.Service == "iam" {
			change = 4
		} else if untagged(c.Service) {
			remove = 3
		}
		add(0, c.Actions(c.Observes)...)
		add(change, c.Actions(c.Creates)...)
		add(change, c.Actions(c.Changes)...)
		add(change, c.Actions(c.Untagged)...)
		add(remove, c.Actions(c.Deletes)...)
		for _, action := range c.Others {
			// An action of another service is in no list of the kind, so its name decides.
			_, name, _ := strings.Cut(action, ":")
			if api.Reads(name) {
				add(0, action)
			} else {
				add(1, action)
			}
		}
		if c.Linked != "" {
			add(1, serviceRole)
		}
	}
	add(1, volumeKeyActions()...)
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
