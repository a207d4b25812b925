package sandbox_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

func byID(t *testing.T, c *sandbox.Cloud, id string) sandbox.Resource {
	t.Helper()
	for _, th := range resources(t, c) {
		if th.ID == id {
			return th
		}
	}
	return sandbox.Resource{State: "gone"}
}

func TestDriftOutsideOvi(t *testing.T) {
	c, _ := open(t, sandbox.WithSettle(0))
	cl := ec2Of(c)
	id := *run(t, cl, "", func(in *ec2.RunInstancesInput) {
		in.DisableApiTermination = aws.Bool(true)
		in.TagSpecifications = []types.TagSpecification{tagSpec("instance", "ovi:ref=aws/us-east-1/ec2/web", "team=a")}
	}).InstanceId
	ok(rdsOf(c).CreateDBInstance(ctx, dbInput("db")))(t)
	const ref = "aws/us-east-1/ec2/web"
	for _, step := range []struct {
		do   sandbox.Breakage
		id   string
		obs  func(sandbox.Resource) string
		want string
	}{
		{sandbox.Breakage{Do: "stop", Resource: ref}, id, func(th sandbox.Resource) string { return th.State }, "stopped"},
		{sandbox.Breakage{Do: "start", Resource: "ec2/web"}, id, func(th sandbox.Resource) string { return th.State }, "running"},
		{sandbox.Breakage{Do: "tag", Resource: id, Key: "team", Value: "b"}, id, func(th sandbox.Resource) string { return th.Tags["team"] }, "b"},
		{sandbox.Breakage{Do: "untag", Resource: ref, Key: "team"}, id, func(th sandbox.Resource) string { return th.Tags["team"] }, ""},
		{sandbox.Breakage{Do: "resize", Resource: ref, Value: "t3.large"}, id, func(th sandbox.Resource) string { return th.Size }, "t3.large"},
		{sandbox.Breakage{Do: "delete", Resource: ref}, id, func(th sandbox.Resource) string { return th.State }, "terminated"},
		{sandbox.Breakage{Do: "stop", Resource: "db", Kind: "rds"}, "db", func(th sandbox.Resource) string { return th.State }, "stopped"},
		{sandbox.Breakage{Do: "resize", Resource: "db", Value: "db.t3.large"}, "db", func(th sandbox.Resource) string { return th.Size }, "db.t3.large"},
		{sandbox.Breakage{Do: "delete", Resource: "db"}, "db", func(th sandbox.Resource) string { return th.State }, "gone"},
	} {
		said, err := c.Break(step.do)
		if got := step.obs(byID(t, c, step.id)); err != nil || got != step.want || said == "" {
			t.Errorf("%+v: %q, want %q (said %q, %v)", step.do, got, step.want, said, err)
		}
	}
	if n := c.Counts()["ec2.StopInstances"]; n != 0 {
		t.Error("what was done by hand is in the request log")
	}
}

func TestWhatIsCreatedOutsideOviHasNoTagsOfOvi(t *testing.T) {
	c, _ := open(t)
	for _, kind := range []string{"ec2", "ebs", "vpc", "subnet", "security_group", "rds", "s3"} {
		said, err := c.Break(sandbox.Breakage{Do: "create", Kind: kind, Region: "eu-west-1", Value: "hand-" + strings.ReplaceAll(kind, "_", "-")})
		if err != nil || !strings.Contains(said, kind) {
			t.Errorf("create %s: %q, %v", kind, said, err)
		}
	}
	for _, th := range resources(t, c) {
		if th.Region != "eu-west-1" || th.Ref != "" || !th.Default && !strings.HasPrefix(th.Name, "hand-") && th.Kind != "ebs" {
			t.Errorf("%+v", th)
		}
	}
}

func TestInvalidBreakage(t *testing.T) {
	c, _ := open(t)
	run(t, ec2Of(c), "")
	for want, b := range map[string]sandbox.Breakage{
		"no resource matches": {Do: "stop", Resource: "unknown"},
		"no resource given":   {Do: "stop"},
		"cannot create kind":  {Do: "create", Kind: "spaceship"},
		"invalid region":      {Do: "create", Kind: "vpc", Region: "mars"},
	} {
		if _, err := c.Break(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", b, err)
		}
	}
}

func TestACopyHasTheSameTagsAndAnotherIdentity(t *testing.T) {
	c, _ := open(t)
	for _, kind := range []string{"ec2", "ebs", "vpc", "security_group", "rds", "s3"} {
		name := "hand-" + strings.ReplaceAll(kind, "_", "-")
		if _, err := c.Break(sandbox.Breakage{Do: "create", Kind: kind, Value: name}); err != nil {
			t.Fatal(err)
		}
		var id string
		for _, x := range resources(t, c) {
			if x.Kind == kind {
				id = x.ID
			}
		}
		for _, b := range []sandbox.Breakage{{Do: "tag", Key: "team", Value: "web"}, {Do: "copy"}} {
			b.Kind, b.Resource = kind, id
			if _, err := c.Break(b); err != nil {
				t.Fatal(kind, err)
			}
		}
		ids := map[string]bool{}
		for _, x := range resources(t, c) {
			if x.Kind == kind && x.Tags["team"] == "web" {
				ids[x.ID] = true
			}
		}
		if len(ids) != 2 {
			t.Errorf("%s: %d carry the tags, want 2", kind, len(ids))
		}
	}
}
