package aws_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/mototest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// proxyFault is what a proxy in front of a cloud does to some calls, whichever cloud it is.
type proxyFault struct {
	call   string    // the action, or for S3 such as "GET /bucket?tagging"; a call that begins so is meant
	code   string    // it is refused with this code,
	answer string    // or answered so without reaching the cloud,
	says   [2]string // or its answer has the second text for the first
	until  string    // the call that ends the fault
	hits   int
}

// meet answers a call in the place of the cloud; nil if it is to reach it.
func (f *proxyFault) meet(r *http.Request) *http.Response {
	body, status := f.answer, http.StatusOK
	switch {
	case f.code != "" && strings.Contains(r.Header.Get("Authorization"), "/s3/"):
		status, body = http.StatusForbidden, "<Error><Code>"+f.code+"</Code><Message>by the proxy</Message></Error>"
	case f.code != "" && strings.Contains(r.Header.Get("Authorization"), "/ec2/"):
		status, body = http.StatusBadRequest, "<Response><Errors><Error><Code>"+f.code+"</Code><Message>by the proxy</Message></Error></Errors></Response>"
	case f.code != "":
		status, body = http.StatusBadRequest, "<ErrorResponse><Error><Type>Sender</Type><Code>"+f.code+"</Code><Message>by the proxy</Message></Error></ErrorResponse>"
	case body == "":
		return nil
	}
	f.hits++
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"text/xml"}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// rewrite says something else in an answer.
func (f *proxyFault) rewrite(out *http.Response) error {
	body, err := io.ReadAll(out.Body)
	if err != nil {
		return err
	}
	if changed := bytes.ReplaceAll(body, []byte(f.says[0]), []byte(f.says[1])); !bytes.Equal(changed, body) {
		f.hits++
		body = changed
	}
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	out.Header.Del("Content-Length")
	return nil
}

// proxied is a provider behind a proxy in front of the sandbox or of moto.
type proxied struct {
	t        *testing.T
	p        *aws.Provider
	location string
	moto     bool
	faults   []*proxyFault
	keys     int
}

// onBothClouds plays rows of what was found with a proxy in front of moto there, and in front of the sandbox.
func onBothClouds(t *testing.T, rows map[string]func(*proxied)) {
	t.Helper()
	play := func(t *testing.T, cloud http.RoundTripper, o aws.Options) {
		x := &proxied{moto: !o.Sandbox}
		o.HTTPClient, o.Delays, o.Attempts, o.PlainPace = &http.Client{Transport: &hook{cloud: cloud, on: x.pass}}, patience, 2, true
		o.Delays.Appear = 2 * time.Second
		x.p = aws.New(o)
		at, err := x.p.Locate(t.Context(), "us-east-1")
		if err != nil {
			t.Fatal(err)
		}
		x.location = at
		for name, row := range rows {
			t.Run(name, func(t *testing.T) {
				x.t, x.faults = t, nil
				row(x)
				for _, f := range x.faults {
					if f.hits == 0 {
						t.Errorf("the fault of %s met no call", f.call)
					}
				}
			})
		}
	}
	t.Run("sandbox", func(t *testing.T) {
		cloud, err := sandbox.Open("", sandbox.WithSettle(20*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = cloud.Close() }()
		play(t, cloud, aws.Options{Sandbox: true})
	})
	t.Run("moto", func(t *testing.T) {
		if testing.Short() {
			t.Skip("moto takes its time")
		}
		for k, v := range map[string]string{
			"AWS_ENDPOINT_URL": mototest.Start(t), "AWS_ACCESS_KEY_ID": "EXAMPLE", "AWS_SECRET_ACCESS_KEY": "not-a-secret", "AWS_REGION": "us-east-1",
			"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_PROFILE": "", "AWS_CA_BUNDLE": "",
		} {
			t.Setenv(k, v)
		}
		play(t, http.DefaultTransport, aws.Options{})
	})
}

func (x *proxied) pass(h *hook, action string, r *http.Request) (*http.Response, error) {
	call := cmp.Or(action, r.Method+" "+r.URL.RequestURI())
	for _, f := range x.faults {
		if f.until != "" && strings.HasPrefix(call, f.until) {
			f.call = "ended by " + call
		}
		if strings.HasPrefix(call, f.call) {
			if out := f.meet(r); out != nil {
				return out, nil
			}
		}
	}
	out, err := h.cloud.RoundTrip(r)
	for _, f := range x.faults {
		if err == nil && f.says[0] != "" && strings.HasPrefix(call, f.call) {
			err = f.rewrite(out)
		}
	}
	return out, err
}

func (x *proxied) fault(f proxyFault) *proxyFault {
	x.faults = append(x.faults, &f)
	return &f
}

func (x *proxied) desired(kind, name string, a values) resource.Desired {
	d := desired(x.t, kind, name, a)
	d.Ref.Location = x.location
	return d
}

func (x *proxied) request(d resource.Desired) provider.Request {
	x.keys++
	return provider.Request{Key: fmt.Sprintf("key-%04d", x.keys), Token: 1, Owner: "ovi", Desired: d}
}

func (x *proxied) make(d resource.Desired) resource.Observed {
	x.t.Helper()
	o, err := x.p.Create(x.t.Context(), x.request(d))
	if err != nil {
		x.t.Fatalf("create %s: %v", d.Ref, err)
	}
	return o
}

// change updates what exists to a configuration.
func (x *proxied) change(d resource.Desired, have resource.Observed) error {
	x.t.Helper()
	r := x.request(d)
	r.Have, r.Changes = have, changes(x.t, d, have, nil)
	_, err := x.p.Update(x.t.Context(), r)
	return err
}

func (x *proxied) remove(d resource.Desired, o resource.Observed) error {
	r := x.request(d)
	r.Have = o
	return x.p.Delete(x.t.Context(), r)
}

// find observes a resource by its ID.
func (x *proxied) find(kind, id string) resource.Observed {
	x.t.Helper()
	s, err := x.p.Observe(x.t.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: "aws", Location: x.location}, Kinds: []string{kind}})
	if err != nil {
		x.t.Fatal(err)
	}
	for _, o := range s.Resources {
		if o.ID == id && o.Ref.Kind == kind {
			return o
		}
	}
	x.t.Fatalf("%s %s does not exist", kind, id)
	return resource.Observed{}
}
