package aws_test

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// finalSnapshot makes a database, deletes it, and returns the name of its final snapshot.
func (w *liveState) finalSnapshot(of values) string {
	w.t.Helper()
	of["size"] = text("db.t3.micro")
	o := w.make(desired(w.t, "rds", "orders", of, "team", "old"))
	w.idleDB("orders")
	if err := w.remove(o); err != nil {
		w.t.Fatal(err)
	}
	out := must[*rds.DescribeDBSnapshotsOutput](w.t)(w.rds().DescribeDBSnapshots(w.t.Context(), &rds.DescribeDBSnapshotsInput{}))
	if len(out.DBSnapshots) != 1 {
		w.t.Fatalf("%d snapshots", len(out.DBSnapshots))
	}
	return *out.DBSnapshots[0].DBSnapshotIdentifier
}

func TestADatabaseIsRestoredFromASnapshot(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	snapshot := w.finalSnapshot(values{
		"engine": text("mysql"), "engine_version": text("8.0"), "username": text("app"), "database": text("orders"), "storage": resource.Int(100),
		"password": secretOf("fake-password-one"),
	})
	d := desired(t, "rds", "orders", values{
		"size": text("db.t3.small"), "snapshot": text(snapshot), "password": secretOf("fake-password-two"), "backup_days": resource.Int(14), "storage": resource.Int(120),
		"maintenance_window": text("sun:05:00-sun:06:00"), "max_storage": resource.Int(500), "multi_az": resource.Bool(true),
	}, "team", "db")
	w.created(d)
	seen := w.settled(d, d.Attrs)
	for name, want := range map[string]resource.Value{
		"engine": text("mysql"), "username": text("app"), "database": text("orders"), "storage": resource.Int(120), "size": text("db.t3.small"),
		"encrypted": resource.Bool(true), "backup_days": resource.Int(14), "max_storage": resource.Int(500), "multi_az": resource.Bool(true),
	} {
		if got := attr(seen, name); !resource.Equal(got, want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if v, _ := seen.Tags.Get("team"); v != "db" || attr(seen, "password_secret") != nil {
		t.Errorf("its team is %q, its secret %v", v, attr(seen, "password_secret"))
	}
	if n, of := w.count("rds.RestoreDBInstanceFromDBSnapshot"), w.count("rds.CreateDBInstance"); n != 2 || of != 1 {
		t.Errorf("%d restores of two attempts, %d creates of the one before", n, of)
	}

	// What was restored is not restored again, whatever its configuration says of snapshots.
	for _, other := range []resource.Desired{
		desired(t, "rds", "orders", values{"size": text("db.t3.small")}, "team", "db"),
		desired(t, "rds", "orders", values{"size": text("db.t3.small"), "snapshot": text("another"), "password": secretOf("fake-password-two")}, "team", "db"),
	} {
		differs := changes(t, other, seen, d.Attrs)
		for _, c := range differs {
			if c.Effect != resource.InPlace || c.Path != "snapshot" || !strings.Contains(c.Note, "--replace") {
				t.Errorf("%s %s %q", c.Path, c.Effect, c.Note)
			}
		}
		if len(differs) > 0 {
			w.mustUpdate(other, seen, d.Attrs)
		}
	}
	if n := w.count("rds.RestoreDBInstanceFromDBSnapshot"); n != 2 {
		t.Errorf("%d restores", n)
	}
}

// Without a password AWS generates one, as for a new database: the secret of the one before is gone with it.
func TestARestoredDatabaseHasAGeneratedPassword(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "rds", "orders", values{"size": text("db.t3.micro"), "snapshot": text(w.finalSnapshot(values{}))})
	w.created(d)
	if seen := w.settled(d, d.Attrs); attr(seen, "password_secret") == nil {
		t.Error("it has no password that is known")
	}
}

// An apply that ends between the restore and what follows it: what the record cannot know is set by the next one.
func TestARestoreThatEndsHalfWayIsFinished(t *testing.T) {
	t.Parallel()
	for name, password := range map[string]resource.Value{"given": secretOf("fake-password-two"), "generated": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			of := values{"size": text("db.t3.micro"), "snapshot": text(w.finalSnapshot(values{"password": secretOf("fake-password-one")}))}
			if password != nil {
				of["password"] = password
			}
			d := desired(t, "rds", "orders", of)
			w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "rds", Action: "ModifyDBInstance", Code: "InvalidParameterValue", Status: 400, Times: 1})
			if _, err := w.p.Create(t.Context(), w.request(d)); err == nil {
				t.Fatal("it is called restored")
			}
			seen, there := w.find(d.Ref)
			if !there {
				t.Fatal("it does not exist")
			}
			for _, a := range kindNamed(t, "rds").Attrs { // as comparator.Compare does for a creation without a result
				if a.AfterCreate {
					d.Attrs = d.Attrs.Without(a.Name)
				}
			}
			known := d.Attrs
			d = desired(t, "rds", "orders", of)
			before := w.count("rds.ModifyDBInstance")
			w.mustUpdate(d, seen, known)
			if w.count("rds.ModifyDBInstance") == before {
				t.Error("its password was not set")
			}
			if seen = w.settled(d, d.Attrs); password == nil && attr(seen, "password_secret") == nil {
				t.Error("it has no password that is known")
			}
		})
	}
}

