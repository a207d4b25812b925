package aws_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func TestDatabaseFromTheEngineDesignSample(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "rds", "rds", values{"size": text("db.t3.micro")}, "environment", "prod")
	w.make(d)
	seen := w.settled(d, nil)
	got := map[string]resource.Value{}
	for _, name := range []string{"engine", "storage", "encrypted", "public", "backup_days", "deletion_protection", "multi_az"} {
		got[name] = attr(seen, name)
	}
	want := map[string]resource.Value{
		"engine": text("postgres"), "storage": resource.Int(20), "encrypted": resource.Bool(true), "public": resource.Bool(false),
		"backup_days": resource.Int(7), "deletion_protection": resource.Bool(false), "multi_az": resource.Bool(false),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	if attr(seen, "password_secret") == nil {
		t.Error("the password is not managed by AWS")
	}
}

// RDS refuses to stop a database that is stopped: an attempt that follows an interrupted one finds it so.
func TestADatabaseThatIsCreatedStopped(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "rds", "idle", values{"size": text("db.t3.micro")})
	d.State = resource.StateStopped
	if o := w.created(d); o.Health != resource.Stopped {
		t.Errorf("it is %s", o.Health)
	}
}

func TestDatabaseChanges(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "rds", "db", values{"size": text("db.t3.micro"), "engine_version": text("15"), "password": secretOf("fake-password-one")})
	w.make(d)
	seen := w.settled(d, d.Attrs)
	d2 := desired(t, "rds", "db", values{
		"size": text("db.t3.small"), "engine_version": text("16"), "storage": resource.Int(30), "multi_az": resource.Bool(true),
		"deletion_protection": resource.Bool(true), "backup_days": resource.Int(14), "final_snapshot": resource.Bool(false),
		"password": secretOf("fake-password-two"),
	}, "team", "db")
	w.mustUpdate(d2, seen, d.Attrs)
	seen = w.settled(d2, d2.Attrs)
	if v, _ := attr(seen, "engine_version").(resource.String); !strings.HasPrefix(string(v), "16") {
		t.Errorf("version %s", v)
	}
	d3 := desired(t, "rds", "db", values{"size": text("db.t3.small"), "storage": resource.Int(20)})
	if all := changes(t, d3, seen, d3.Attrs); len(all) > 0 {
		t.Errorf("shrinking: %v", all)
	}
	err := w.remove(seen)
	if !isCause(err, provider.Configuration) || !strings.Contains(err.Error(), "deletion_protection: false") {
		t.Errorf("deleting a protected database: %v", err)
	}
	d4 := desired(t, "rds", "db", values{"size": text("db.t3.small"), "deletion_protection": resource.Bool(false), "final_snapshot": resource.Bool(false)})
	seen = w.mustUpdate(d4, seen, nil)
	if err := w.remove(seen); err != nil {
		t.Fatal(err)
	}
	if _, there := w.find(d.Ref); there {
		t.Error("it still exists")
	}
}

func secretOf(s string) resource.Value {
	return resource.NewSecret(s, resource.Digest("digest-of-"+s))
}

// idleDB waits until the first backup of a database is done.
func (w *liveState) idleDB(id string) {
	w.t.Helper()
	for ; ; time.Sleep(5 * time.Millisecond) {
		out := must[*rds.DescribeDBInstancesOutput](w.t)(w.rds().DescribeDBInstances(w.t.Context(), &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &id}))
		if sdk.ToString(out.DBInstances[0].DBInstanceStatus) == "available" {
			return
		}
	}
}

func (w *liveState) modifyDB(in *rds.ModifyDBInstanceInput) {
	w.t.Helper()
	must[*rds.ModifyDBInstanceOutput](w.t)(w.rds().ModifyDBInstance(w.t.Context(), in))
}

