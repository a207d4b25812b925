package api

import (
	"errors"
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// DryRun reads the answer to a dry run: its success has the form of an error. Amazon EC2 API
// Reference: "If you have the required permissions, the error response is DryRunOperation". An
// answer without an error is reported as a possible change.
func DryRun(err error) error {
	if HasCode(err, "DryRunOperation") {
		return nil
	}
	if err == nil {
		return errors.New("a dry run succeeded without saying so: AWS may have carried it out")
	}
	return err
}

// Unresolved reports that an attribute refers to a resource that does not exist yet, so that AWS
// cannot be asked about it; without names, that any attribute does.
func Unresolved(a resource.Attrs, names ...string) bool {
	for _, x := range a {
		if (len(names) == 0 || slices.Contains(names, x.Name)) && resource.HasReferences(x.Value) {
			return true
		}
	}
	return false
}
