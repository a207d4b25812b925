package aws_test

import (
	"errors"

	"github.com/ovi-project/ovi/provider"
)

func isReplace(err error) bool { return errors.Is(err, provider.ErrReplace) }

func isClass(err error, class string) bool {
	names := map[provider.Class]string{
		provider.Transient: "transient", provider.Throttled: "throttled", provider.Permanent: "permanent", provider.NotFound: "not found",
		provider.Denied: "denied", provider.Conflict: "conflict", provider.Uncertain: "uncertain",
	}
	return err != nil && names[provider.ClassOf(err)] == class
}
