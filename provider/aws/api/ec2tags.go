package api

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// TagsOf reads EC2's tags into a map.
func TagsOf(tags []types.Tag) map[string]string {
	out := make(map[string]string, len(tags))
	for _, t := range tags {
		out[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return out
}

// EC2Tags returns tags in the form of EC2, in the order of their keys.
func EC2Tags(tags map[string]string) []types.Tag {
	out := make([]types.Tag, 0, len(tags))
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return out
}

// Born sets the tags of a new resource of a type in the call that creates it.
func Born(what types.ResourceType, tags map[string]string) types.TagSpecification {
	return types.TagSpecification{ResourceType: what, Tags: EC2Tags(tags)}
}

// TagEC2 changes the tags of any resource of EC2. EC2 merges, so that other tags stay. Amazon EC2
// API Reference, CreateTags: "Adds or overwrites only the specified tags". DeleteTags: a key
// without a value is deleted "regardless of its value". Both calls may be repeated.
func TagEC2(ctx context.Context, g *Region, id string, set map[string]string, drop []string) error {
	if len(set) > 0 {
		_, err := g.EC2.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{id}, Tags: EC2Tags(set)})
		if err != nil {
			return Classify("", err)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	var keys []types.Tag
	for _, k := range drop {
		keys = append(keys, types.Tag{Key: aws.String(k)})
	}
	_, err := g.EC2.DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: []string{id}, Tags: keys})
	return Classify("", err)
}

// Where is one filter of a list.
func Where(name string, values ...string) []types.Filter {
	return []types.Filter{{Name: aws.String(name), Values: values}}
}

// BornWith finds what was created with a key, by its tag. The tag is written by the creating call,
// so a lost answer leaves no resource without it.
func BornWith(key string) []types.Filter { return Where("tag:"+TagKey, key) }
