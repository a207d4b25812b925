package aws_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// creation is how each kind is created and by which call.
type creation struct {
	call    string
	desired func(t *testing.T, w *liveState) resource.Desired
}

func creations() map[string]creation {
	return map[string]creation{
		"vpc": {"ec2.CreateVpc", func(t *testing.T, w *liveState) resource.Desired {
			return desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")})
		}},
		"subnet": {"ec2.CreateSubnet", func(t *testing.T, w *liveState) resource.Desired {
			vpc := w.make(desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")}))
			return desired(t, "subnet", "app", values{"vpc": text(vpc.ID), "cidr": text("10.0.1.0/24"), "public_ip": resource.Bool(true)})
		}},
		"security_group": {"ec2.CreateSecurityGroup", func(t *testing.T, w *liveState) resource.Desired {
			return desired(t, "security_group", "web", values{"ingress": resource.List{rule("port", 443, "cidr", "0.0.0.0/0")}})
		}},
		"ec2": {"ec2.RunInstances", func(t *testing.T, w *liveState) resource.Desired {
			return desired(t, "ec2", "web", values{"size": text("t3.micro")})
		}},
		"ebs": {"ec2.CreateVolume", func(t *testing.T, w *liveState) resource.Desired {
			return desired(t, "ebs", "data", values{"size": resource.Int(8), "zone": text("us-east-1a")})
		}},
		"network_interface": {"ec2.CreateNetworkInterface", func(t *testing.T, w *liveState) resource.Desired {
			_, subnet := w.network()
			return desired(t, "network_interface", "vpn", values{"subnet": text(subnet.ID)})
		}},
		"rds": {"rds.CreateDBInstance", func(t *testing.T, w *liveState) resource.Desired {
			return desired(t, "rds", "db", values{"size": text("db.t3.micro")})
		}},
		"s3": {"s3.CreateBucket", func(t *testing.T, w *liveState) resource.Desired {
			return desired(t, "s3", "acme-assets", values{}, "team", "web")
		}},
	}
}

// ofKind lists the resources of one kind but for the defaults.
func (w *liveState) ofKind(kind string) []resource.Observed {
	w.t.Helper()
	var out []resource.Observed
	for _, o := range w.observed().Resources {
		if o.Ref.Kind == kind && o.Message != "default" {
			out = append(out, o)
		}
	}
	return out
}

func TestTheSameKeyTwiceCreatesOne(t *testing.T) {
	for kind, c := range creations() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			r := w.request(c.desired(t, w))
			one, err := w.p.Create(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			two, err := provideOn(w.cloud, 4).Create(t.Context(), r) // another process
			if err != nil {
				t.Fatal(err)
			}
			if all := w.ofKind(kind); one.ID != two.ID || len(all) != 1 {
				t.Errorf("%s and %s, and there are %d", one.ID, two.ID, len(all))
			}
			if o := w.settled(r.Desired, nil); o.Marks.Key != r.Key {
				t.Errorf("key %q, want %q", o.Marks.Key, r.Key)
			}
		})
	}
}

func TestALostAnswerCreatesOne(t *testing.T) {
	for kind, c := range creations() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			d := c.desired(t, w)
			service, action, _ := strings.Cut(c.call, ".")
			w.fault(sandbox.Fault{Kind: sandbox.Lost, Service: service, Action: action, Times: 1})
			w.make(d)
			w.settled(d, nil)
			if all := w.ofKind(kind); len(all) != 1 {
				t.Errorf("there are %d", len(all))
			}
		})
	}
}

func TestALostAnswerAndALaggingListCreateOneOrAreUncertain(t *testing.T) {
	for kind, c := range creations() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			r := w.request(c.desired(t, w))
			service, action, _ := strings.Cut(c.call, ".")
			w.fault(sandbox.Fault{Kind: sandbox.Lost, Service: service, Action: action, Times: 1},
				sandbox.Fault{Kind: sandbox.Stale, Service: service, Action: action, Times: 1, Reads: 7})
			_, err := w.p.Create(t.Context(), r)
			if err != nil && !provider.Passes(err) {
				t.Fatalf("%v cannot be recovered from", err)
			}
			w.cloud.ClearFaults()
			if _, err := w.p.Create(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if all := w.ofKind(kind); len(all) != 1 {
				t.Errorf("there are %d", len(all))
			}
		})
	}
}

