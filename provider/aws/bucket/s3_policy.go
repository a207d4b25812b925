package bucket

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// validBucketPolicy: a policy of a bucket names who, and what in it. An empty one stands for none.
func validBucketPolicy(v resource.Value) []resource.Problem {
	if v == resource.String("") {
		return nil
	}
	return api.JudgeDocument(v, func(st map[string]any) string {
		switch {
		case !api.OneOf(st, "Principal", "NotPrincipal"):
			return "a statement of a bucket's policy needs a Principal: who may act"
		case !api.OneOf(st, "Resource", "NotResource"):
			return "a statement of a bucket's policy needs a Resource: the bucket, or objects in it"
		}
		return ""
	})
}

// fillPolicy reads the bucket policy. The policy of a bucket without one is empty.
func fillPolicy(ctx context.Context, g *api.Region, b *bucket) error {
	out, err := g.S3.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: aws.String(b.name)})
	if api.HasCode(err, "NoSuchBucketPolicy") {
		return nil
	}
	if err == nil {
		b.policy = aws.ToString(out.Policy)
	}
	return err
}

// allow sets the policy, or removes it. A role that it names may have been created a moment ago. A
// policy that grants public access is refused while it is blocked, which is a mistake of the
// configuration and is not repeated. The call writes the whole policy, so a repeated call has the
// same result.
func (s shape) allow(ctx context.Context) error {
	policy, ok := api.Text(s.attrs, network.PolicyAttr)
	if !ok || !s.changed(network.PolicyAttr) {
		return nil
	}
	return s.PatientlyIf(ctx, s.Wait.Appear, func() error {
		if policy == "" {
			_, err := s.S3.DeleteBucketPolicy(ctx, &s3.DeleteBucketPolicyInput{Bucket: s.bucket})
			return api.Classify("", err)
		}
		_, err := s.S3.PutBucketPolicy(ctx, &s3.PutBucketPolicyInput{Bucket: s.bucket, Policy: aws.String(policy)})
		return api.Classify("", err)
	}, func(err error) bool {
		return api.HasCode(err, "NoSuchBucket", "OperationAborted")
	})
}
