package api

import "strings"

// Calls are the API calls of a kind of resource, with the IAM actions that they need. They are the only place that
// names calls: callsgen writes calls.go from them, the policies are made of them, and a test compares them with the
// calls that all other tests make. After a change, run `go generate ./provider/aws`. Each text is a literal.
//
// A text has names, separated by spaces. "CreateVpc" is a call with the action of the same name,
// "GetBucketCors:GetBucketCORS" a call whose action has another name, and ":TagRole" an action without a call of its
// own.
type Calls struct {
	Service  string   // the prefix of the actions
	Own      string   // if Touches is set, the rest of the ARN of resources with ovi's tags, "instance/*"
	Observes string   // to observe and check it
	Creates  string   // with ovi's tags in the call
	Changes  string   // of resources with ovi's tags
	Deletes  string   // of resources with ovi's tags, where the service knows such a condition
	Untagged string   // that know no tags
	Touches  string   // actions above that also act on other resources
	Secrets  string   // calls whose request can carry a secret: this package has the function callHasSecret that tells
	Others   []string // actions of other services, "iam:PassRole"
	Linked   string   // the service whose own role it may create
}

// Made returns the calls, "ec2.CreateVpc".
func (c Calls) Made() []string {
	var out []string
	for _, list := range []string{c.Observes, c.Creates, c.Changes, c.Deletes, c.Untagged} {
		for name := range strings.FieldsSeq(list) {
			if name, _, _ = strings.Cut(name, ":"); name != "" {
				out = append(out, c.Service+"."+name)
			}
		}
	}
	return out
}

// Actions returns the IAM actions of names, "ec2:CreateVpc".
func (c Calls) Actions(names string) []string {
	out := strings.Fields(names)
	for i, name := range out {
		if _, action, other := strings.Cut(name, ":"); other {
			name = action
		}
		out[i] = c.Service + ":" + name
	}
	return out
}
