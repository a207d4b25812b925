package aws_test

import (
	"sync"
	"testing"

	"github.com/ovi-project/ovi/internal/awsfake"
)

// asked gathers the operations that the tests of this package really called.
var asked struct {
	sync.Mutex
	operations map[string]bool
}

func noteOperations(t *testing.T, requests []awsfake.Request) {
	t.Helper()
	asked.Lock()
	defer asked.Unlock()
	if asked.operations == nil {
		asked.operations = map[string]bool{}
	}
	for _, r := range requests {
		asked.operations[r.Service+"."+r.Action] = true
	}
}
