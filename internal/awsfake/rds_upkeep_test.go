package awsfake_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
)

func TestWindowsOfDatabases(t *testing.T) {
	c, clk := open(t)
	cl := rdsOf(c)
	for _, bad := range []struct{ backup, upkeep string }{
		{"04:00-04:29", "sun:06:00-sun:06:30"}, {"04:00-04:30", "sun:06:00-sun:06:10"}, {"23:45-00:15", "sun:23:30-mon:00:10"}, {"4-5", "sun:06:00-sun:06:30"},
	} {
		_, err := cl.CreateDBInstance(ctx, dbInput("db", func(in *rds.CreateDBInstanceInput) {
			in.PreferredBackupWindow, in.PreferredMaintenanceWindow = aws.String(bad.backup), aws.String(bad.upkeep)
		}))
		wantCode(t, err, "InvalidParameterValue")
	}
	d := ok(cl.CreateDBInstance(ctx, dbInput("db", func(in *rds.CreateDBInstanceInput) { in.PreferredBackupWindow = aws.String("06:00-07:00") })))(t).DBInstance
	if *d.PreferredMaintenanceWindow == "sun:06:00-sun:06:30" {
		t.Error("the chosen window is where the backups are made")
	}
	clk.pass(20 * time.Second)
	_, err := cl.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("db"), PreferredMaintenanceWindow: aws.String("Mon:06:30-Mon:07:30")})
	wantCode(t, err, "InvalidParameterValue")
	ok(cl.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("db"), PreferredMaintenanceWindow: aws.String("Mon:07:00-Mon:07:30")}))(t)
	if got := *theDB(t, cl, "db").PreferredMaintenanceWindow; got != "mon:07:00-mon:07:30" {
		t.Errorf("the window is %s", got)
	}
}
