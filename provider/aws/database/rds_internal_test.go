package database

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

func TestStatesOfDatabases(t *testing.T) {
	for status, want := range map[string]resource.Health{
		"available": resource.Healthy, "storage-optimization": resource.Healthy, "backing-up": resource.Healthy, "stopped": resource.Stopped,
		"creating": resource.Pending, "modifying": resource.Pending, "configuring-iam-database-auth": resource.Pending, "stopping": resource.Pending,
		"failed": resource.Failing, "incompatible-network": resource.Failing, "storage-full": resource.Failing,
	} {
		if got := dbState(status); got != want {
			t.Errorf("%s is %s, want %s", status, got, want)
		}
	}
}

func TestGroupsThatAreBeingRemovedAreOmitted(t *testing.T) {
	g := &api.Region{Name: "us-east-1", Account: "1", Owner: "ovi"}
	o := observedDB(g, types.DBInstance{DBInstanceIdentifier: aws.String("db"), DBInstanceStatus: aws.String("failed"), VpcSecurityGroups: []types.VpcSecurityGroupMembership{
		{VpcSecurityGroupId: aws.String("sg-2"), Status: aws.String("active")}, {VpcSecurityGroupId: aws.String("sg-1"), Status: aws.String("removing")},
	}})
	groups, _ := o.Attrs.Get("security_groups")
	if fmt.Sprint(groups) != "[sg-2]" || o.Health != resource.Failing || o.Message != "failed" {
		t.Errorf("%+v", o)
	}
}

func TestSnapshotNamesAreTheSameForOneDeletion(t *testing.T) {
	g := &api.Region{Name: "us-east-1", Account: "1", Owner: "ovi"}
	r := provider.Request{Key: "k1", Have: resource.Observed{ID: "db"}}
	one, two := snapshotName(g, r), snapshotName(g, r)
	r.Key = "k2"
	if three := snapshotName(g, r); one != two || one == three || !strings.HasPrefix(one, "db-final-") {
		t.Errorf("%s %s %s", one, two, three)
	}
}

// TestKeptDatabases: what AWS does not delete is known from what is observed, before anything is destroyed.
func TestKeptDatabases(t *testing.T) {
	t.Parallel()
	flag := func(name string, on bool) resource.Attrs {
		return resource.Attrs{{Name: name, Value: resource.Bool(on)}}
	}
	for name, c := range map[string]struct {
		have    resource.Observed
		last    resource.Attrs
		refused bool
	}{
		"one without protection":    {have: resource.Observed{Attrs: flag("deletion_protection", false)}},
		"a protected one":           {have: resource.Observed{Attrs: flag("deletion_protection", true)}, refused: true},
		"a failed one":              {have: resource.Observed{Message: "failed"}, refused: true},
		"a failed one with changes": {have: resource.Observed{Message: "failed; pending until"}, refused: true},
		"a failed one, no snapshot": {have: resource.Observed{Message: "failed"}, last: flag("final_snapshot", false)},
		"one whose storage is full": {have: resource.Observed{Message: statusFull}},
		"one that was not restored": {have: resource.Observed{Message: "incompatible-restore"}, refused: true},
	} {
		if why, first := keptDatabase(c.have, nil, c.last); (why != "") != c.refused || (first != "") != c.refused {
			t.Errorf("%s: %q, %q", name, why, first)
		}
	}
}