func TestWhatIsJustCreatedMayBeInvisible(t *testing.T) {
	for kind, c := range creations() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			d := c.desired(t, w)
			service, action, _ := strings.Cut(c.call, ".")
			w.fault(sandbox.Fault{Kind: sandbox.Stale, Service: service, Action: action, Reads: 3})
			w.make(d)
			w.cloud.ClearFaults()
			w.settled(d, nil)
		})
	}
}

func TestAThrottledOrBusyServiceIsRetried(t *testing.T) {
	for kind, c := range creations() {
		for _, fault := range []sandbox.FaultKind{sandbox.Throttle, sandbox.Unavailable} {
			t.Run(kind+" "+string(fault), func(t *testing.T) {
				t.Parallel()
				w := newLiveState(t)
				d := c.desired(t, w)
				service, action, _ := strings.Cut(c.call, ".")
				w.fault(sandbox.Fault{Kind: fault, Service: service, Action: action, Times: 3})
				w.make(d)
				if all := w.ofKind(kind); len(all) != 1 {
					t.Errorf("there are %d", len(all))
				}
			})
		}
	}
}

func TestADeniedCreateNamesTheCall(t *testing.T) {
	for kind, c := range creations() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			d := c.desired(t, w)
			service, action, _ := strings.Cut(c.call, ".")
			w.fault(sandbox.Fault{Kind: sandbox.Denied, Service: service, Action: action})
			_, err := w.p.Create(t.Context(), w.request(d))
			if !isCause(err, provider.Denied) || !strings.Contains(err.Error(), c.call) || !strings.Contains(err.Error(), "--permissions") {
				t.Errorf("%v", err)
			}
			if n := w.count(c.call); n != 1 {
				t.Errorf("%d calls: a denial is not retried", n)
			}
		})
	}
}

func TestAKeyUsedForSomethingElse(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	r := w.request(desired(t, "ec2", "web", values{"size": text("t3.micro")}))
	one, err := w.p.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Desired = desired(t, "ec2", "web", values{"size": text("t3.micro"), "image": text("ami-0123456789abcdef0")}) // the image was renewed
	two, err := w.p.Create(t.Context(), r)
	if err != nil || two.ID != one.ID {
		t.Errorf("%s after %s, %v", two.ID, one.ID, err)
	}
}

func TestAKeyWhoseInstanceIsTerminated(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	r := w.request(desired(t, "ec2", "web", values{"size": text("t3.micro")}))
	var last string
	for life := 1; life <= 3; life++ {
		o, err := w.p.Create(t.Context(), r)
		if err != nil {
			t.Fatalf("life %d: %v", life, err)
		}
		if seen := w.settled(r.Desired, nil); o.ID == last || seen.ID != o.ID || seen.Marks.Key != r.Key {
			t.Errorf("life %d: made %s after %s, seen %s with key %s", life, o.ID, last, seen.ID, seen.Marks.Key)
		}
		if again, err := w.p.Create(t.Context(), r); err != nil || again.ID != o.ID {
			t.Errorf("life %d: the same key created %s beside %s, %v", life, again.ID, o.ID, err)
		}
		last = o.ID
		must[*ec2.TerminateInstancesOutput](t)(w.ec2().TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{o.ID}}))
	}
}

func TestBadKeysAreRefusedBeforeAnyCall(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	for _, key := range []string{"", strings.Repeat("x", 65), "schlüssel", "with space"} {
		r := w.request(desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")}))
		r.Key = key
		if _, err := w.p.Create(t.Context(), r); !isCause(err, provider.Configuration) {
			t.Errorf("key %q: %v", key, err)
		}
	}
	if n := len(sandbox.Changes(w.cloud.Requests())); n > 0 {
		t.Errorf("%d calls were made", n)
	}
}

func TestANameThatIsTakenIsAConflict(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.make(desired(t, "rds", "db", values{"size": text("db.t3.micro")}))
	w.make(desired(t, "security_group", "web", values{}))
	for _, d := range []resource.Desired{
		desired(t, "rds", "db", values{"size": text("db.t3.micro")}),
		desired(t, "security_group", "web", values{}),
	} {
		_, err := w.p.Create(t.Context(), w.request(d))
		if !isCause(err, provider.InUse) || !strings.Contains(err.Error(), "adopt") {
			t.Errorf("%s: %v", d.Ref, err)
		}
	}
	if n := len(w.ofKind("rds")) + len(w.ofKind("security_group")); n != 2 {
		t.Errorf("there are %d", n)
	}
}
