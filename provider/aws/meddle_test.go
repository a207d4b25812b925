package aws_test

import (
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ovi-project/ovi/resource"
)

// changeOutsideOvi is what a user does in the AWS console.
func changeOutsideOvi(t *testing.T, cfg sdk.Config, act string, o resource.Observed) {
	t.Helper()
	ctx, id := t.Context(), sdk.String(o.ID)
	e := ec2.NewFromConfig(cfg)
	b := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	var err error
	switch act {
	case "stop":
		_, err = e.StopInstances(ctx, &ec2.StopInstancesInput{InstanceIds: []string{o.ID}})
	case "terminate":
		_, err = e.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{o.ID}})
	case "retag":
		_, err = e.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{o.ID}, Tags: []ec2types.Tag{tag("team", "other"), tag("audited", "yes")}})
	case "open":
		_, err = e.AuthorizeSecurityGroupIngress(ctx, &ec2.AuthorizeSecurityGroupIngressInput{GroupId: id, IpPermissions: []ec2types.IpPermission{{
			IpProtocol: sdk.String("tcp"), FromPort: sdk.Int32(22), ToPort: sdk.Int32(22), IpRanges: []ec2types.IpRange{{CidrIp: sdk.String("0.0.0.0/0")}},
		}}})
	case "schedule":
		if strings.HasPrefix(o.ID, "arn:") {
			_, err = secretsmanager.NewFromConfig(cfg).DeleteSecret(ctx, &secretsmanager.DeleteSecretInput{SecretId: id})
		} else {
			_, err = kms.NewFromConfig(cfg).ScheduleKeyDeletion(ctx, &kms.ScheduleKeyDeletionInput{KeyId: id})
		}
	case "unblock":
		_, err = b.DeletePublicAccessBlock(ctx, &s3.DeletePublicAccessBlockInput{Bucket: id})
	case "fill":
		_, err = b.PutObject(ctx, &s3.PutObjectInput{Bucket: id, Key: sdk.String("a"), Body: strings.NewReader("x")})
	case "empty":
		var out *s3.ListObjectVersionsOutput
		if out, err = b.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: id}); err != nil {
			break
		}
		for _, v := range out.Versions {
			if _, err = b.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: id, Key: v.Key, VersionId: v.VersionId}); err != nil {
				break
			}
		}
	default:
		t.Fatalf("unknown action %s", act)
	}
	if err != nil {
		t.Fatalf("%s %s by hand: %v", act, o.ID, err)
	}
}
