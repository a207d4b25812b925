package aws

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/compute"
	"github.com/ovi-project/ovi/resource"
)

// Reveal implements provider.Revealer: the user_data of an instance, which no list has, and of a
// launch template. AWS does not return any other secret. An instance without user_data has an empty
// secret and no error.
func (p *Provider) Reveal(ctx context.Context, have resource.Observed, path string) (resource.Secret, error) {
	k, g, err := p.begin(ctx, have.Ref)
	if err != nil {
		return resource.Secret{}, err
	}
	switch {
	case k.Schema.Name == compute.KindTemplate && path == compute.UserData:
		return compute.RevealTemplate(ctx, g, have.ID)
	case k.Schema.Name != api.KindEC2 || path != compute.UserData:
		return resource.Secret{}, api.Mistake("", fmt.Errorf("AWS does not tell %s of %s", path, k.Schema.Name), "")
	}
	const op = "ec2.DescribeInstanceAttribute"
	out, err := g.EC2.DescribeInstanceAttribute(ctx, &ec2.DescribeInstanceAttributeInput{
		InstanceId: aws.String(have.ID), Attribute: types.InstanceAttributeNameUserData,
	})
	if err != nil {
		return resource.Secret{}, api.Classify(op, err)
	}
	if out.UserData == nil {
		return resource.Secret{}, nil
	}
	return compute.Decoded(op, have.ID, out.UserData.Value)
}
