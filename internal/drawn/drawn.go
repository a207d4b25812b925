// Package drawn gives tests their random draws. A test draws the same in each run, so that none fails by
// luck; with OVI_DRAWS=new, as in `make nightly`, each run has new draws and a failure prints its seed.
package drawn

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// fixed is the seed of rapid where draws are the same in each run.
const fixed = "35"

// Check tests a property with rapid. -rapid.seed=N draws with another seed.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	seeded()
	rapid.Check(t, property)
}

// seeded gives rapid its seed once: its tests run side by side and read it.
var seeded = sync.OnceFunc(func() { //nolint:gochecknoglobals // rapid's own flag is as global
	if seed := flag.Lookup("rapid.seed"); !unfixed() && seed.Value.String() == seed.DefValue {
		if err := flag.Set("rapid.seed", fixed); err != nil {
			panic(err)
		}
	}
})

// Rand draws for one test. OVI_DRAWS=N repeats the draws of a run that failed with the seed N.
func Rand(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(Seed(t), 0)) } //nolint:gosec // nothing secret

// Seed is that of a test: of its name, N with OVI_DRAWS=N, and a new one with OVI_DRAWS=new.
func Seed(t testing.TB) uint64 {
	t.Helper()
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(t.Name())) // never fails
	seed := sum.Sum64()
	if unfixed() {
		seed = rand.Uint64() //nolint:gosec // nothing secret
	} else if n, err := strconv.ParseUint(os.Getenv("OVI_DRAWS"), 10, 64); err == nil {
		seed = n
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the draws are repeated with OVI_DRAWS=%d", seed)
		}
	})
	return seed
}

func unfixed() bool { return os.Getenv("OVI_DRAWS") == "new" }
