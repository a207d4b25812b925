package cluster

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
)

func TestKindsCompile(t *testing.T) {
	t.Parallel()
	for _, k := range Kinds() {
		if _, err := resource.NewChecker(k); err != nil {
			t.Error(err)
		}
	}
}
