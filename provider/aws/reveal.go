package aws

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/resource"
)

// Reveal implements provider.Revealer: the user_data of an instance, which no list has, and of a
// launch template. What else is
// secret, AWS does not tell.
func (p *Provider) Reveal(ctx context.Context, have resource.Observed, path string) (resource.Secret, error) {
	k, g, err := p.begin(ctx, have.Ref)
	if err != nil {
		return resource.Secret{}, err
	}
	switch {
	case k.schema.Name == kindTemplate && path == userData:
		return revealTemplate(ctx, g, have.ID)
	case k.schema.Name != kindEC2 || path != userData:
		return resource.Secret{}, permanent("", fmt.Errorf("AWS does not tell %s of %s", path, k.schema.Name), "")
	}
	const op = "ec2.DescribeInstanceAttribute"
	out, err := g.ec2.DescribeInstanceAttribute(ctx, &ec2.DescribeInstanceAttributeInput{
		InstanceId: aws.String(have.ID), Attribute: types.InstanceAttributeNameUserData,
	})
	if err != nil {
		return resource.Secret{}, classify(op, err)
	}
	if out.UserData == nil {
		return resource.Secret{}, nil
	}
	return decoded(op, have.ID, out.UserData.Value)
}

// revealTemplate reads the user data of the default version.
func revealTemplate(ctx context.Context, g *region, id string) (resource.Secret, error) {
	const op = "ec2.DescribeLaunchTemplateVersions"
	all, err := defaults(ctx, g, aws.String(id))
	v, err := only(all, err, op, id)
	if err != nil || v.LaunchTemplateData == nil || v.LaunchTemplateData.UserData == nil {
		return resource.Secret{}, err
	}
	return decoded(op, id, v.LaunchTemplateData.UserData)
}

func decoded(op, id string, text *string) (resource.Secret, error) {
	plain, err := base64.StdEncoding.DecodeString(aws.ToString(text))
	if err != nil {
		return resource.Secret{}, permanent(op, fmt.Errorf("the user data of %s is not base64", id), "")
	}
	return resource.NewSecret(string(plain), ""), nil
}
