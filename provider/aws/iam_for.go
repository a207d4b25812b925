package aws

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/compute"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// grant is a statement of a policy.
type grant struct {
	Sid         string
	Effect      string
	Action      []string
	Resource    []string                  `json:",omitempty"`
	NotResource []string                  `json:",omitempty"`
	Condition   map[string]map[string]any `json:",omitempty"`
}

// configured holds the AWS resources of configurations.
type configured struct {
	stacks, regions []string
	kinds           []string // sorted
	referred        []string // kinds that are observed besides
	buckets         []string // their names; nil if one is not known before an apply
	spot            bool     // an instance is a spot instance
	keys            bool     // a volume has a key of its own
	grants          bool     // a database has a key of its own
}

// IAMPolicyFor is the smallest policy with which the configurations can be observed and applied, as JSON;
// several that are all needed if it exceeds what IAM takes in one. Resources that AWS can authorize by tags
// are created only with the tag ovi:stack of one of the stacks, and changed and deleted only if they have
// it; regional calls are limited to the regions, and calls that change buckets to the buckets' names. A
// kind that is no longer configured and still recorded is not in it.
func IAMPolicyFor(intents []resource.Intent) [][]byte {
	c := configuredIn(intents)
	var all []grant
	add := func(g grant) {
		slices.Sort(g.Action)
		if g.Action = slices.Compact(g.Action); len(g.Action) == 0 {
			return
		}
		if g.Effect = "Allow"; g.NotResource == nil && g.Resource == nil {
			g.Resource = []string{"*"}
		}
		all = append(all, g)
	}
	c.observing(add)
	c.owning(add)
	c.sharing(add)
	c.plain(add)
	var out [][]byte
	for _, d := range packed(all) {
		text, err := json.MarshalIndent(d, "", "  ")
		if err != nil {
			return nil // of strings alone: it cannot fail
		}
		out = append(out, append(text, '\n'))
	}
	return out
}

// configuredIn collects the AWS resources of configurations. A location that cannot be split is
// used whole as the name of a region.
func configuredIn(intents []resource.Intent) configured {
	c := configured{buckets: []string{}}
	for _, in := range intents {
		for i := range in.Resources {
			d := &in.Resources[i]
			if d.Ref.Provider != api.ProviderName {
				continue
			}
			_, region, err := api.SplitLocation(d.Ref.Location)
			if err != nil {
				region = d.Ref.Location
			}
			c.stacks, c.regions, c.kinds = append(c.stacks, in.Stack), append(c.regions, region), append(c.kinds, d.Ref.Kind)
			if d.Ref.Kind == api.KindS3 {
				c.bucket(d)
			}
			on, _ := api.Flag(d.Attrs, compute.SpotAttr)
			c.spot = c.spot || on
			c.keys = c.keys || hasVolumeKey(d)
			_, key := d.Attrs.Get(api.KMSKeyAttr)
			c.grants = c.grants || key && d.Ref.Kind == api.KindRDS // RDS needs a grant of a key of the customer
		}
	}
	for _, list := range []*[]string{&c.stacks, &c.regions, &c.kinds} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	for _, k := range kinds() {
		if slices.Contains(c.kinds, k.Schema.Name) {
			c.referred = append(c.referred, refKinds(k.Schema.Attrs)...)
		}
	}
	return c
}

// hasVolumeKey reports that a resource creates volumes with a key of its own. A template creates none.
func hasVolumeKey(d *resource.Desired) bool {
	a := d.Attrs
	if v, ok := a.Get("root_volume"); ok && d.Ref.Kind == api.KindEC2 {
		a, _ = v.(resource.Attrs)
	}
	_, has := a.Get(api.KMSKeyAttr)
	return has && (d.Ref.Kind == api.KindEC2 || d.Ref.Kind == api.KindEBS)
}

// bucket adds the name of a bucket. A name that only an apply knows sets the list to nil for good,
// and the policy then allows the calls on all buckets.
func (c *configured) bucket(d *resource.Desired) {
	name := d.Ref.Name
	if v, ok := d.Attrs.Get("bucket"); ok {
		text, plain := v.(resource.String)
		if !plain {
			c.buckets = nil
			return
		}
		name = string(text)
	}
	if c.buckets != nil {
		c.buckets = append(c.buckets, name)
	}
}

