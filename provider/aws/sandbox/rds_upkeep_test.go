package sandbox_test

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

func TestThePerformanceOfStorage(t *testing.T) {
	c, clk := open(t)
	cl := rdsOf(c)
	storage := func(kind string, gib, iops, rate int32) func(*rds.CreateDBInstanceInput) {
		return func(in *rds.CreateDBInstanceInput) {
			in.StorageType, in.AllocatedStorage = aws.String(kind), aws.Int32(gib)
			if iops > 0 {
				in.Iops = aws.Int32(iops)
			}
			if rate > 0 {
				in.StorageThroughput = aws.Int32(rate)
			}
		}
	}
	for _, bad := range []func(*rds.CreateDBInstanceInput){
		storage("gp3", 100, 3000, 0), storage("gp3", 100, 0, 500), storage("gp3", 400, 3000, 0), storage("gp3", 400, 12000, 125), storage("gp3", 400, 12000, 4000),
		storage("gp2", 400, 3000, 0), storage("io1", 100, 0, 0), storage("io2", 100, 3000, 500),
	} {
		_, err := cl.CreateDBInstance(ctx, dbInput("db", bad))
		wantCode(t, err, "InvalidParameterCombination")
	}
	ok(cl.CreateDBInstance(ctx, dbInput("db", storage("io1", 100, 3000, 0))))(t)
	clk.pass(20 * time.Second)
	change := func(set func(*rds.ModifyDBInstanceInput)) error {
		in := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("db"), ApplyImmediately: aws.Bool(true)}
		set(in)
		_, err := cl.ModifyDBInstance(ctx, in)
		return err
	}
	wantCode(t, change(func(in *rds.ModifyDBInstanceInput) { in.Iops = aws.Int32(4000) }), "InvalidParameterCombination")
	wantCode(t, change(func(in *rds.ModifyDBInstanceInput) { in.AllocatedStorage = aws.Int32(200) }), "InvalidParameterCombination")
	if err := change(func(in *rds.ModifyDBInstanceInput) { in.Iops, in.AllocatedStorage = aws.Int32(4000), aws.Int32(100) }); err != nil {
		t.Error(err)
	}
	clk.pass(20 * time.Second)
	if err := change(func(in *rds.ModifyDBInstanceInput) {
		in.StorageType, in.MaxAllocatedStorage = aws.String("gp3"), aws.Int32(500)
	}); err != nil {
		t.Error(err)
	}
	clk.pass(20 * time.Second)
	if d := theDB(t, cl, "db"); *d.Iops != 3000 || *d.StorageThroughput != 125 || *d.MaxAllocatedStorage != 500 {
		t.Errorf("%d iops, %d MiB/s, up to %d GiB", *d.Iops, *d.StorageThroughput, *d.MaxAllocatedStorage)
	}
	if err := change(func(in *rds.ModifyDBInstanceInput) { in.MaxAllocatedStorage = aws.Int32(100) }); err != nil {
		t.Error(err)
	}
	if d := theDB(t, cl, "db"); d.MaxAllocatedStorage != nil {
		t.Errorf("it grows up to %d GiB", *d.MaxAllocatedStorage)
	}
}
