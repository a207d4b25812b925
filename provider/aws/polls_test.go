package aws_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// TestWaitsForAKindShareTheirPolls asserts for each kind that AWS can list by ID that twenty resources which are waited
// for at the same time cost few more reads than one.
func TestWaitsForAKindShareTheirPolls(t *testing.T) {
	t.Parallel()
	for _, x := range []polled{
		{kind: "rds", read: "rds.DescribeDBInstances", want: func(*net, int) values {
			return values{"size": text("db.t3.micro"), "final_snapshot": resource.Bool(false)}
		}},
		{kind: "ec2", read: "ec2.DescribeInstances", want: func(n *net, _ int) values {
			return values{"size": text("t3.micro"), "subnet": text(n.subnets[0])}
		}},
		{
			kind: "ebs", read: "ec2.DescribeVolumes", want: func(*net, int) values { return values{"size": resource.Int(10), "zone": text("us-east-1a")} },
		},
		{
			kind: "ebs", read: "ec2.DescribeVolumesModifications", stays: true,
			want: func(*net, int) values { return values{"size": resource.Int(10), "zone": text("us-east-1a")} },
			then: func(*net, int) values { return values{"size": resource.Int(20), "zone": text("us-east-1a")} },
		},
		{kind: "nat_gateway", read: "ec2.DescribeNatGateways", want: func(n *net, _ int) values {
			return values{"subnet": text(n.subnets[0]), "connectivity": text("private")}
		}},
		{kind: "vpc_endpoint", read: "ec2.DescribeVpcEndpoints", want: func(n *net, i int) values {
			services := []string{"logs", "kms", "ssm", "sqs", "sns", "ecr.api", "ecr.dkr", "sts", "ec2", "monitoring"}
			return values{
				"vpc": text(n.vpcs[i%2]), "service": text("com.amazonaws.us-east-1." + services[i/2]), "endpoint_type": text("interface"),
				"subnets": resource.List{text(n.subnets[i%2])}, "private_dns": resource.Bool(false),
			}
		}},
		{kind: "network_interface", read: "ec2.DescribeNetworkInterfaces", want: func(n *net, _ int) values {
			return values{"subnet": text(n.subnets[0])}
		}},
		{kind: "load_balancer", read: "elasticloadbalancing.DescribeLoadBalancers", want: func(n *net, _ int) values {
			return values{"subnets": list(n.subnets[0], n.subnets[2]), "scheme": text("internal")}
		}},
		{kind: "autoscaling_group", read: "autoscaling.DescribeAutoScalingGroups", want: func(n *net, _ int) values {
			return values{
				"min": resource.Int(1), "max": resource.Int(1), "subnets": list(n.subnets[0]), "launch_template": text(n.template),
			}
		}},
		{
			kind: "vpc", read: "ec2.DescribeVpcs", stays: true,
			want: func(_ *net, i int) values {
				return values{"cidr": text(fmt.Sprintf("10.%d.0.0/16", 100+i)), "ipv6": resource.Bool(true)}
			},
		},
		{
			kind: "subnet", read: "ec2.DescribeSubnets", stays: true,
			want: func(n *net, i int) values {
				return values{"vpc": text(n.vpcs[0]), "cidr": text(fmt.Sprintf("10.0.%d.0/24", 100+i)), "ipv6_block": resource.Int(int64(100 + i))}
			},
		},
	} {
		t.Run(x.kind+" "+x.read, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { sharesItsPolls(t, x) })
		})
	}
}

// polled is a kind, whose resources are made, perhaps changed, and deleted, and the call that reads them.
type polled struct {
	kind, read string
	want       func(n *net, i int) values
	then       func(n *net, i int) values // nil means that an update waits for nothing
	stays      bool                       // a deletion waits for nothing
}

func sharesItsPolls(t *testing.T, x polled) {
	w := newLiveState(t, sandbox.WithSettle(10*time.Minute))
	w.p = aws.New(aws.Options{
		Sandbox: true, HTTPClient: &http.Client{Transport: w.cloud},
		Delays: api.Delays{First: time.Second, Most: 15 * time.Second, Gather: 5 * time.Second, Compute: time.Hour, Database: time.Hour},
	})
	n := newNet(w)
	together := func(what string, do func(i int) error) {
		t.Helper()
		const many = 20
		before := w.count(x.read)
		var wait sync.WaitGroup
		for i := range many {
			wait.Go(func() {
				if err := do(i); err != nil {
					t.Errorf("%s: %s", what, errorText(err))
				}
			})
		}
		wait.Wait()
		reads := w.count(x.read) - before
		t.Logf("%s %s: %d resources, %d reads", x.kind, what, many, reads)
		if reads > 5*many {
			t.Errorf("%s: %d resources cost %d reads", what, many, reads)
		}
	}
	made := make([]resource.Observed, 20)
	wanted := func(i int, v values) resource.Desired { return desired(t, x.kind, "many-"+strconv.Itoa(i), v) }
	together("create", func(i int) (err error) {
		made[i], err = w.p.Create(t.Context(), w.request(wanted(i, x.want(n, i))))
		return err
	})
	if x.then != nil {
		together("update", func(i int) (err error) {
			made[i], err = w.update(wanted(i, x.then(n, i)), made[i], resource.AttrsOf(x.want(n, i)))
			return err
		})
	}
	if !x.stays {
		together("delete", func(i int) error { return w.remove(made[i]) })
	}
}

// net is what the resources of a test of polls need: two networks, a subnet of each and a third in another zone of the
// first, and a launch template.
type net struct {
	vpcs, subnets []string
	template      string
}

func newNet(w *liveState) *net {
	n := &net{}
	for i := range 2 {
		n.vpcs = append(n.vpcs, w.make(desired(w.t, "vpc", fmt.Sprint("net-", i), values{
			"cidr": text(fmt.Sprintf("10.%d.0.0/16", i)), "ipv6": resource.Bool(i == 0),
		})).ID)
	}
	for i, zone := range []string{"us-east-1a", "us-east-1a", "us-east-1b"} {
		n.subnets = append(n.subnets, w.make(desired(w.t, "subnet", fmt.Sprint("net-", i), values{
			"vpc": text(n.vpcs[i%2]), "cidr": text(fmt.Sprintf("10.%d.%d.0/24", i%2, i)), "zone": text(zone),
		})).ID)
	}
	n.template = w.make(desired(w.t, "launch_template", "net", values{"size": text("t3.micro")})).ID
	return n
}
