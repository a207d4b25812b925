package database

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/resource"
)

func TestDisksThatRDSDoesNotOfferAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		storageType                string
		storage, iops, rate, grows int64
		want                       string // the paths that are wrong
	}{
		{"gp3", 20, 0, 0, 100, ""},
		{"gp3", 20, 0, 0, 20, "max_storage"},
		{"gp3", 399, 12000, 500, 0, "iops throughput"},
		{"gp3", 400, 12000, 500, 0, ""},
		{"gp3", 400, 11000, 0, 0, "iops"},
		{"gp3", 400, 12000, 3001, 0, "throughput"},
		{"gp3", 0, 12000, 500, 0, ""}, // of an adopted one
		{"", 400, 12000, 0, 0, ""},
		{"gp2", 400, 12000, 500, 0, "iops throughput"},
		{"io1", 100, 0, 0, 0, "storage_type"},
		{"io1", 100, 1000, 0, 0, ""},
		{"io2", 50, 1000, 500, 0, "storage throughput"},
		{"standard", 50, 1000, 0, 0, "iops"},
	} {
		a := map[string]resource.Value{"size": resource.String("db.t3.micro")}
		if c.storageType != "" {
			a["storage_type"] = resource.String(c.storageType)
		}
		for name, n := range map[string]int64{"storage": c.storage, "iops": c.iops, "throughput": c.rate, "max_storage": c.grows} {
			if n > 0 {
				a[name] = resource.Int(n)
			}
		}
		_, problems := resource.Check(rdsSchema(), resource.AttrsOf(a))
		var got []string
		for _, p := range problems {
			got = append(got, p.Path)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%+v: %q, %+v", c, s, problems)
		}
	}
}
