package aws

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

func TestAYoungResourceThatAListOmitsIsReadByItsID(t *testing.T) {
	g := &api.Region{Name: "us-east-1", Account: "1", Owner: "ovi"}
	var asked []string
	k := api.Kind{Schema: resource.Kind{Name: "ec2"}, Read: func(_ context.Context, _ *api.Region, id string) (resource.Observed, error) {
		asked = append(asked, id)
		switch id {
		case "i-gone":
			return resource.Observed{}, &provider.Error{Cause: provider.Configuration, Absent: true, Err: errors.New("it does not exist")}
		case "i-denied":
			return resource.Observed{}, &provider.Error{Cause: provider.Denied, Err: errors.New("denied")}
		}
		return resource.Observed{ID: id}, nil
	}}
	listed := []resource.Observed{{ID: "i-listed"}}
	all, err := withKnown(t.Context(), g, k, listed, []provider.Known{{Kind: "ec2", ID: "i-listed"}, {Kind: "ec2", ID: "i-young"}, {Kind: "ec2", ID: "i-gone"}, {Kind: "rds", ID: "db"}})
	if err != nil || len(all) != 2 || all[1].ID != "i-young" || fmt.Sprint(asked) != "[i-young i-gone]" {
		t.Errorf("%v after asking for %v: %v", all, asked, err)
	}
	if all, err := withKnown(t.Context(), g, k, listed, []provider.Known{{Kind: "ec2", ID: "i-denied"}}); err == nil {
		t.Errorf("a resource that may exist is absent from %v", all)
	}
}
