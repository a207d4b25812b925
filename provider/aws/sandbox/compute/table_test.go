package compute

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
)

// TestAnIndexFollowsItsTable: what is found under an instance is what a scan of all volumes finds, and
// the addresses in use of a subnet are those of its instances.
func TestAnIndexFollowsItsTable(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		st := core.NewState("seed", core.NewKinds(Kinds()))
		tx := core.NewTx(st, time.Unix(0, 0))
		names := []string{"a", "b", "c", "d"}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			id, parent := rapid.SampledFrom(names).Draw(t, "id"), rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "parent")
			v := &volume{Base: core.Base{ID: id, Region: "r", Seq: int64(id[0])}}
			if parent != "" {
				v.Attached = &attached{Instance: parent}
			}
			i := &ec2.Instance{Base: core.Base{ID: id, Region: "r", Seq: int64(id[0])}, Subnet: parent, Life: core.Steady(rapid.SampledFrom([]string{"running", "terminated"}).Draw(t, "life"))}
			switch rapid.IntRange(0, 3).Draw(t, "do") {
			case 0:
				tx.Drop(v)
			case 1:
				tx.Drop(i)
			case 2:
				tx.Rollback()
			default:
				tx.Put(v)
				tx.Put(i)
			}
		}
		for _, parent := range []string{"x", "y"} {
			var volumes []core.Entity
			for _, e := range st.Table("volume", "r").Rows() {
				if v, ok := e.(*volume); ok && v.Parent() == parent {
					volumes = append(volumes, v)
				}
			}
			used := 0
			for _, e := range st.Table("instance", "r").Rows() {
				if i, ok := e.(*ec2.Instance); ok && i.Subnet == parent && !i.Dead() {
					used++
				}
			}
			if got := st.Table("volume", "r").Below(parent); len(got) != len(volumes) {
				t.Fatalf("under %s are %v, the index has %v", parent, volumes, got)
			}
			if got := st.Table("instance", "r").Count(parent); got != used {
				t.Fatalf("%d addresses of %s are in use, the index has %d", used, parent, got)
			}
		}
	})
}
