package balance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	// elbPage is the size of pages; more is not allowed.
	elbPage = 400
	// elbTagged is how many resources' tags one call reads.
	elbTagged = 20
	// elbName is for the names of load balancers and target groups.
	elbName    = `[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?`
	elbNameDoc = "letters, digits and hyphens, at most 32 characters, not starting or ending with a hyphen"
	elbNameMax = 32
)

// elbTags reads the tags of resources, which no list of this service has. Elastic Load Balancing
// API Reference, DescribeTags: up to 20 resources in a single call; one that does not exist makes
// the call fail.
func elbTags(ctx context.Context, g *api.Region, arns []string) (map[string]map[string]string, error) {
	out := map[string]map[string]string{}
	for some := range slices.Chunk(arns, elbTagged) {
		all, err := g.ELB.DescribeTags(ctx, &elb.DescribeTagsInput{ResourceArns: some})
		if err != nil {
			return nil, api.Classify("", err)
		}
		for _, d := range all.TagDescriptions {
			tags := map[string]string{}
			for _, t := range d.Tags {
				tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
			}
			out[aws.ToString(d.ResourceArn)] = tags
		}
	}
	return out, nil
}

// withTags makes observed resources of what was listed. What was deleted since has no tags to read, and
// fails the whole call for its page: then each is read alone, and what is absent is left away.
// Every other error makes the list fail: a resource without its tags would pass for unmanaged.
func withTags[T any](ctx context.Context, g *api.Region, all []T, arn func(T) *string,
	observed func(T, map[string]string) resource.Observed,
) ([]resource.Observed, error) {
	arns := make([]string, len(all))
	for i := range all {
		arns[i] = aws.ToString(arn(all[i]))
	}
	tags, err := elbTags(ctx, g, arns)
	if api.Absent(err) { // only then, because it takes many calls
		tags = map[string]map[string]string{}
		for _, a := range arns {
			one, err := elbTags(ctx, g, []string{a})
			if err != nil && !api.Absent(err) {
				return nil, err
			}
			maps.Copy(tags, one)
		}
	} else if err != nil {
		return nil, err
	}
	var out []resource.Observed
	for i := range all {
		if t, there := tags[arns[i]]; there {
			out = append(out, observed(all[i], t))
		}
	}
	return out, nil
}

// lone is the one resource of a list, or NotFound.
func lone(all []resource.Observed, err error, op, id string) (resource.Observed, error) {
	return api.Only(all, err, op, id)
}

// tagELB sets and removes tags of a resource of this service. AddTags overwrites a tag of the same
// key, and other tags are kept. The tags are set before others are removed, so an interruption
// leaves surplus tags.
func tagELB(ctx context.Context, g *api.Region, id string, set map[string]string, drop []string) error {
	if len(set) > 0 {
		if _, err := g.ELB.AddTags(ctx, &elb.AddTagsInput{ResourceArns: []string{id}, Tags: elbTagList(set)}); err != nil {
			return api.Classify("", err)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	_, err := g.ELB.RemoveTags(ctx, &elb.RemoveTagsInput{ResourceArns: []string{id}, TagKeys: drop})
	return api.Classify("", err)
}

// elbTagList returns tags sorted by their keys, so that equal tags make equal requests.
func elbTagList(tags map[string]string) []types.Tag {
	var out []types.Tag
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return out
}

// byName finds and creates resources whose names are unique in a region. If no resource has the
// name, the error of find is absent. After create, the resource may not be visible yet.
type byName struct {
	find   func(ctx context.Context, name string) (resource.Observed, error)
	create func(ctx context.Context, name string) error
	max    int // how long names are
}

// make creates a resource once. The service takes a second call with the same settings for the
// first one, also where another hand made that: the name is looked for before, and the key
// afterwards. A resource that is created before the one it replaces is deleted gets a name of its
// own. Elastic Load Balancing API Reference, CreateLoadBalancer: "If you attempt to create multiple
// load balancers with the same settings, each call succeeds". The idempotence protects a retry and
// hides a resource of another owner, so the key in the tags decides. Two processes that create at
// the same time get one resource; the one whose key is not in the tags reports the name as taken.
func (b byName) make(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	name := api.Named(&r.Desired)
	o, err := b.find(ctx, name)
	if err == nil && o.Marks.Key != r.Key && beside(g, o, r) {
		// The suffix depends on the key alone, so that a retry finds the resource of the first attempt. The name is cut
		// to the limit of the service. api.SuffixedIdentifierAttr accepts this form of a suffix as equal to the
		// configured name, so both must agree.
		sum := sha256.Sum256([]byte(r.Key))
		suffix := "-" + hex.EncodeToString(sum[:4])
		name = name[:min(len(name), b.max-len(suffix))] + suffix
		o, err = b.find(ctx, name)
	}
	switch {
	// An earlier attempt of this request created it.
	case err == nil && o.Marks.Key == r.Key:
		return o, nil
	case err == nil:
		return resource.Observed{}, api.Taken(o, r)
	case !api.Absent(err):
		return resource.Observed{}, err
	}
	if err := b.create(ctx, name); err != nil {
		return resource.Observed{}, api.Classify("", err)
	}
	err = g.AwaitSeen(ctx, g.Wait.Appear, r.Desired.Ref.Kind+" "+name, func(ctx context.Context) (err error) {
		o, err = b.find(ctx, name)
		return err
	})
	// Another client created a resource with equal settings since the search, and the call returned
	// it.
	if err == nil && o.Marks.Key != r.Key {
		err = api.Taken(o, r)
	}
	return o, err
}

// check finds a name that is taken. There are no dry runs. The resource that this request replaces,
// or that it created, does not count as taken.
func (b byName) check(ctx context.Context, g *api.Region, r provider.Request) error {
	o, err := b.find(ctx, api.Named(&r.Desired))
	switch {
	case api.Absent(err):
		return nil
	case err != nil:
		return err
	case o.ID == r.Have.ID, beside(g, o, r), r.Key != "" && o.Marks.Key == r.Key:
		return nil
	}
	return api.Taken(o, r)
}

// beside reports that a resource is the one that a request replaces and that is deleted after it.
// The ref in the marks decides, because a resource that was replaced once already has a name with a
// suffix.
func beside(g *api.Region, old resource.Observed, r provider.Request) bool {
	return r.Desired.Replace == resource.CreateFirst && old.Marks.Ref.Stack == r.Desired.Ref.Stack &&
		g.ShortRef(old.Marks.Ref) == g.ShortRef(r.Desired.Ref)
}

// notYet is for the errors of a resource that was just created and is not visible yet. The same
// codes report a resource that does not exist. Such an error is returned after the wait.
func notYet(err error) bool {
	return api.HasCode(err, "LoadBalancerNotFound", "TargetGroupNotFound", "SubnetNotFound", "InvalidSecurityGroup")
}

// noGateway explains a refusal: AWS lets no load balancer face the internet in a VPC without
// gateway. The code InvalidSubnet has other causes, such as a subnet without free addresses
// (InvalidSubnetException), so the text of the service stays in the error. Every other error is
// classified and otherwise unchanged.
func noGateway(err error) error {
	var e *provider.Error
	if err = api.Classify("", err); errors.As(err, &e) && e.Code == "InvalidSubnet" {
		out := *e
		out.Err = fmt.Errorf("%w", e.Err)
		out.Hint = "a load balancer that faces the internet needs an internet_gateway: name it in depends_on"
		return &out
	}
	return err
}