func TestADatabaseStoppedOutsideOviIsStarted(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "rds", "db", values{"size": text("db.t3.micro")})
	w.make(d)
	w.idleDB("db")
	must[*rds.StopDBInstanceOutput](t)(w.rds().StopDBInstance(t.Context(), &rds.StopDBInstanceInput{DBInstanceIdentifier: sdk.String("db")}))
	seen, _ := w.find(d.Ref)
	w.mustUpdate(d, seen, nil)
	seen = w.settled(d, nil)

	d = desired(t, "rds", "db", values{"size": text("db.t3.small"), "state": text("stopped")})
	w.mustUpdate(d, seen, nil)
	seen = w.settled(d, nil)
	if seen.Health != resource.Stopped {
		t.Errorf("it is %s", seen.Health)
	}
	d = desired(t, "rds", "db", values{"size": text("db.t3.medium"), "state": text("stopped")})
	w.mustUpdate(d, seen, nil) // RDS changes only what runs: it is started for it and stopped again
	w.settled(d, nil)

	w.make(desired(t, "rds", "db-2", values{"size": text("db.t3.micro"), "state": text("stopped")}))
}

func TestWhatIsPendingUntilTheMaintenanceWindowIsNotDrift(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "rds", "db", values{"size": text("db.t3.micro")})
	w.make(d)
	w.idleDB("db")
	w.modifyDB(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: sdk.String("db"), DBInstanceClass: sdk.String("db.t3.small"), ApplyImmediately: sdk.Bool(false)})
	small := desired(t, "rds", "db", values{"size": text("db.t3.small")})
	seen := w.settled(small, nil)
	if !strings.Contains(seen.Message, "size db.t3.micro -> db.t3.small") || !strings.Contains(seen.Message, "applies these too") {
		t.Errorf("detail %q", seen.Message)
	}
	bigger := desired(t, "rds", "db", values{"size": text("db.t3.small"), "storage": resource.Int(40)})
	w.mustUpdate(bigger, seen, nil)
	if seen = w.settled(bigger, nil); seen.Message != "" {
		t.Errorf("it still waits: %q", seen.Message)
	}
}

func TestTheFinalSnapshot(t *testing.T) {
	for _, keep := range []bool{true, false} {
		w := newLiveState(t)
		o := w.make(desired(t, "rds", "db", values{"size": text("db.t3.micro"), "final_snapshot": resource.Bool(keep)}))
		r := w.request(desired(t, "rds", "db", values{"size": text("db.t3.micro"), "final_snapshot": resource.Bool(keep)}))
		r.Have = o
		if err := w.p.Delete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		out := must[*rds.DescribeDBSnapshotsOutput](t)(w.rds().DescribeDBSnapshots(t.Context(), &rds.DescribeDBSnapshotsInput{SnapshotType: sdk.String("manual")}))
		if got := len(out.DBSnapshots) > 0; got != keep {
			t.Errorf("final_snapshot %v, and a snapshot: %v", keep, got)
		}
		for _, s := range out.DBSnapshots {
			if name := sdk.ToString(s.DBSnapshotIdentifier); !strings.HasPrefix(name, "db-final-") {
				t.Errorf("its name is %s", name)
			}
		}
	}
}

func TestADatabaseIsCreatedWhileItsPredecessorIsBeingDeleted(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "rds", "db", values{"size": text("db.t3.micro")})
	w.make(d)
	w.idleDB("db")
	must[*rds.DeleteDBInstanceOutput](t)(w.rds().DeleteDBInstance(t.Context(), &rds.DeleteDBInstanceInput{DBInstanceIdentifier: sdk.String("db"), SkipFinalSnapshot: sdk.Bool(true)}))
	if _, there := w.find(d.Ref); there {
		t.Error("what leaves is seen as there")
	}
	w.make(d)
	w.settled(d, nil)
}

func TestASecretWithoutAValue(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "rds", "db", values{"size": text("db.t3.micro")})
	d.Attrs = d.Attrs.With("password", resource.Digest("abc"))
	if _, err := w.p.Create(t.Context(), w.request(d)); !isCause(err, provider.Configuration) || w.count("rds.CreateDBInstance") > 0 {
		t.Errorf("%v", err)
	}
}

func TestNoErrorContainsASecret(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "rds", "db", values{"size": text("db.t3.micro"), "password": secretOf("fake-password-to-hide")})
	for _, f := range []sandbox.FaultKind{sandbox.Denied, sandbox.Unavailable, sandbox.Lost} {
		w.fault(sandbox.Fault{Kind: f, Service: "rds", Action: "CreateDBInstance"})
		_, err := w.p.Create(t.Context(), w.request(d))
		if err == nil || strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), "fake-password") {
			t.Errorf("%s: %v", f, err)
		}
		w.cloud.ClearFaults()
	}
}
