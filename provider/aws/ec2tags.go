package aws

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// tagsOf reads EC2's tags into a map.
func tagsOf(tags []types.Tag) map[string]string {
	out := make(map[string]string, len(tags))
	for _, t := range tags {
		out[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return out
}

func ec2Tags(tags map[string]string) []types.Tag {
	out := make([]types.Tag, 0, len(tags))
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return out
}

// born sets the tags of a new resource of a type in the call that creates it.
func born(what types.ResourceType, tags map[string]string) types.TagSpecification {
	return types.TagSpecification{ResourceType: what, Tags: ec2Tags(tags)}
}

// tagEC2 changes the tags of any resource of EC2. EC2 merges, so that other tags stay.
func tagEC2(ctx context.Context, g *region, id string, set map[string]string, drop []string) error {
	if len(set) > 0 {
		_, err := g.ec2.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{id}, Tags: ec2Tags(set)})
		if err != nil {
			return classify("", err)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	var keys []types.Tag
	for _, k := range drop {
		keys = append(keys, types.Tag{Key: aws.String(k)})
	}
	_, err := g.ec2.DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: []string{id}, Tags: keys})
	return classify("", err)
}

// where is one filter of a list.
func where(name string, values ...string) []types.Filter {
	return []types.Filter{{Name: aws.String(name), Values: values}}
}

// bornWith finds what was created with a key, by its tag.
func bornWith(key string) []types.Filter { return where("tag:"+tagKey, key) }
