package aws_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

func TestDatabaseFromTheEngineDesignSample(t *testing.T) {
	w := newWorld(t)
	d := wish(t, "rds", "rds", values{"size": text("db.t3.micro")}, "environment", "prod")
	w.make(d)
	seen := w.settled(d, nil)
	got := map[string]resource.Value{}
	for _, name := range []string{"engine", "storage", "encrypted", "public", "backup_days", "deletion_protection", "final_snapshot", "multi_az"} {
		got[name] = attr(seen, name)
	}
	want := map[string]resource.Value{
		"engine": text("postgres"), "storage": resource.Int(20), "encrypted": resource.Bool(true), "public": resource.Bool(false),
		"backup_days": resource.Int(7), "deletion_protection": resource.Bool(false), "final_snapshot": resource.Bool(true), "multi_az": resource.Bool(false),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	if attr(seen, "password_secret") == nil {
		t.Error("the password is not managed by AWS")
	}
}

func TestDatabaseChanges(t *testing.T) {
	w := newWorld(t)
	d := wish(t, "rds", "db", values{"size": text("db.t3.micro"), "engine_version": text("15"), "password": secretOf("fake-password-one")})
	w.make(d)
	seen := w.settled(d, d.Attrs)
	d2 := wish(t, "rds", "db", values{"size": text("db.t3.small"), "engine_version": text("16"), "storage": resource.Int(30), "multi_az": resource.Bool(true),
		"deletion_protection": resource.Bool(true), "backup_days": resource.Int(14), "final_snapshot": resource.Bool(false),
		"password": secretOf("fake-password-two")}, "team", "db")
	w.mustUpdate(d2, seen, d.Attrs)
	seen = w.settled(d2, d2.Attrs)
	if v, _ := attr(seen, "running_version").(resource.String); !strings.HasPrefix(string(v), "16") {
		t.Errorf("version %s", v)
	}
	d3 := wish(t, "rds", "db", values{"size": text("db.t3.small"), "storage": resource.Int(20)})
	if _, err := w.update(d3, seen, nil); !isClass(err, "permanent") {
		t.Errorf("shrinking: %v", err)
	}
	err := w.remove(seen)
	if !isClass(err, "denied") || !strings.Contains(err.Error(), "deletion_protection: false") {
		t.Errorf("deleting a protected database: %v", err)
	}
	d4 := wish(t, "rds", "db", values{"size": text("db.t3.small"), "deletion_protection": resource.Bool(false), "final_snapshot": resource.Bool(false)})
	seen = w.mustUpdate(d4, seen, nil)
	if err := w.remove(seen); err != nil {
		t.Fatal(err)
	}
	if _, there := w.find(d.Ref); there {
		t.Error("still there")
	}
}

func secretOf(s string) resource.Value {
	return resource.NewSecret(s, resource.Digest("digest-of-"+s))
}
