package awsfake

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestAnIndexFollowsItsTable: what is found under an instance is what a scan of all volumes finds, and
// the addresses in use of a subnet are those of its instances.
func TestAnIndexFollowsItsTable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		st := newState("seed", newKinds(computeKinds()))
		tx := newTx(st, time.Unix(0, 0))
		names := []string{"a", "b", "c", "d"}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			id, parent := rapid.SampledFrom(names).Draw(t, "id"), rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "parent")
			v := &volume{base: base{ID: id, Region: "r", Seq: int64(id[0])}}
			if parent != "" {
				v.Attached = &attached{Instance: parent}
			}
			i := &instance{base: base{ID: id, Region: "r", Seq: int64(id[0])}, Subnet: parent, Life: steady(rapid.SampledFrom([]string{"running", "terminated"}).Draw(t, "life"))}
			switch rapid.IntRange(0, 3).Draw(t, "do") {
			case 0:
				tx.drop(v)
			case 1:
				tx.drop(i)
			case 2:
				tx.rollback()
			default:
				tx.put(v)
				tx.put(i)
			}
		}
		for _, parent := range []string{"x", "y"} {
			var volumes []entity
			for _, e := range st.table("volume", "r").rows() {
				if v, ok := e.(*volume); ok && v.parent() == parent {
					volumes = append(volumes, v)
				}
			}
			used := 0
			for _, e := range st.table("instance", "r").rows() {
				if i, ok := e.(*instance); ok && i.Subnet == parent && !i.dead() {
					used++
				}
			}
			if got := st.table("volume", "r").below(parent); len(got) != len(volumes) {
				t.Fatalf("under %s are %v, the index has %v", parent, volumes, got)
			}
			if got := st.table("instance", "r").count(parent); got != used {
				t.Fatalf("%d addresses of %s are in use, the index has %d", used, parent, got)
			}
		}
	})
}
