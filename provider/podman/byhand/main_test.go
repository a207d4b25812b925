package byhand

import (
	"os"
	"testing"

	"github.com/ovi-project/ovi/internal/podmantest"
)

func TestMain(m *testing.M) {
	podmantest.Apart()
	os.Exit(m.Run())
}
