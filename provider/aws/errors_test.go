package aws_test

import (
	"errors"

	"github.com/ovi-project/ovi/provider"
)

func isReplace(err error) bool { return errors.Is(err, provider.ErrReplace) }

func isCause(err error, cause provider.Cause) bool {
	return err != nil && provider.CauseOf(err) == cause && !provider.Absent(err)
}

func isAbsent(err error) bool { return provider.Absent(err) }
