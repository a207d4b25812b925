package raw_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

func send(c *sandbox.Cloud, service, body string) (int, string, error) {
	r, err := http.NewRequest(http.MethodPost, "https://"+service+".us-east-1.amazonaws.com/", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=K/20261121/us-east-1/"+service+"/aws4_request, Signature=0")
	out, err := c.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	text, err := io.ReadAll(out.Body)
	return out.StatusCode, string(text), err
}

// TestManyAtOnce is for the race detector: every kind of call on two clouds
// that share a file, at once.
func TestManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cloud")
	var clouds []*sandbox.Cloud
	for range 2 {
		c, err := sandbox.Open(path, sandbox.WithSettle(time.Millisecond), sandbox.WithPace(sandbox.Pace{Read: 1e6, ReadPerSecond: 1e6}))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.Fault(sandbox.Fault{Kind: sandbox.Stale, Action: "RunInstances", Reads: 1}); err != nil {
			t.Fatal(err)
		}
		clouds = append(clouds, c)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		c := clouds[i%2]
		wg.Go(func() {
			for n := range 10 {
				for service, body := range map[string]string{
					"ec2": "Action=RunInstances&ImageId=ami-0a1b2c3d4e5f60718&InstanceType=t3.micro&MinCount=1&MaxCount=1&ClientToken=" + fmt.Sprint(n),
					"rds": "Action=DescribeDBInstances",
					"sts": "Action=GetCallerIdentity",
				} {
					if status, text, err := send(c, service, body); err != nil || status != 200 {
						t.Errorf("%s: %d %s (%v)", service, status, text, err)
					}
				}
				if status, text, err := send(c, "ec2", "Action=DescribeInstances"); err != nil || status != 200 {
					t.Errorf("describe: %d %s (%v)", status, text, err)
				}
				if _, err := c.Resources(); err != nil {
					t.Error(err)
				}
				c.Requests()
			}
		})
	}
	wg.Wait()
	resources, err := clouds[0].Resources()
	n := 0
	for _, th := range resources {
		if th.Kind == "ec2" {
			n++
		}
	}
	if err != nil || n != 10 {
		t.Errorf("%d instances under 10 tokens (%v)", n, err)
	}
	log, err := sandbox.ReadRequests(path)
	if err != nil || len(log) != 8*10*4 {
		t.Errorf("%d lines in the request log (%v)", len(log), err)
	}
}
