package aws_test

import (
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/ovi-project/ovi/resource"
)

func TestADatabaseIsMaintainedWhenConfigured(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "rds", "db", values{
		"size": text("db.t3.micro"), "backup_window": text("03:00-04:00"), "maintenance_window": text("Sun:05:00-Sun:06:00"), "minor_upgrades": resource.Bool(false),
	})
	w.make(d)
	seen := w.settled(d, nil)
	if attr(seen, "maintenance_window") != text("sun:05:00-sun:06:00") {
		t.Errorf("its window is %v", attr(seen, "maintenance_window"))
	}
	w.idleDB("db")
	w.modifyDB(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: sdk.String("db"), PreferredBackupWindow: sdk.String("01:00-02:00"), AutoMinorVersionUpgrade: sdk.Bool(true)})
	seen, _ = w.find(d.Ref)
	var paths []string
	for _, c := range changes(t, d, seen, nil) {
		paths = append(paths, c.Path+" "+c.Effect.String())
	}
	if got := strings.Join(paths, ", "); got != "backup_window in_place, minor_upgrades in_place" {
		t.Errorf("the drift is %s", got)
	}
	w.mustUpdate(d, seen, nil)
	w.settled(d, nil)

	// Each of the two windows is where the other one was.
	turned := desired(t, "rds", "db", values{
		"size": text("db.t3.micro"), "backup_window": text("05:00-06:00"), "maintenance_window": text("sun:03:00-sun:04:00"),
	})
	seen, _ = w.find(d.Ref)
	w.mustUpdate(turned, seen, nil)
	seen = w.settled(turned, nil)
	if attr(seen, "minor_upgrades") != resource.Bool(false) {
		t.Error("what is not configured did not stay as it was")
	}
}