func TestASnapshotThatGivesNoDatabaseAsConfiguredIsRefused(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	snapshot := w.finalSnapshot(values{"username": text("app"), "encrypted": resource.Bool(false)})
	for want, of := range map[string]values{
		`snapshot "none" does not exist in us-east-1`:  {"snapshot": text("none")},
		"has engine postgres, and mysql is configured": {"engine": text("mysql")},
		"has username app, and other is configured":    {"username": text("other")},
		"has encrypted false, and true is configured":  {"encrypted": resource.Bool(true)},
		"postgres has no version 99":                   {"engine": text("postgres"), "engine_version": text("99")},
	} {
		of["size"] = text("db.t3.micro")
		if of["snapshot"] == nil {
			of["snapshot"] = text(snapshot)
		}
		w.refused(w.request(desired(t, "rds", "orders", of)), want)
	}
	err := w.p.Check(t.Context(), w.request(desired(t, "rds", "orders", values{"size": text("db.t3.micro"), "snapshot": text("none")})))
	var e *provider.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, "use one of orders: "+snapshot+" (20") {
		t.Errorf("the hint of %v", err)
	}
	// A create refuses it too, before anything exists.
	_, err = w.p.Create(t.Context(), w.request(desired(t, "rds", "orders", values{"size": text("db.t3.micro"), "snapshot": text(snapshot), "username": text("other")})))
	if !isCause(err, provider.Configuration) || w.count("rds.RestoreDBInstanceFromDBSnapshot") != 0 {
		t.Errorf("%v after %d restores", err, w.count("rds.RestoreDBInstanceFromDBSnapshot"))
	}
	// One that is being made is waited for by the next apply.
	o := w.make(desired(t, "rds", "later", values{"size": text("db.t3.micro")}))
	w.idleDB("later")
	must[*rds.DeleteDBInstanceOutput](t)(w.rds().DeleteDBInstance(t.Context(), &rds.DeleteDBInstanceInput{DBInstanceIdentifier: sdk.String(o.ID), FinalDBSnapshotIdentifier: sdk.String("young")}))
	_, err = w.p.Create(t.Context(), w.request(desired(t, "rds", "second", values{"size": text("db.t3.micro"), "snapshot": text("young")})))
	if err != nil && (!errors.As(err, &e) || e.Cause != provider.Unreachable) {
		t.Errorf("%v", err)
	}
}

func TestASnapshotIsAskedForByItsType(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]url.Values{
		"orders-final":                {},
		"rds:orders-2026-11-24-03-10": {"SnapshotType": {"automated"}},
		"awsbackup:job-1a2b":          {"SnapshotType": {"awsbackup"}},
		"arn:aws:rds:us-east-1:111111111111:snapshot:orders":     {"IncludeShared": {"true"}},
		"arn:aws:rds:us-east-1:000000000000:snapshot:rds:orders": {"SnapshotType": {"automated"}},
	} {
		w := newLiveState(t)
		asked := false
		w.hooked(func(h *hook, action string, r *http.Request) (*http.Response, error) {
			if form := formOf(t, r); form.Get("DBSnapshotIdentifier") != "" {
				asked = true
				if got := form["SnapshotType"]; !slices.Equal(got, want["SnapshotType"]) || !slices.Equal(form["IncludeShared"], want["IncludeShared"]) || form.Get("DBSnapshotIdentifier") != name {
					t.Errorf("%s: asked with %v", name, form)
				}
			}
			return h.cloud.RoundTrip(r)
		})
		err := w.p.Check(t.Context(), w.request(desired(t, "rds", "orders", values{"size": text("db.t3.micro"), "snapshot": text(name)})))
		if !asked || !isCause(err, provider.Configuration) {
			t.Errorf("%s: %v, asked: %v", name, err, asked)
		}
	}
}

func TestDatabasesBesideASnapshotAreRefused(t *testing.T) {
	t.Parallel()
	_, problems := resource.Check(kindNamed(t, "rds"), resource.AttrsOf(values{"size": text("db.t3.micro"), "snapshot": text("orders"), "database": text("app")}))
	if len(problems) != 1 || problems[0].Path != "database" || problems[0].Suggestion != "omit database" {
		t.Errorf("%v", problems)
	}
}

func TestALostAnswerRestoresOneDatabase(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "rds", "orders", values{"size": text("db.t3.micro"), "snapshot": text(w.finalSnapshot(values{}))})
	w.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "rds", Action: "RestoreDBInstanceFromDBSnapshot", Times: 1})
	if _, err := w.p.Create(t.Context(), w.request(d)); err != nil {
		t.Fatal(errorText(err))
	}
	w.settled(d, d.Attrs)
	if n := len(w.ofKind("rds")); n != 1 {
		t.Errorf("%d databases", n)
	}
}
