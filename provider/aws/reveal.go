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

// Reveal implements provider.Revealer: an instance's user_data, which no list has. What else is
// secret, AWS does not tell.
func (p *Provider) Reveal(ctx context.Context, have resource.Observed, path string) (resource.Secret, error) {
	k, g, err := p.begin(ctx, have.Ref)
	if err != nil {
		return resource.Secret{}, err
	}
	if k.schema.Name != kindEC2 || path != "user_data" {
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
	plain, err := base64.StdEncoding.DecodeString(aws.ToString(out.UserData.Value))
	if err != nil {
		return resource.Secret{}, permanent(op, fmt.Errorf("the user data of %s is not base64", have.ID), "")
	}
	return resource.NewSecret(string(plain), ""), nil
}