// refKinds are the kinds that attributes refer to: a plan observes them too. An attribute with a
// RefPath does not count, as in the plan.
func refKinds(schema []resource.Attribute) (out []string) {
	for i := range schema {
		a := &schema[i]
		if a.RefKind != "" && a.RefPath == "" {
			out = append(out, a.RefKind)
		}
		if a.Elem != nil {
			out = append(out, refKinds([]resource.Attribute{*a.Elem})...)
		}
		out = append(out, refKinds(a.Fields)...)
	}
	return out
}

// limited adds a statement twice: for regional actions, with their regions, and for the others. IAM
// User Guide, "AWS: Denies access to AWS based on the requested Region": global services have "a
// single endpoint that is physically located in the us-east-1 Region", so the regions of the
// configurations would exclude their calls.
func (c *configured) limited(add func(grant), g grant) {
	regional, other := g, g
	regional.Action, other.Action = nil, nil
	for _, a := range g.Action {
		switch service, _, _ := strings.Cut(a, ":"); service {
		case "iam", "route53", "s3", "sts": // these belong to no region, or to the region of each bucket
			other.Action = append(other.Action, a)
		default:
			regional.Action = append(regional.Action, a)
		}
	}
	other.Sid += "Global"
	// Both statements have the map of g, so the regions are added to a copy.
	regional.Condition = maps.Clone(g.Condition)
	equals := map[string]any{"aws:RequestedRegion": c.regions}
	if regional.Condition == nil {
		regional.Condition = map[string]map[string]any{}
	}
	maps.Copy(equals, regional.Condition["StringEquals"])
	regional.Condition["StringEquals"] = equals
	add(regional)
	add(other)
}

// observing adds the reads of the configured kinds and of the kinds that they refer to. Reads of
// other services are added for configured kinds only.
func (c *configured) observing(add func(grant)) {
	g := grant{Sid: "OviObserve", Action: []string{"sts:GetCallerIdentity"}}
	table := calls()
	for _, kind := range slices.Concat(c.kinds, c.referred) {
		n := table[kind]
		g.Action = append(g.Action, n.Actions(n.Observes)...)
	}
	for _, kind := range c.kinds {
		for _, a := range table[kind].Others {
			if _, name, _ := strings.Cut(a, ":"); api.Reads(name) {
				g.Action = append(g.Action, a)
			}
		}
	}
	c.limited(add, g)
}

// owning adds the rights to resources that are created with ovi's tags, and changed only if they have them.
func (c *configured) owning(add func(grant)) {
	request, has := grant{Sid: "OviCreate", Condition: c.tagged("aws:RequestTag/")},
		grant{Sid: "OviChange", Condition: c.tagged("aws:ResourceTag/")}
	ec2 := false
	table := calls()
	for _, kind := range c.kinds {
		n := table[kind]
		request.Action, has.Action = append(request.Action, n.Actions(n.Creates)...),
			append(has.Action, n.Actions(n.Changes)...)
		if !untagged(n.Service) {
			has.Action = append(has.Action, n.Actions(n.Deletes)...)
		}
		ec2 = ec2 || n.Service == "ec2"
	}
	if ec2 { // CreateTags also adopts, and tags what is created
		request.Action, has.Action = append(request.Action, "ec2:CreateTags"),
			append(has.Action, "ec2:CreateTags", "ec2:DeleteTags")
	}
	c.limited(add, request)
	c.limited(add, has)
}

// tagged returns the condition that the tag ovi:stack is one of the stacks. The prefix of the key
// decides whether it is a tag of the request or of the resource.
func (c *configured) tagged(key string) map[string]map[string]any {
	return map[string]map[string]any{"StringEquals": {key + api.TagStack: c.stacks}}
}

