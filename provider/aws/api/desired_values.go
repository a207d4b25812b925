package api

import (
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ovi-project/ovi/resource"
)

func DesiredIs(a resource.Attrs, name, value string) bool {
	s, ok := Text(a, name)
	return ok && s == value
}

// Desired reads a configured string for the SDK: nil if it is not set.
func Desired(a resource.Attrs, name string) *string {
	if s, ok := Text(a, name); ok && s != "" {
		return aws.String(s)
	}
	return nil
}
