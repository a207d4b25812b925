package api

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3control"
)

// controlCalls are the API calls of S3 Control, which is the only way to tag buckets whose access is by
// their tags.
type controlCalls struct {
	TagResource   call[s3control.TagResourceInput, s3control.TagResourceOutput, s3control.Options]
	UntagResource call[s3control.UntagResourceInput, s3control.UntagResourceOutput, s3control.Options]
}

func controlCallsOf(service func(string) aws.Config, calls func(*string)) controlCalls {
	c := s3control.NewFromConfig(service("s3"), func(o *s3control.Options) { calls(o.BaseEndpoint) })
	return controlCalls{TagResource: c.TagResource, UntagResource: c.UntagResource}
}
