package aws

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ovi-project/ovi/resource"
)

// validBucketPolicy: a policy of a bucket names who, and what in it. An empty one stands for none.
func validBucketPolicy(v resource.Value) []resource.Problem {
	if v == resource.String("") {
		return nil
	}
	return judgeDocument(v, func(st map[string]any) string {
		switch {
		case !oneOf(st, "Principal", "NotPrincipal"):
			return "a statement of a bucket's policy needs a Principal: who may act"
		case !oneOf(st, "Resource", "NotResource"):
			return "a statement of a bucket's policy needs a Resource: the bucket, or objects in it"
		}
		return ""
	})
}

func fillPolicy(ctx context.Context, g *region, b *bucket) error {
	out, err := g.s3.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: aws.String(b.name)})
	if hasCode(err, "NoSuchBucketPolicy") {
		return nil
	}
	if err == nil {
		b.policy = aws.ToString(out.Policy)
	}
	return err
}

// allow sets the policy, or removes it. A role that it names may have been created a moment ago.
func (s shape) allow(ctx context.Context) error {
	policy, ok := text(s.attrs, policyAttr)
	if !ok || !s.changed(policyAttr) {
		return nil
	}
	return s.patientlyIf(ctx, s.wait.Appear, func() error {
		if policy == "" {
			_, err := s.s3.DeleteBucketPolicy(ctx, &s3.DeleteBucketPolicyInput{Bucket: s.bucket})
			return classify("", err)
		}
		_, err := s.s3.PutBucketPolicy(ctx, &s3.PutBucketPolicyInput{Bucket: s.bucket, Policy: aws.String(policy)})
		return classify("", err)
	}, func(err error) bool { return hasCode(err, "NoSuchBucket", "OperationAborted") || unknownPrincipal(err) })
}