// sharing adds the rights to resources of other types in the same calls: a subnet is created in a VPC that
// may have another owner. AWS decides separately for each resource of a call. The kind itself is
// excluded: without a condition, the statement would allow changes of resources of the kind that
// have no tag of a stack.
func (c *configured) sharing(add func(grant)) {
	table := calls()
	for _, kind := range c.kinds {
		n := table[kind]
		own := []string{"arn:" + c.partition() + ":" + n.Service + ":*:*:" + n.Own}
		if kind == api.KindEC2 { // root volumes have tags too
			own = append(own, "arn:"+c.partition()+":ec2:*:*:volume/*")
		}
		beside := n.Actions(n.Touches)
		// the interface of the launch, which has no tags
		if kind == api.KindEC2 && slices.Contains(c.kinds, network.KindInterface) {
			beside = append(beside, "ec2:ModifyNetworkInterfaceAttribute")
		}
		c.limited(add, grant{Sid: "OviBeside" + sidOf(kind), Action: beside, NotResource: own})
	}
}

// plain adds the rights that AWS cannot limit by tags, and the roles that are passed on or created by AWS.
func (c *configured) plain(add func(grant)) {
	other, buckets := grant{Sid: "OviOther"}, grant{Sid: "OviBuckets"}
	var linked []string
	passes := false
	table := calls()
	for _, kind := range c.kinds {
		n := table[kind]
		plain := n.Actions(n.Untagged)
		if untagged(n.Service) {
			plain = append(plain, n.Actions(n.Deletes)...)
		}
		if kind == api.KindS3 {
			buckets.Action = plain
		} else {
			other.Action = append(other.Action, plain...)
		}
		for _, a := range n.Others {
			if _, name, _ := strings.Cut(a, ":"); a == passRole {
				passes = true
			} else if !api.Reads(name) {
				other.Action = append(other.Action, a)
			}
		}
		if n.Linked != "" {
			linked = append(linked, n.Linked)
		}
	}
	c.limited(add, other)
	for _, b := range c.buckets {
		buckets.Resource = append(buckets.Resource, "arn:"+c.partition()+":s3:::"+b)
	}
	add(buckets)
	if slices.Contains(c.kinds, compute.KindScaling) { // the tags that a template gives to what it launches
		c.limited(add, grant{
			Sid: "OviTagLaunched", Action: []string{"ec2:CreateTags"},
			Condition: map[string]map[string]any{"StringEquals": {"ec2:CreateAction": "RunInstances"}},
		})
	}
	// The first action, kms:CreateGrant, is in the next statement, with its condition.
	if c.keys {
		c.limited(add, grant{Sid: "OviVolumeKeys", Action: append(volumeKeyActions()[1:], "kms:DescribeKey")})
	}
	if c.keys || c.grants {
		c.limited(add, grant{Sid: "OviGrantKeys", Action: []string{granting}, Condition: grantToAWS()})
	}
	if passes {
		add(grant{
			Sid: "OviPassRole", Action: []string{passRole},
			Condition: map[string]map[string]any{"StringEquals": {"iam:PassedToService": passedTo(c.partition())}},
		})
	}
	if c.spot {
		linked = append(linked, compute.SpotService)
	}
	if slices.Sort(linked); len(linked) > 0 {
		add(grant{
			Sid: "OviServiceRole", Action: []string{serviceRole},
			Condition: map[string]map[string]any{"StringEquals": {"iam:AWSServiceName": slices.Compact(linked)}},
		})
	}
}

// partition returns the partition of the regions, or "*" if there are several.
func (c *configured) partition() string {
	out := ""
	for _, r := range c.regions {
		p := api.PartitionOf(r)
		if out != "" && out != p {
			return "*"
		}
		out = p
	}
	return out
}

// passedTo is EC2 as a role is passed to it: in China it has a name of its own.
func passedTo(partition string) []string {
	if partition == "aws-cn" || partition == "*" {
		return []string{"ec2.amazonaws.com", "ec2.amazonaws.com.cn"}
	}
	return []string{"ec2.amazonaws.com"}
}

// sidOf is a kind in the letters that a Sid may have.
func sidOf(kind string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(kind, "_") {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}
